import { MiB } from "../../base/bytes.ts";
import { createTurns } from "../../base/event-loop.ts";
import { streamOf } from "../exports.ts";
import { createEtag } from "./etag.ts";

/** Characters of flags from which on an answer is made in turns with other requests: they take some milliseconds. */
const LARGE = 262_144;
/** About what a flag takes besides its texts, in characters. */
const FLAG_SIZE = 250;

/** Whether flags with texts of these lengths are so much that their answer is to be made in turns. */
export function areLarge<T>(flags: readonly T[], lengthOf: (flag: T) => number): boolean {
  let left = LARGE;
  for (const flag of flags) {
    left -= FLAG_SIZE + lengthOf(flag);
    if (left < 0) return true;
  }
  return false;
}

/** Characters that are encoded and hashed at once. */
const CHUNK = 65_536;
/** The size from which on a body is sent in chunks, in bytes: a blob would be filled at once. */
const MAX_BLOB = 8 * MiB;

/** The body of an answer, which may be sent many times, and its entity tag. */
export type LargeBody = { body: Blob | Buffer[]; etag: string };

/** Joins JSON texts to `{"flags":[…]}`, with the members of `rest` behind the list, in turns with other requests. */
export async function flagsInTurns(texts: Iterable<string>, rest: object = {}): Promise<LargeBody> {
  const takeTurns = createTurns();
  const etag = createEtag();
  const chunks: Buffer[] = [];
  let size = 0;
  const add = (text: string) => {
    const chunk = Buffer.from(text);
    etag.update(chunk);
    chunks.push(chunk);
    size += chunk.byteLength;
  };
  let waiting = '{"flags":[';
  let separator = "";
  for (const text of texts) {
    waiting += separator + text;
    separator = ",";
    if (waiting.length > CHUNK) {
      add(waiting);
      waiting = "";
    }
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  const others = JSON.stringify(rest).slice(1, -1);
  add(`${waiting}]${others === "" ? "" : `,${others}`}}`);
  return { body: size > MAX_BLOB ? chunks : new Blob(chunks), etag: etag.value() };
}

/** Converts a body to a type that `Response` accepts. */
export function bodyOf(body: string | Blob | Buffer[]): string | Blob | ReadableStream<Uint8Array> {
  if (!Array.isArray(body)) return body;
  const chunks = async function* () {
    const takeTurns = createTurns();
    for (const chunk of body) {
      yield chunk;
      // A fast reader would have all of it without a pause.
      await takeTurns();
    }
  };
  return streamOf(chunks(), () => {});
}
