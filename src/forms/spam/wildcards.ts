import type { Turns } from "../../base/event-loop.ts";

type Pattern = {
  /** Its position in the list. */
  index: number;
  /** The literal texts between the wildcards. */
  parts: string[];
  opensWithWildcard: boolean;
  endsWithWildcard: boolean;
};

/** Patterns by the characters that they begin with; `patterns` are still to be compared in full. */
type Tree = { patterns: Pattern[]; next: Map<number, Tree> };

/** Whether a UTF-16 unit belongs to the same word as an adjacent one for which this is true too. */
type IsJoined = (code: number) => boolean;

/** Returns the index of the first pattern that occurs in a text, or -1. */
type FindPattern = (text: string, takeTurns: Turns) => Promise<number>;

/** Places of a text that are searched without a pause: a thousand patterns that begin alike can take microseconds at each. */
const PLACES = 1024;

/** State of the search of one text. */
type Search = {
  text: string;
  /** The lowest index of a pattern that matches. */
  best: number;
  /** By a pattern's index, the first place where a pattern of several parts is worth trying. */
  nextPlaces: number[];
};

/**
 * Compiles patterns into a function that returns the index of the first in the list that occurs in a text, or -1. In a
 * pattern, `*` stands for any number of joined characters, and every other character is literal. It occurs only where
 * it neither begins nor ends inside a word; where all characters are joined, it has to match the whole text.
 *
 * All patterns are searched in one pass that follows a tree of their first characters. It takes time linear in the text:
 * a pattern is tried once at each place, and reads the rest of a word behind its first wildcard once.
 *
 * One alternation in re2js takes half a second to compile for a thousand words, and 28 s without a pause for a thousand
 * patterns of several parts on 256 KB (0.2 s here): its automaton gets a new state at nearly every character.
 */
export function compilePatterns(patterns: readonly string[], isJoined: IsJoined): FindPattern {
  const all = patterns.map(parsePattern).filter(({ parts }) => parts.length > 0);
  const anchored = createTree(all.filter(({ opensWithWildcard }) => !opensWithWildcard));
  const floating = createTree(all.filter(({ opensWithWildcard }) => opensWithWildcard));
  const pairs = firstPairs(all);

  return async (text, takeTurns) => {
    const state: Search = { text, best: patterns.length, nextPlaces: [] };
    for (let at = 0; at < text.length && state.best > 0; at += 1) {
      const turn = at % PLACES === 0 ? takeTurns() : undefined;
      if (turn !== undefined) await turn;
      const kinds = pairs[pairOf(text.charCodeAt(at), text.charCodeAt(at + 1))]!;
      if (kinds === 0) continue;
      if ((kinds & ANCHORED) !== 0 && isEdge(text, at, isJoined)) search(state, anchored, at, isJoined);
      if ((kinds & FLOATING) !== 0) search(state, floating, at, isJoined);
    }
    return state.best === patterns.length ? -1 : state.best;
  };
}

const [ANCHORED, FLOATING] = [1, 2];

/** The kinds of patterns by a hash of their first two characters, which rules out most places of a text. */
function firstPairs(patterns: Pattern[]): Uint8Array {
  const pairs = new Uint8Array(64 * 64);
  for (const { parts, opensWithWildcard } of patterns) {
    const [first, second] = [parts[0]!.charCodeAt(0), parts[0]!.charCodeAt(1)];
    const kind = opensWithWildcard ? FLOATING : ANCHORED;
    if (!Number.isNaN(second)) pairs[pairOf(first, second)]! |= kind;
    else for (let any = 0; any < 64; any += 1) pairs[pairOf(first, any)]! |= kind;
  }
  return pairs;
}

function pairOf(first: number, second: number): number {
  return ((first & 63) << 6) | (second & 63);
}

/** Tries the patterns of a tree at one place. */
function search(state: Search, tree: Tree, start: number, isJoined: IsJoined): void {
  const { text } = state;
  let node = tree.next.get(text.charCodeAt(start));
  for (let at = start + 1; node !== undefined; at += 1) {
    for (const pattern of node.patterns) {
      if (pattern.index >= state.best || !text.startsWith(pattern.parts[0]!, start)) continue;
      const hasParts = pattern.parts.length > 1;
      if (hasParts && start < nextPlace(state, pattern)) continue;
      if (matchesRest(pattern, text, start, isJoined)) state.best = pattern.index;
      // The first place in a word leaves the most room for the other parts, so a later one in it cannot match.
      else if (hasParts && pattern.opensWithWildcard) {
        state.nextPlaces[pattern.index] = endOfWord(text, start, isJoined);
      }
    }
    node = node.next.get(text.charCodeAt(at));
  }
}

function parsePattern(pattern: string, index: number): Pattern {
  return {
    index,
    parts: pattern.split("*").filter((part) => part !== ""),
    opensWithWildcard: pattern.startsWith("*"),
    endsWithWildcard: pattern.endsWith("*"),
  };
}

/** From this depth on, up to three patterns are compared one by one. Two characters rule out most words. */
const MIN_DEPTH = 2;

function createTree(patterns: Pattern[], depth = 0): Tree {
  const tree: Tree = { patterns: [], next: new Map() };
  if (depth >= MIN_DEPTH && patterns.length <= 3) return { ...tree, patterns };
  const groups = new Map<number, Pattern[]>();
  for (const pattern of patterns) {
    const first = pattern.parts[0]!;
    const code = first.charCodeAt(depth);
    const group = groups.get(code);
    if (depth === first.length) tree.patterns.push(pattern);
    else if (group) group.push(pattern);
    else groups.set(code, [pattern]);
  }
  for (const [code, group] of groups) tree.next.set(code, createTree(group, depth + 1));
  return tree;
}

/** A text without the last part of a pattern is searched for it once. */
function nextPlace({ text, nextPlaces }: Search, { index, parts }: Pattern): number {
  return (nextPlaces[index] ??= text.includes(parts.at(-1)!) ? 0 : Infinity);
}

/** Whether a pattern whose first part is at `start` matches there. */
function matchesRest(
  { parts, endsWithWildcard }: Pattern,
  text: string,
  start: number,
  isJoined: IsJoined,
): boolean {
  /** Whether the part with this index may end at a position. */
  const mayEnd = (index: number, at: number) =>
    index < parts.length - 1 || endsWithWildcard || isEdge(text, at, isJoined);
  let at = start + parts[0]!.length;
  for (let index = 1; index < parts.length; index += 1) {
    const part = parts[index]!;
    // The nearest place for a part leaves the most room for the next.
    while (!text.startsWith(part, at) || !mayEnd(index, at + part.length)) {
      if (at >= text.length || !isJoined(text.charCodeAt(at))) return false;
      at += 1;
    }
    at += part.length;
  }
  return mayEnd(parts.length - 1, at);
}

/** Whether a word may begin or end at a position. */
function isEdge(text: string, at: number, isJoined: IsJoined): boolean {
  if (at === 0 || at === text.length) return true;
  return !(isJoined(text.charCodeAt(at - 1)) && isJoined(text.charCodeAt(at)));
}

function endOfWord(text: string, start: number, isJoined: IsJoined): number {
  let end = start;
  while (end < text.length && isJoined(text.charCodeAt(end))) end += 1;
  return end;
}
