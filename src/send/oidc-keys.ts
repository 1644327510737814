import { createLocalJWKSet } from "jose/jwks/local";
import { isObject } from "../base/json.ts";
import { TIMEOUT, providerFetch } from "./oidc-fetch.ts";
import { unavailable } from "./oidc-refusal.ts";

/** How long the metadata and keys of a provider are used again, in milliseconds. */
export const METADATA_MS = 300_000;

/** Least time between two reads of the keys, in milliseconds: anybody can send a token that names another key. */
const KEYS_MS = 10_000;

export type Keys = { get: () => Promise<ReadableKeys>; renew: () => Promise<ReadableKeys | null> };
export type ReadableKeys = ReturnType<typeof createLocalJWKSet>;

/** The keys of a provider; `renew` reads them anew, unless that was done a moment ago. */
export function createKeys(now: () => number, uri: () => Promise<string>): Keys {
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<ReadableKeys> => {
    readAt = now();
    const answer = await providerFetch(await uri(), { signal: AbortSignal.timeout(TIMEOUT * 1000) });
    const body: unknown = answer.ok ? await answer.json() : null;
    if (!isObject(body) || !Array.isArray(body["keys"]))
      throw unavailable("the identity provider sent no keys");
    return createLocalJWKSet(body as unknown as Parameters<typeof createLocalJWKSet>[0]);
  };
  const known = remembered(now, METADATA_MS, read);
  return {
    get: known,
    async renew() {
      if (now() - readAt < KEYS_MS) return null;
      known.forget();
      return known();
    },
  };
}

/** Calls `read` at most once in a time, and shares what is under way; a failure is not remembered. */
export function remembered<T>(
  now: () => number,
  ms: number,
  read: () => Promise<T>,
): (() => Promise<T>) & { forget: () => void } {
  let known: { at: number; value: Promise<T> } | null = null;
  const get = (): Promise<T> => {
    if (known !== null && now() - known.at < ms) return known.value;
    const entry = { at: now(), value: read() };
    known = entry;
    entry.value.catch(() => {
      if (known === entry) known = null;
    });
    return entry.value;
  };
  return Object.assign(get, { forget: () => void (known = null) });
}
