import { endOfString } from "../../base/json.ts";

type Member = {
  name: string;
  /** Name and value as they were written, without the comma. */
  source: string;
  /** The value as it was written. */
  value: string;
};

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

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
