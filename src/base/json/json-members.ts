import { MiB } from "../bytes.ts";
import { createTurns } from "../event-loop.ts";
import { childrenOf, endOfString } from "../json.ts";

const [SPACE, QUOTE, COMMA, COLON] = [0x20, 0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Start of a part of a text, and of the text that follows it. */
type Span = readonly [start: number, end: number];

/** An object or array, up to the current position. */
type Open = {
  /** The last member of each name, with the comma behind it; null in an array. */
  members: Map<string, Span> | null;
  /** Position of the current member, and of its colon; -1 before that. */
  start: number;
  colon: number;
};

/**
 * A valid JSON text with one value for each name of an object, at any depth: the last one, as parsing keeps it. Parsers do
 * not agree on that, so a reader of the text could otherwise take a value that no check has seen. All else is unchanged,
 * as numbers lose digits if a text is parsed and written again.
 */
export function withoutRepeats(json: string): string {
  return splitRepeats(json).kept;
}

/** A valid JSON text as {@link withoutRepeats} returns it, and the members that this leaves out, each as an object. */
export function splitRepeats(json: string): { kept: string; repeats: string[] } {
  const found: Span[] = [];
  for (const each of repeatsIn(json)) if (each) found.push(each.span);
  found.sort((a, b) => a[0] - b[0]);
  const repeats: string[] = [];
  let kept = "";
  let at = 0;
  for (const [start, end] of found) {
    // A member of one that is left out goes with it.
    if (start < at) continue;
    kept += json.slice(at, start);
    // The last character is the comma.
    repeats.push(`{${json.slice(start, end - 1)}}`);
    at = end;
  }
  return { kept: kept + json.slice(at), repeats };
}

/** The steps to the first name that repeats in an object of a valid JSON text, which parses to `data`; undefined without one. */
export function findRepeat(json: string, data: unknown): string[] | undefined {
  if (typeof data !== "object" || data === null || !mayRepeat(json, data)) return undefined;
  for (const found of repeatsIn(json)) if (found) return found.steps();
  return undefined;
}

/** The same, while other work takes its turns. */
export async function findRepeatInTurns(json: string, data: unknown): Promise<string[] | undefined> {
  if (json.length <= MiB) return findRepeat(json, data);
  const takeTurns = createTurns();
  for (const found of repeatsIn(json)) {
    if (found) return found.steps();
    await takeTurns();
  }
  return undefined;
}

/** Why a text with a name that repeats is refused. */
export const REPEATED = "this name is there twice, and it would be a guess which of them counts";

/** Whether a name may repeat in an object of a valid JSON text, which parses to `data`. Takes a fraction of parsing it. */
export function mayRepeat(json: string, data: object): boolean {
  const members = countMembers(data);
  // The colon of a member follows a quote or a space, which few in texts do.
  let colons = 0;
  for (let at = json.indexOf(":"); at !== -1; at = json.indexOf(":", at + 1)) {
    const before = json.charCodeAt(at - 1);
    if (before === QUOTE || before <= SPACE) colons += 1;
    if (colons > members) return true;
  }
  return false;
}

/** Without recursion, since the depth of the value was not checked yet. */
function countMembers(value: object): number {
  let count = 0;
  const left = [value];
  for (let next = left.pop(); next; next = left.pop()) {
    const children = childrenOf(next);
    if (!Array.isArray(next)) count += children.length;
    for (const child of children) if (typeof child === "object" && child !== null) left.push(child);
  }
  return count;
}

/** Characters after which a search has a break. */
const PART = 65_536;

type Repeat = { span: Span; steps: () => string[] };

/**
 * The members of objects whose name follows again, each with the comma behind it, and the names on the way to it; null for a
 * break, in which other work may take its turn.
 */
function* repeatsIn(json: string): Generator<Repeat | null, undefined> {
  let next = PART;
  const outer: Open[] = [];
  let open: Open = { members: null, start: 0, colon: -1 };
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COLON) open.colon = at;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      outer.push(open);
      open = { members: code === OPEN_OBJECT ? new Map() : null, start: at + 1, colon: -1 };
    } else if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (open.members !== null && open.colon !== -1) {
        const name = nameOf(json.slice(open.start, open.colon).trim());
        const earlier = open.members.get(name);
        if (earlier) yield { span: earlier, steps: () => [...namesOf(json, outer), name] };
        open.members.set(name, [open.start, at + 1]);
        open.start = at + 1;
        open.colon = -1;
      }
      if (code !== COMMA) open = outer.pop()!;
      if (at >= next) {
        next = at + PART;
        yield null;
      }
    }
  }
  return undefined;
}

/** The names of the members that are open. */
function namesOf(json: string, open: readonly Open[]): string[] {
  return open.flatMap(({ colon, start }) => (colon === -1 ? [] : nameOf(json.slice(start, colon).trim())));
}

function nameOf(source: string): string {
  return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
}

type Member = {
  name: string;
  /** Name and value as they were written, without the comma. */
  source: string;
  /** The value as it was written. */
  value: string;
};

/**
 * The members of a valid JSON object, in the order in which they were written. Only strings and the depth
 * of nesting are parsed to find where each ends.
 */
export function* membersOf(json: string): Generator<Member> {
  let depth = 0;
  let start = 0;
  let colon = -1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (code === COLON) {
      if (depth === 1) colon = at;
    } else if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 1 && colon !== -1) {
        yield {
          name: JSON.parse(json.slice(start, colon)) as string,
          source: json.slice(start, at).trim(),
          value: json.slice(colon + 1, at),
        };
        start = at + 1;
        colon = -1;
      }
      if (code !== COMMA) depth -= 1;
    }
  }
}
