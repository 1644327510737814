import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeArchive } from "../../../cli/data/archive-place.ts";
import { automaticOf } from "../../../cli/serve/backups/folder.ts";
import { outdated } from "../../../cli/serve/backups/keep.ts";
import { KiB, MiB } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { openArchives } from "../../../src/blobs/s3/archives.ts";
import { parseS3Url } from "../../../src/blobs/s3/url.ts";
import { ACCESS_KEY, SECRET_KEY } from "../../support/s3/s3-signature.ts";
import { s3Error, type startFakeS3 } from "../../support/s3/s3.ts";
import { type Chance, createChance } from "../chance.ts";

type Fake = ReturnType<typeof startFakeS3>;

/** Milliseconds that a request waits for its answer, and for which one that hangs is held back. */
const ANSWER = 60;
const HANGS = 90;
const TIMING = { answer: ANSWER, stall: ANSWER, minDelay: 1, maxDelay: 2, window: 500, retries: 3 };
/** Those of a bucket that is well, however slow this machine is. */
const PATIENT = { ...TIMING, answer: 10_000, stall: 10_000, window: 60_000 };
/** Archives that a bucket keeps, and files of others there. */
const KEPT = 3;
const FOREIGN = [
  "other.txt",
  "formflag-backup-20200101T000000Z.tar",
  "below/formflag-auto-20200101T000000Z.tar",
];
const RUNS = 6;

/**
 * Stores one backup after another in a bucket that hangs, lies or dies, by a seed, and last in one that is well. Returns what was
 * violated: a name of an archive is that of all its bytes, what was stored stays until enough newer ones are, nothing of others
 * changes, and nothing unfinished stays in the end.
 */
export async function simulateArchives(seed: number, fake: Fake, directory: string): Promise<string[]> {
  const chance = createChance(seed);
  const location = parseS3Url(fake.url);
  const root = `${location.prefix}/`;
  const violations: string[] = [];
  const started = new Map<string, Uint8Array>();
  /** Archives that are in the bucket, or were: one whose success was not told too. */
  const stored = new Set<string>();
  fake.objects.clear();
  fake.uploads.clear();
  fake.seen.length = 0;
  for (const name of FOREIGN) fake.objects.set(root + name, { bytes: Buffer.from(name), sha256: null });

  const check = (run: number) => {
    const all = [...fake.objects].map(([key, { bytes }]) => [key.slice(root.length), bytes] as const);
    for (const [name, bytes] of all.filter((each) => started.has(each[0]))) {
      // A copy that is less, and cannot be removed from a dead bucket, is beside its temporary name until the next run.
      const isKnown = run < RUNS && all.some(([other]) => other.startsWith(`${name}.unverified`));
      if (Buffer.from(bytes).equals(started.get(name)!)) stored.add(name);
      else if (!isKnown) violations.push(`run ${run}: ${name} has other bytes than the archive`);
    }
    for (const name of [...[...stored].toSorted().slice(-KEPT), ...FOREIGN])
      if (!fake.objects.has(root + name)) violations.push(`run ${run}: ${name} is gone`);
  };

  for (let run = 0; run <= RUNS; run += 1) {
    const isLast = run === RUNS;
    // Two days later, also what another machine has left is removed.
    if (isLast) for (const each of fake.uploads.values()) each.at -= 2 * 86_400_000;
    const trouble = isLast ? null : createTrouble(chance, fake);
    fake.fault = trouble?.before ?? (() => undefined);
    fake.after = trouble?.after ?? (() => undefined);
    const name = `formflag-auto-202701${String(10 + run)}T120000Z.tar`;
    const bytes = chance.bytes(chance.once(8) ? 8 * MiB + chance.int(KiB) : chance.int(64 * KiB));
    started.set(name, bytes);
    const file = join(directory, "archive.tar");
    writeFileSync(file, bytes);
    const timing = isLast ? PATIENT : TIMING;
    const bucket = openArchives(
      { location, credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY }, timing },
      "here",
      chance.once(2) ? undefined : 16 * KiB,
    );
    const place = { bucket, name: null, urlOf: (each = "") => each };
    try {
      await storeArchive(place, name, file);
      if (!fake.objects.has(root + name))
        violations.push(`run ${run}: ${name} is not there although it was stored`);
      const all = automaticOf(await bucket.list(), Date.UTC(2028, 0));
      await bucket.remove(outdated(all, KEPT).map((each) => each.name));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isLast) violations.push(`run ${run}: a bucket that is well fails: ${error.message}`);
    }
    await trouble?.end();
    check(run);
  }
  const left = [...fake.objects.keys()].filter((key) => key.includes(".unverified"));
  if (left.length > 0) violations.push(`${left.join()} is left`);
  if (fake.uploads.size > 0) violations.push(`${fake.uploads.size} uploads are left`);
  return violations;
}

/** A bucket in trouble: each request may fail, hang, be lost with its answer, or store less or other bytes; from one on, all fail. */
function createTrouble(chance: Chance, fake: Fake) {
  const rarity = chance.pick([3, 8, 20]);
  const dies = chance.once(3) ? chance.int(12) : Infinity;
  const lies = chance.once(2);
  const held = new Set<Promise<void>>();
  let requests = 0;
  const hang = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, HANGS);
    held.add(promise);
    await promise;
    held.delete(promise);
    return undefined;
  };
  return {
    before: () => {
      requests += 1;
      if (requests > dies) return "cut" as const;
      if (!chance.once(rarity)) return undefined;
      return chance.pick([
        () => s3Error(503, "SlowDown"),
        () => s3Error(500, "InternalError"),
        () => s3Error(403, "AccessDenied"),
        () => "cut" as const,
        hang,
      ])();
    },
    after: ({ method, key, query, headers }: Parameters<Fake["after"]>[0]) => {
      const object = fake.objects.get(key);
      // A copy on the side of the storage may lose bytes; what was sent may be other bytes too.
      const isStored = object && method !== "GET" && method !== "HEAD" && !query.includes("uploads");
      if (lies && isStored && key.includes("formflag-auto-") && chance.once(rarity)) {
        const isCopy = headers.has("x-amz-copy-source") || !key.includes(".unverified");
        const bytes = Buffer.from(object.bytes);
        if (!isCopy && bytes.length > 0) bytes[chance.int(bytes.length)]! ^= 1;
        const whole = isCopy ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes;
        fake.objects.set(key, { ...object, bytes: whole });
      }
      return chance.once(rarity) ? chance.pick(["cut", "cut-answer"] as const) : undefined;
    },
    /** Fulfils once requests that were held back have had their effect. */
    async end() {
      while (held.size > 0) await Promise.all(held);
      await Bun.sleep(5);
    },
  };
}
