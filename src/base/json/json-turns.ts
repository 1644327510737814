import { type Turns, createTurns } from "../event-loop.ts";
import { endOfString } from "../json.ts";

/** Characters that are parsed at once: a thousand names or texts take a millisecond. */
const PART = 65_536;

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

type Parser = {
  json: string;
  /** Where each object and list ends that is longer than a part, by where it begins. */
  ends: Map<number, number>;
  takeTurns: Turns;
};

/**
 * Parses JSON as `JSON.parse` does, but other work takes its turns: sixteen megabytes of names take a second. Throws a
 * `SyntaxError`.
 */
export async function parseInTurns(json: string): Promise<unknown> {
  if (json.length <= PART) return JSON.parse(json);
  const takeTurns = createTurns();
  const parser = { json, ends: await findEnds(json, takeTurns), takeTurns };
  const start = json.search(/[^ \t\r\n]/);
  const end = parser.ends.get(start);
  if (end === undefined) return JSON.parse(json);
  requireBlank(json.slice(end));
  return parseLarge(parser, start, end);
}

async function findEnds(json: string, takeTurns: Turns): Promise<Map<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let next = PART;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) open.push(at);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      const start = open.pop();
      if (start === undefined || json.charCodeAt(start) !== code - 2)
        throw new SyntaxError("brackets do not match");
      if (at - start > PART) ends.set(start, at + 1);
    }
    if (at >= next) {
      next = at + PART;
      await takeTurns();
    }
  }
  if (open.length > 0) throw new SyntaxError("a bracket is not closed");
  return ends;
}

/** The object or list in a range, whose small members are parsed many at once. */
async function parseLarge(parser: Parser, start: number, end: number): Promise<unknown> {
  const { json, ends, takeTurns } = parser;
  const list: unknown[] | null = json.charCodeAt(start) === OPEN_LIST ? [] : null;
  const members: Record<string, unknown> = {};
  /** Parses whole members up to a comma or the end. */
  const addSmall = (from: number, to: number) => {
    const text = json.slice(from, to);
    const part = JSON.parse(list ? `[${text}]` : `{${text}}`) as object;
    const names = Object.keys(part);
    if (names.length === 0) throw new SyntaxError("a value is missing");
    if (list) for (const value of part as unknown[]) list.push(value);
    else for (const name of names) setMember(members, name, (part as Record<string, unknown>)[name]);
  };
  /** Where what is not parsed begins, and where its last member does. */
  let [from, member, depth] = [start + 1, start + 1, 0];
  for (let at = start + 1; at < end; at += 1) {
    const code = json.charCodeAt(at);
    const large = depth === 0 ? ends.get(at) : undefined;
    if (large !== undefined) {
      if (member > from) addSmall(from, member - 1);
      const name = list ? requireBlank(json.slice(member, at)) : nameBefore(json.slice(member, at));
      const value = await parseLarge(parser, at, large);
      if (list) list.push(value);
      else setMember(members, name, value);
      at = large + json.slice(large, end).search(/[^ \t\r\n]/);
      if (at === end - 1) return list ?? members;
      if (json.charCodeAt(at) !== COMMA) throw new SyntaxError("a comma is missing");
      from = member = at + 1;
    } else if (code === QUOTE) at = endOfString(json, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (at === end - 1) addSmall(from, at);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA && depth === 0) {
      if (at - from > PART) {
        addSmall(from, at);
        await takeTurns();
        from = at + 1;
      }
      member = at + 1;
    }
  }
  return list ?? members;
}

/** The name in a text such as `"a": `. */
function nameBefore(text: string): string {
  const colon = text.lastIndexOf(":");
  requireBlank(text.slice(colon + 1));
  const [name, ...others] = Object.keys(JSON.parse(`{${text.slice(0, colon + 1)}0}`) as object);
  if (name === undefined || others.length > 0) throw new SyntaxError("a name is missing");
  return name;
}

function requireBlank(text: string): string {
  if (/[^ \t\r\n]/.test(text)) throw new SyntaxError("there is text between two values");
  return "";
}

/** Keeps `__proto__`, which an assignment would lose. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Applies `view` to each value and returns JSON texts, each an array of some of the results; yields to other work. */
export async function stringifyInTurns<T>(
  values: readonly T[],
  view: (value: T) => unknown = (value) => value,
): Promise<string[]> {
  const takeTurns = createTurns();
  const texts: string[] = [];
  for (let at = 0, members: string[] = [], size = 0; at < values.length; at += 1) {
    const member = JSON.stringify(view(values[at]!));
    members.push(member);
    size += member.length;
    if (size > PART || at === values.length - 1) {
      // A text that is put together with `+` is copied when it is first used: all of them at once, if a thread is sent them.
      texts.push(["[", members.join(","), "]"].join(""));
      [members, size] = [[], 0];
    }
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return texts;
}

/**
 * An object as JSON, in turns with other work: its members, and theirs to so many `levels`, are written one by one, and so
 * are the items of lists in them.
 */
export async function stringifyMembers(
  object: object,
  levels: number,
  takeTurns = createTurns(),
): Promise<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    if (value === undefined) continue;
    const isLarge = levels > 1 && typeof value === "object" && value !== null;
    const text = isLarge ? await stringifyLarge(value, levels - 1, takeTurns) : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}:${text}`);
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return `{${members.join(",")}}`;
}

async function stringifyLarge(value: object, levels: number, takeTurns: Turns): Promise<string> {
  if (!Array.isArray(value)) return stringifyMembers(value, levels, takeTurns);
  const parts = await stringifyInTurns(value);
  return `[${parts.map((part) => part.slice(1, -1)).join(",")}]`;
}
