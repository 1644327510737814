import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { DAY_MS } from "../base/days.ts";
import { type ClockAndRandom, clock } from "../base/clock.ts";
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
  /** The key, as base64url, by which a server that follows this one seals the assignments of an environment; empty for none. */
  sealingKeyOf: (environmentKey: string) => string;
};

/** `secret` is the same in all processes on a database, for as long as assignments are valid. */
export function createAssignments(secret: string): Assignments {
  // The key is put in once: a copy of the state takes less than a third of the time.
  const keyed = (name: string) =>
    new Bun.CryptoHasher("sha256", createHmac("sha256", secret).update(name).digest());
  const [signatures, pseudonyms] = [keyed("signature"), keyed("pseudonym")];
  /** The hash of what stands behind the tag, of which the tag is the beginning. */
  const hashOf = (bytes: Buffer) => signatures.copy().update(bytes.subarray(TAG)).digest();

  const pseudonymOf = (environmentKey: string, targetingKey: string) =>
    pseudonyms
      .copy()
      .update(`${environmentKey} ${targetingKey}`)
      .digest("hex")
      .slice(0, 2 * PSEUDONYM);
  const sealingKeyOf = (environmentKey: string) =>
    createHmac("sha256", secret).update(`sealing ${environmentKey}`).digest("base64url");
  return {
    pseudonymOf,
    sign(assignment, now) {
      const json = jsonOf(assignment);
      const bytes = Buffer.allocUnsafe(HEAD + Buffer.byteLength(json));
      bytes.writeUInt32BE(Math.floor(now / MINUTE_MS), TAG);
      bytes.write(assignment.pseudonym ?? NO_PSEUDONYM, TAG + 4, "hex");
      bytes.write(json, HEAD);
      hashOf(bytes).copy(bytes, 0, 0, TAG);
      return bytes.toString("base64url");
    },
    sealingKeyOf,
    read(text, now) {
      if (text.includes(SEALED)) {
        const sealed = unseal(text, sealingKeyOf, now);
        if (sealed === null || sealed.pseudonym === null) return sealed;
        return { ...sealed, pseudonym: pseudonymOf(sealed.environmentKey, sealed.pseudonym) };
      }
      if (text.length > MAX_ASSIGNMENT) return null;
      const bytes = Buffer.from(text, "base64url");
      // Decoding ignores what is not base64url, and the last bits.
      if (bytes.byteLength <= HEAD || bytes.toString("base64url") !== text) return null;
      if (!crypto.timingSafeEqual(hashOf(bytes).subarray(0, TAG), bytes.subarray(0, TAG))) return null;
      const at = bytes.readUInt32BE(TAG) * MINUTE_MS;
      if (!isCurrent(at, now)) return null;
      const pseudonym = bytes.toString("hex", TAG + 4, HEAD);
      const [environmentKey, ...names] = JSON.parse(bytes.toString("utf8", HEAD)) as [string, ...string[]];
      const variants = pairsOf(names);
      return { environmentKey, at, pseudonym: pseudonym === NO_PSEUDONYM ? null : pseudonym, variants };
    },
  };
}

function isCurrent(at: number, now: number): boolean {
  return at <= now + SKEW && at + ASSIGNMENT_LIFETIME >= now;
}

function pairsOf(names: readonly string[]): Assigned[] {
  return names.flatMap((flag, index) => (index % 2 === 0 ? [[flag, names[index + 1]!] as const] : []));
}

/** Part of a sealed assignment behind the key of its environment, and of nothing else. */
const SEALED = ".";
const SEAL = { algorithm: "aes-256-gcm", iv: 12, tag: 16 } as const;
/** Characters of a `targetingKey` beyond which a sealed assignment belongs to no visitor. */
const MAX_SEALED_KEY = 500;

/**
 * The assignments of a server that follows another one, by the sealing keys of environments. They hold the `targetingKey`
 * itself, for the source alone knows pseudonyms: here each is its own.
 */
export function createSealedAssignments(sealingKeyOf: Assignments["sealingKeyOf"]): Assignments {
  return {
    sealingKeyOf,
    pseudonymOf: (_, targetingKey) => targetingKey,
    read: (text, now) => unseal(text, sealingKeyOf, now),
    sign({ environmentKey, pseudonym, variants }, now) {
      const visitor = (pseudonym ?? "").length > MAX_SEALED_KEY ? "" : (pseudonym ?? "");
      const room = ((MAX_ASSIGNMENT - environmentKey.length - SEALED.length) / 4) * 3 - SEAL.iv - SEAL.tag;
      const iv = clock.random(SEAL.iv);
      const key = Buffer.from(sealingKeyOf(environmentKey), "base64url");
      const cipher = createCipheriv(SEAL.algorithm, key, iv).setAAD(Buffer.from(environmentKey));
      const json = fitting([String(Math.floor(now / MINUTE_MS)), visitor], variants, Math.floor(room));
      const sealed = [cipher.update(json), cipher.final()];
      return `${environmentKey}${SEALED}${Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url")}`;
    },
  };
}

/** The assignment of a sealed text, with the `targetingKey` in place of the pseudonym. */
function unseal(text: string, sealingKeyOf: Assignments["sealingKeyOf"], now: number): Assignment | null {
  if (text.length > MAX_ASSIGNMENT) return null;
  const end = text.indexOf(SEALED);
  const environmentKey = text.slice(0, end);
  const key = Buffer.from(end === -1 ? "" : sealingKeyOf(environmentKey), "base64url");
  const bytes = Buffer.from(text.slice(end + 1), "base64url");
  if (key.byteLength === 0 || bytes.byteLength <= SEAL.iv + SEAL.tag) return null;
  const [iv, rest] = [bytes.subarray(0, SEAL.iv), bytes.subarray(SEAL.iv)];
  const decipher = createDecipheriv(SEAL.algorithm, key, iv).setAAD(Buffer.from(environmentKey));
  decipher.setAuthTag(rest.subarray(0, SEAL.tag));
  let json: string;
  try {
    json = Buffer.concat([decipher.update(rest.subarray(SEAL.tag)), decipher.final()]).toString();
  } catch {
    return null;
  }
  const [minute, visitor, ...names] = JSON.parse(json) as string[];
  const at = Number(minute) * MINUTE_MS;
  if (!isCurrent(at, now)) return null;
  return { environmentKey, at, pseudonym: visitor === "" ? null : visitor!, variants: pairsOf(names) };
}

type Signed = Pick<Assignment, "environmentKey" | "variants">;

/** Whether a signed assignment with these variants has at most `MAX_ASSIGNMENT` characters. */
export function fits(assignment: Signed): boolean {
  return Buffer.byteLength(wholeJson(assignment)) <= MAX_JSON;
}

function wholeJson({ environmentKey, variants }: Signed): string {
  return JSON.stringify([environmentKey, ...variants.flat()]);
}

function jsonOf({ environmentKey, variants }: Signed): string {
  return fitting([environmentKey], variants, MAX_JSON);
}

/** JSON of at most so many bytes, of texts and the first of the variants, as many as fit. */
function fitting(head: readonly string[], variants: readonly Assigned[], most: number): string {
  const json = JSON.stringify([...head, ...variants.flat()]);
  if (Buffer.byteLength(json) <= most) return json;
  let begun = JSON.stringify(head);
  for (const assigned of variants) {
    const longer = `${begun.slice(0, -1)},${JSON.stringify(assigned).slice(1)}`;
    if (Buffer.byteLength(longer) > most) break;
    begun = longer;
  }
  return begun;
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
