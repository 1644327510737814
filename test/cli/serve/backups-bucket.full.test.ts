import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "bun:test";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { readBackups } from "../../../cli/data/backups.ts";
import { openApp } from "../../../cli/data/open.ts";
import { createBackups } from "../../../cli/serve/backups/backups.ts";
import type { BackupSettings } from "../../../cli/serve/backups/schedule-options.ts";
import type { Log } from "../../../cli/serve/log.ts";
import { checkBackups } from "../../../src/maintenance/doctor/backups.ts";
import { emptyData, environment } from "../../support/commands.ts";
import { CREDENTIALS } from "../../support/s3/s3-signature.ts";
import { s3Error, startFakeS3 } from "../../support/s3/s3.ts";
import { tempDirectory } from "../../support/temp.ts";

const HOUR = 3_600_000;
const PREFIX = "some/prefix/";
const RECIPIENT = await identityToRecipient(await generateIdentity());
const fake = startFakeS3();

beforeEach(() => {
  fake.objects.clear();
  fake.uploads.clear();
  fake.fault = () => undefined;
});

const stored = () => [...fake.objects.keys()].map((key) => key.slice(PREFIX.length)).toSorted();

/** The backups of a server into a bucket, whose clock stands still until it is moved. */
async function begin(change: Partial<BackupSettings> = {}) {
  const data = emptyData();
  const app = await openApp({ data, writing: "inline" });
  const clock = { now: Date.parse("2027-01-31T12:00:00Z") };
  app.now = () => clock.now;
  const [lines, errors]: [string[], string[]] = [[], []];
  const log = {
    line: (_level, text) => void lines.push(text),
    error: (error) => void errors.push(String(error)),
  } as Log;
  const settings = { directory: null, bucket: fake.url, every: 3600, keep: 2, recipients: [], ...change };
  const TMPDIR = tempDirectory();
  const env = environment({ FORMFLAG_DATA: data, TMPDIR, ...CREDENTIALS });
  Object.assign(process.env, CREDENTIALS);
  const open = () => createBackups(app, { settings, data, env, log });
  return { data, app, clock, lines, errors, open, TMPDIR };
}

describe("backups on a schedule into a bucket", () => {
  test("are encrypted, stored and counted, and only the newest of a server's own kept", async () => {
    const others = [
      "formflag-backup-20200101T000000Z.tar",
      "deep/formflag-auto-20200101T000000Z.tar",
      "photo",
    ];
    for (const name of others) fake.objects.set(PREFIX + name, { bytes: Buffer.from("x"), sha256: null });
    const { data, clock, lines, errors, open, TMPDIR } = await begin({ recipients: [RECIPIENT] });
    const backups = await open();
    expect(backups.state()).toMatchObject({ bucket: "s3://bucket/some/prefix", encrypted: true, last: null });
    for (let hours = 0; hours < 3; hours += 1) {
      await backups.job!.run();
      // The second run finds nothing due.
      await backups.job!.run();
      expect(await backups.job!.next!()).toBe(clock.now + HOUR);
      clock.now += HOUR;
    }
    expect(errors).toEqual([]);
    const own = ["formflag-auto-20270131T130000Z.tar.age", "formflag-auto-20270131T140000Z.tar.age"];
    expect(stored()).toEqual([...others, ...own].toSorted());
    expect(lines[2]).toBe(`stored the backup ${own[1]} in s3://bucket/some/prefix and read it back`);
    const arrived = { at: "2027-01-31T14:00:00.000Z", file: `s3://bucket/some/prefix/${own[1]}` };
    expect(backups.state()).toMatchObject({ arrived, last: arrived, failure: null });
    expect(readBackups(data).arrived).toMatchObject(arrived);
    expect(readdirSync(TMPDIR)).toEqual([]);
    // A server on an empty disk finds what the bucket has.
    clock.now -= HOUR / 2;
    const { open: openOther, clock: otherClock, lines: others2 } = await begin({ recipients: [RECIPIENT] });
    otherClock.now = clock.now;
    const other = await openOther();
    await other.job!.run();
    expect(others2).toEqual([]);
    expect(await other.job!.next!()).toBe(Date.parse("2027-01-31T15:00:00Z"));
  }, 60_000);

  test("are those of the folder too, which gets no more of them while the bucket is down", async () => {
    const directory = join(tempDirectory(), "backups");
    const { clock, errors, open } = await begin({ directory, keep: "2d,1m" });
    const backups = await open();
    const archives = () => readdirSync(directory).filter((name) => name.includes(".tar"));
    fake.fault = () => s3Error(403, "AccessDenied");
    await backups.job!.run();
    const [first] = archives();
    expect(errors).toEqual([
      expect.stringContaining(
        `the backup into ${directory} and s3://bucket/some/prefix failed: the object storage refuses access`,
      ),
    ]);
    expect(backups.state()).toMatchObject({ arrived: null, failure: { at: "2027-01-31T12:00:00.000Z" } });
    expect(await backups.job!.next!()).toBe(clock.now + HOUR / 4);
    clock.now += HOUR / 4;
    await backups.job!.run();
    expect(archives()).toEqual([first!]);
    fake.fault = () => undefined;
    clock.now += HOUR / 4;
    await backups.job!.run();
    expect([archives(), stored(), backups.state().failure]).toEqual([[first!], [first!], null]);
    const option = (setting: string) => `--${setting}`;
    expect(checkBackups(backups.state(), clock.now, option).map(({ status }) => status)).toEqual([
      "ok",
      "ok",
    ]);
    expect(checkBackups(backups.state(), clock.now + 2 * HOUR, option)).toMatchObject([
      { check: "backup", status: "warning" },
      {
        check: "backup arrived",
        status: "warning",
        message: expect.stringContaining("s3://bucket/some/prefix"),
      },
    ]);
    // One of each of two days, and of a month, which is one of them.
    for (let days = 0; days < 3; days += 1) {
      clock.now += 24 * HOUR;
      await backups.job!.run();
    }
    expect(stored()).toEqual(archives().toSorted());
    expect(stored().map((name) => name.slice(14, 22))).toEqual(["20270202", "20270203"]);
  }, 60_000);

  test.each(["after it", "while it is uploaded"])(
    "do not wait for the time of one that came from a clock which is set back %s",
    async (when) => {
      const { clock, errors, open } = await begin();
      const backups = await open();
      const setBack = () => void (clock.now -= 24 * 365 * HOUR);
      if (when !== "after it")
        fake.after = ({ method }) => {
          if (method !== "PUT") return undefined;
          setBack();
          fake.after = () => undefined;
          return undefined;
        };
      await backups.job!.run();
      if (when === "after it") setBack();
      // One of the same process, and one that reads what it recorded.
      for (const each of [backups, await open()]) {
        expect(await each.job!.next!()).toBeLessThanOrEqual(clock.now);
        await each.job!.run();
        expect(await each.job!.next!()).toBe(clock.now + HOUR);
        setBack();
      }
      expect(errors).toEqual([]);
      expect(stored().map((name) => name.slice(14, 18))).toEqual(["2025", "2026", "2027"]);
    },
    60_000,
  );

  test("never are an archive in the clear, once they are encrypted", async () => {
    const directory = join(tempDirectory(), "backups");
    mkdirSync(directory);
    const plain = await begin({ directory, bucket: null });
    await (await plain.open()).job!.run();
    const { clock, open, errors } = await begin({ directory, recipients: [RECIPIENT] });
    clock.now += HOUR / 2;
    await (await open()).job!.run();
    expect(errors).toEqual([]);
    expect(stored()).toEqual(["formflag-auto-20270131T123000Z.tar.age"]);
  }, 60_000);
});
