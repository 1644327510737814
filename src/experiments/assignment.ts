import { createHmac } from "node:crypto";
import { DAY_MS } from "../base/days.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { once } from "../base/once.ts";
import type { SecretStore } from "../access/store.ts";

/** The variants of flags that the visitor of a page got. The visitor's browser keeps and sends them, signed. */
export type Assignment = {
  /** The key of the environment of the flags. */
  environmentKey: string;
  /** The minute of the evaluation, in milliseconds since 1970. */
  at: number;
  /** The visitor, by {@link Assignments.pseudonymOf}; null for one without a `targetingKey`. */
  pseudonym: string | null;
  variants: readonly Assigned[];
};

export type Assigned = readonly [flag: string, variant: string];

/** How long an assignment is valid, in milliseconds. */
export const ASSIGNMENT_LIFETIME = 7 * DAY_MS;
/** Most characters of a signed assignment. */
export const MAX_ASSIGNMENT = 4096;

const MINUTE_MS = 60_000;
/** How far the clock of another server may be ahead. */
const SKEW = 5 * MINUTE_MS;

/** The bytes of a signed assignment: a tag, the minute, the pseudonym, then JSON of the environment and the variants. */
const TAG = 16;
const PSEUDONYM = 8;
const HEAD = TAG + 4 + PSEUDONYM;
const MAX_JSON = (MAX_ASSIGNMENT / 4) * 3 - HEAD;
const NO_PSEUDONYM = "00".repeat(PSEUDONYM);

export type Assignments = {
  /** 64 bits as hex, the same each time for a `targetingKey` in an environment. The key cannot be derived from them. */
  pseudonymOf: (environmentKey: string, targetingKey: string) => string;
  /** The assignment at a time in milliseconds since 1970, as base64url, with the first of its variants, as many as fit. */
  sign: (assignment: Omit<Assignment, "at">, now: number) => string;
  /** The assignment of a text; null for a text that was not signed here or is older than `ASSIGNMENT_LIFETIME`. */
  read: (text: string, now: number) => Assignment | null;
};

/** `secret` is the same in all processes on a database, for as long as assignments are valid. */
export function createAssignments(secret: string): Assignments {
  // The key is put in once: a copy of the state takes less than a third of the time.
  const keyed = (name: string) =>
    new Bun.CryptoHasher("sha256", createHmac("sha256", secret).update(name).digest());
  const [signatures, pseudonyms] = [keyed("signature"), keyed("pseudonym")];
  /** The hash of what stands behind the tag, of which the tag is the beginning. */
  const hashOf = (bytes: Buffer) => signatures.copy().update(bytes.subarray(TAG)).digest();

  return {
    pseudonymOf: (environmentKey, targetingKey) =>
      pseudonyms
        .copy()
        .update(`${environmentKey} ${targetingKey}`)
        .digest("hex")
        .slice(0, 2 * PSEUDONYM),
    sign(assignment, now) {
      const json = jsonOf(assignment);
      const bytes = Buffer.allocUnsafe(HEAD + Buffer.byteLength(json));
      bytes.writeUInt32BE(Math.floor(now / MINUTE_MS), TAG);
      bytes.write(assignment.pseudonym ?? NO_PSEUDONYM, TAG + 4, "hex");
      bytes.write(json, HEAD);
      hashOf(bytes).copy(bytes, 0, 0, TAG);
      return bytes.toString("base64url");
    },
    read(text, now) {
      if (text.length > MAX_ASSIGNMENT) return null;
      const bytes = Buffer.from(text, "base64url");
      // Decoding ignores what is not base64url, and the last bits.
      if (bytes.byteLength <= HEAD || bytes.toString("base64url") !== text) return null;
      if (!crypto.timingSafeEqual(hashOf(bytes).subarray(0, TAG), bytes.subarray(0, TAG))) return null;
      const at = bytes.readUInt32BE(TAG) * MINUTE_MS;
      if (at > now + SKEW || at + ASSIGNMENT_LIFETIME < now) return null;
      const pseudonym = bytes.toString("hex", TAG + 4, HEAD);
      const [environmentKey, ...names] = JSON.parse(bytes.toString("utf8", HEAD)) as [string, ...string[]];
      const variants = names.flatMap((flag, index): Assigned[] =>
        index % 2 === 0 ? [[flag, names[index + 1]!]] : [],
      );
      return { environmentKey, at, pseudonym: pseudonym === NO_PSEUDONYM ? null : pseudonym, variants };
    },
  };
}

type Signed = Pick<Assignment, "environmentKey" | "variants">;

/** Whether a signed assignment with these variants has at most `MAX_ASSIGNMENT` characters. */
export function fits(assignment: Signed): boolean {
  return Buffer.byteLength(wholeJson(assignment)) <= MAX_JSON;
}

function wholeJson({ environmentKey, variants }: Signed): string {
  return JSON.stringify([environmentKey, ...variants.flat()]);
}

/** JSON of at most `MAX_JSON` bytes. */
function jsonOf(assignment: Signed): string {
  const json = wholeJson(assignment);
  if (Buffer.byteLength(json) <= MAX_JSON) return json;
  let fitting = JSON.stringify([assignment.environmentKey]);
  for (const assigned of assignment.variants) {
    const longer = `${fitting.slice(0, -1)},${JSON.stringify(assigned).slice(1)}`;
    if (Buffer.byteLength(longer) > MAX_JSON) break;
    fitting = longer;
  }
  return fitting;
}

type SecretsApp = Pick<ClockAndRandom, "random"> & { store: { secrets: SecretStore } };

/**
 * Returns a function for the assignments. Their secret is in the database; the first call of any process creates it.
 */
export function createAssignmentSource({ store, random }: SecretsApp): () => Promise<Assignments> {
  return once(async () => {
    const candidate = Buffer.from(random(32)).toString("base64url");
    return createAssignments(await store.secrets.keep("assignments", candidate));
  });
}
