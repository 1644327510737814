import { MiB } from "../../base/bytes.ts";
import { createTurns } from "../../base/event-loop.ts";
import { AppError } from "../../base/errors.ts";
import { streamOf, untilStalled } from "../exports.ts";
import { createEtag } from "./etag.ts";

/** Characters of flags from which on an answer is made in turns with other requests: they take some milliseconds. */
const LARGE = 262_144;
/** About what a flag takes besides its texts, in characters. */
const FLAG_SIZE = 250;

/** Whether flags with texts of these lengths are so much that their answer is to be made in turns. */
export function areLarge<T>(flags: readonly T[], lengthOf: (flag: T) => number): boolean {
  return isLarge(sizeOf(flags, lengthOf));
}

/** About how long the answer with flags is, in characters. */
export function sizeOf<T>(flags: readonly T[], lengthOf: (flag: T) => number): number {
  return flags.reduce((size, flag) => size + FLAG_SIZE + lengthOf(flag), 0);
}

export function isLarge(size: number): boolean {
  return size > LARGE;
}

/** Characters that are encoded and hashed at once. */
const CHUNK = 65_536;
/** The size from which on a body is sent in chunks, in bytes: a blob would be filled at once. */
const MAX_BLOB = 8 * MiB;

/** The body of an answer, which may be sent many times, and its entity tag. */
export type LargeBody = { body: Blob | Buffer[]; etag: string };

/** Joins JSON texts to `{"flags":[…]}`, in turns with other requests. */
export async function flagsInTurns(texts: Iterable<string>): Promise<LargeBody> {
  const { chunks, size, etag } = await chunksInTurns(texts, {});
  return { body: size > MAX_BLOB ? chunks : new Blob(chunks), etag };
}

/** As {@link flagsInTurns}, with the members of `rest` behind the list, for one reader. */
export async function chunksInTurns(
  texts: Iterable<string>,
  rest: object,
): Promise<{ chunks: Buffer[]; size: number; etag: string }> {
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
  return { chunks, size, etag: etag.value() };
}

/** Converts a body to a type that `Response` accepts. */
export function bodyOf(body: string | Blob | Buffer[]): string | Blob | ReadableStream<Uint8Array> {
  return Array.isArray(body) ? streamOf(turnsOf(body), () => {}) : body;
}

/** A body that one reader has: the chunks are given up as they are sent. `leave` is called at the end, or once it is not read on. */
export function ownBodyOf(chunks: Buffer[], leave: () => void): ReadableStream<Uint8Array> {
  const given = untilStalled(turnsOf(chunks), () => {
    chunks.length = 0;
    leave();
  });
  return streamOf(given, () => {});
}

async function* turnsOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  const takeTurns = createTurns();
  for (const chunk of chunks) {
    yield chunk;
    // A fast reader would have all of it without a pause.
    await takeTurns();
  }
}

/** Gives out room for answers, in bytes; one that is larger than all of it gets it alone. Throws `rate_limited`. */
export function createRoom(most: number): (bytes: number) => () => void {
  let taken = 0;
  return (bytes) => {
    if (taken > 0 && taken + bytes > most)
      throw new AppError("rate_limited", "too many large answers are on their way", { retryAfter: 1 });
    taken += bytes;
    return () => void (taken -= bytes);
  };
}
