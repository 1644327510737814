import { DAY_MS } from "./days.ts";
/** Returns `length` cryptographically random bytes. */
export type Random = (length: number) => Uint8Array;

/** The format of {@link dashedKey}. */
export const DASHED_KEY = /^[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}$/;

/** The format of {@link createIdSource}. */
export const SUBMISSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** `length` characters of `[a-z0-9]`, each equally likely (bytes past the last full round are thrown away). */
export function characters(random: Random, length: number): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < limit && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

/** A random key of a project or an environment, or the id of a scheduled change: `xxxx-xxxx-xxxx`. */
export function dashedKey(random: Random): string {
  return [4, 4, 4].map((length) => characters(random, length)).join("-");
}

/**
 * Returns a generator of submission ids: UUIDs of version 7 (RFC 9562, 6.2, method 1), each greater than the one before,
 * also within a millisecond and when the clock is set back, so that the order of ids is the order of arrival. The first
 * id is greater than `newest`, the greatest id that exists, unless no clock of here can have made that: an import brings any.
 */
export function createIdSource(
  random: Random,
  now: () => number,
  newest: string | null = null,
): () => string {
  let { time, counter } = isPlausible(newest, now()) ? timeOf(newest) : { time: 0, counter: 0 };
  return () => {
    const current = now();
    if (current > time) {
      time = current;
      counter = 0;
    } else if (++counter > 0xfff) {
      time += 1;
      counter = 0;
    }
    return timedId(time, counter, random(8));
  };
}

/** Memory for {@link createSharedIdSource}: nothing was made yet, or all up to `newest`. */
export function createIdMemory(now: number, newest: string | null): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(8);
  const { time, counter } = isPlausible(newest, now) ? timeOf(newest) : { time: 0, counter: 0 };
  new BigInt64Array(memory)[0] = (BigInt(time) << COUNTER_BITS) | BigInt(counter);
  return memory;
}

/** As {@link createIdSource}, for all threads that share the memory: each id is greater than any that one of them made before. */
export function createSharedIdSource(
  random: Random,
  now: () => number,
  memory: SharedArrayBuffer,
): () => string {
  const last = new BigInt64Array(memory);
  return () => {
    for (;;) {
      const before = Atomics.load(last, 0);
      const current = BigInt(now()) << COUNTER_BITS;
      // A counter that is full carries into the time.
      const next = current > before ? current : before + 1n;
      if (Atomics.compareExchange(last, 0, before, next) === before)
        return timedId(Number(next >> COUNTER_BITS), Number(next & 0xfffn), random(8));
    }
  };
}

const COUNTER_BITS = 12n;

/**
 * A UUID of version 7 with a time in milliseconds since 1970, a number below 4096 that orders ids of one millisecond, and
 * 8 bytes that make it unique.
 */
export function timedId(time: number, counter: number, unique: Uint8Array): string {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(time, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.set(unique, 8);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Milliseconds by which a clock may have been ahead before it was set back. */
export const MAX_AHEAD = 2 * DAY_MS;

/** Above every id that {@link createIdSource} can have made until now, in milliseconds since 1970. */
export function endOfIds(now: number): string {
  return firstIdOf(now + MAX_AHEAD);
}

function isPlausible(id: string | null, now: number): id is string {
  return id !== null && VERSION_7.test(id) && id < endOfIds(now);
}

const VERSION_7 = /^.{14}7.{4}[89ab]/;

/** Milliseconds by which the time in an id may differ from that of what was stored with it. */
export const ID_SLACK = 3_600_000;

/** Whether an id begins with about a time in milliseconds since 1970, as those made here do. */
export function isIdOf(id: string, time: number): boolean {
  return Math.abs(creationOf(id) - time) <= ID_SLACK;
}

/** The smallest id of {@link createIdSource} of a time in milliseconds since 1970. */
export function firstIdOf(time: number): string {
  const hex = Math.min(Math.max(time, 0), MAX_TIME).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const MAX_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** When an id of {@link createIdSource} was made, in milliseconds since 1970. */
export function creationOf(id: string): number {
  return timeOf(id).time;
}

/** The time in an id, and its number within the millisecond. */
function timeOf(id: string): { time: number; counter: number } {
  const hex = id.replaceAll("-", "");
  return { time: Number.parseInt(hex.slice(0, 12), 16), counter: Number.parseInt(hex.slice(13, 16), 16) };
}
