import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { readBackups } from "../../../cli/data/backups.ts";
import { lockBackup, openApp } from "../../../cli/data/open.ts";
import { createBackups } from "../../../cli/serve/backups/backups.ts";
import { readBackup } from "../../../cli/serve/backups/schedule-options.ts";
import { type Log, createLog } from "../../../cli/serve/log.ts";
import { AppError } from "../../../src/base/errors.ts";
import { checkBackups } from "../../../src/maintenance/doctor/backups.ts";
import { environment, formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const HOUR = 3_600_000;

/** A data directory with a form, and the backups of a server on it, whose clock stands still until it is moved. */
async function begin(keep = 2) {
  const data = tempDirectory();
  await onData(data).run("forms", "create", "contact");
  const directory = join(tempDirectory(), "backups");
  const app = await openApp({ data, writing: "inline" });
  const clock = { now: Date.parse("2027-01-31T12:00:00Z") };
  app.now = () => clock.now;
  const [lines, errors]: [string[], string[]] = [[], []];
  const log = {
    line: (_level, text) => void lines.push(text),
    error: (error) => void errors.push(String(error)),
  } as Log;
  const settings = { directory, bucket: null, every: 3600, keep, recipients: [] };
  const env = environment({ FORMFLAG_DATA: data });
  const open = () => createBackups(app, { settings, data, env, log });
  const archives = () => readdirSync(directory).filter((name) => name.includes(".tar"));
  return { data, directory, app, clock, lines, errors, open, archives };
}

describe("backups on a schedule", () => {
  test("are made, verified and counted, and only the newest kept", async () => {
    const { data, directory, clock, lines, errors, open, archives } = await begin();
    mkdirSync(directory);
    writeFileSync(join(directory, "formflag-auto-20270101T000000Z.tar.unverified"), "of a killed server");
    writeFileSync(join(directory, "formflag-backup-20200101T000000Z.tar"), "made by hand");
    const backups = await open();
    for (let hours = 0; hours < 3; hours += 1) {
      await backups.job!.run();
      // The second run finds nothing due.
      await backups.job!.run();
      expect(await backups.job!.next!()).toBe(clock.now + HOUR);
      clock.now += HOUR;
    }
    expect(errors).toEqual([]);
    expect(archives().toSorted()).toEqual([
      "formflag-auto-20270131T130000Z.tar",
      "formflag-auto-20270131T140000Z.tar",
      "formflag-backup-20200101T000000Z.tar",
    ]);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toStartWith("made the backup formflag-auto-20270131T140000Z.tar and verified it (");
    const file = join(directory, "formflag-auto-20270131T140000Z.tar");
    expect(backups.state()).toMatchObject({
      directory,
      every: 3600,
      keep: 2,
      last: { at: "2027-01-31T14:00:00.000Z", file },
      failure: null,
      next: "2027-01-31T15:00:00.000Z",
    });
    expect((await formflag(["backup", "verify", file])).stdout).toContain("is sound: ");
    expect(readBackups(data).last?.file).toBe(file);
    // A server that starts again goes on with the same schedule.
    clock.now -= HOUR / 2;
    expect(await (await open()).job!.next!()).toBe(Date.parse("2027-01-31T15:00:00Z"));
  }, 60_000);

  test("do not wait for an archive from a clock that was ahead, and leave what only has the name of one", async () => {
    const { directory, clock, errors, open, archives } = await begin(1);
    const others = ["formflag-auto-20200101T000000Z.tar", "formflag-auto-20990101T000000Z.tar"];
    mkdirSync(join(directory, others[0]!), { recursive: true });
    writeFileSync(join(directory, others[1]!), "of another time");
    const backups = await open();
    for (const time of ["20270131T120000Z", "20270131T130000Z"]) {
      await backups.job!.run();
      expect(archives().toSorted()).toEqual([others[0]!, `formflag-auto-${time}.tar`, others[1]!]);
      expect(await backups.job!.next!()).toBe(clock.now + HOUR);
      clock.now += HOUR;
    }
    expect(errors).toEqual([]);
  }, 60_000);

  test("that fail are loud, tried again sooner, and leave the older ones", async () => {
    const { directory, app, clock, errors, open, archives } = await begin(1);
    const backups = await open();
    await backups.job!.run();
    const before = archives();
    clock.now += HOUR;
    const stats = app.store.stats.bind(app.store);
    app.store.stats = async () => ({ ...(await stats()), bytes: 2 ** 55 });
    await backups.job!.run();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(
      /the backup into \S+ failed: the disk of the backups has .+ free, and a backup needs/,
    );
    expect(archives()).toEqual(before);
    const { failure } = backups.state();
    expect(failure).toMatchObject({ at: "2027-01-31T13:00:00.000Z" });
    expect(await backups.job!.next!()).toBe(clock.now + HOUR / 4);
    const [report] = checkBackups(backups.state(), clock.now, (setting) => `--${setting}`);
    expect(report).toMatchObject({
      status: "problem",
      message: expect.stringContaining("13:00:00.000Z failed"),
    });
    // Another server of the same data knows of it, and the next success ends it.
    app.store.stats = stats;
    const again = await open();
    expect(again.state().failure).toEqual(failure);
    await again.job!.run();
    expect(again.state().failure).toBeNull();
    expect(archives()).toEqual(["formflag-auto-20270131T130000Z.tar"]);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "a file");
    clock.now += HOUR;
    await again.job!.run();
    expect(again.state().failure?.error).toContain("EEXIST");
  }, 60_000);

  test("of a database that is damaged fail, and no archive gets its name", async () => {
    const { data, errors, app, open, archives } = await begin();
    await app.store.close();
    const db = readFileSync(join(data, "formflag.db"));
    writeFileSync(join(data, "formflag.db"), db.fill(7, 0, 4096));
    const closed = await open();
    app.store.stats = async () => ({ bytes: 1 }) as Awaited<ReturnType<typeof app.store.stats>>;
    app.store.submissions.fileBytes = async () => 1;
    await closed.job!.run();
    expect(errors.join()).toMatch(/failed: .*(damaged|not a database|formflag\.db)/);
    expect(archives()).toEqual([]);
  });

  test("wait while another backup of the data is made", async () => {
    const { data, clock, errors, lines, open } = await begin();
    const backups = await open();
    const unlock = lockBackup(data);
    await backups.job!.run();
    expect([errors, lines]).toEqual([[], []]);
    expect(await backups.job!.next!()).toBe(clock.now + 60_000);
    const refused = await backups.download().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect((refused as AppError).code).toBe("unavailable");
    unlock();
    clock.now += 60_000;
    await backups.job!.run();
    expect(lines).toHaveLength(1);
  });

  test("end with the server, which is no failure", async () => {
    const { errors, open, archives } = await begin();
    const backups = await open();
    const run = backups.job!.run();
    backups.stop();
    await run;
    expect(errors).toEqual([]);
    expect(archives()).toEqual([]);
  });
});

test("a backup that ends with a bug has its stack in the log, on schedule and as a download", async () => {
  const program = join(tempDirectory(), "bug.ts");
  const cli = join(import.meta.dir, "../../../cli");
  writeFileSync(
    program,
    `import { run } from "${cli}/main.ts";
import { processIo } from "${cli}/output/terminal.ts";
Date.prototype.toISOString = () => { throw new TypeError("the cause") };
process.exitCode = await run(process.argv.slice(2), processIo(process.env));
`,
  );
  const { app, data, directory } = await begin();
  let text = "";
  const write = (line: string) => void (text += line);
  const log = createLog({ errIsTerminal: false, note: write, err: write }, { format: "text", level: "info" });
  const env = environment({ FORMFLAG_DATA: data });
  const settings = { directory, bucket: null, every: 3600, keep: 1, recipients: [] };
  const backups = await createBackups(app, {
    settings,
    data,
    env,
    program: [process.execPath, program],
    log,
  });
  for (const make of [backups.job!.run, () => backups.download().catch(log.error)]) {
    text = "";
    await make();
    expect(text).toMatch(
      /internal error: this is a bug in formflag: TypeError: the cause\n\s+at .*bug\.ts:3/,
    );
  }
});

describe("the options of backups", () => {
  test("are an absolute folder, a time and a count", () => {
    expect(readBackup({})).toBeNull();
    expect(readBackup({ backupDir: "/mnt/backup", backupEvery: "6h", backupKeep: "3" })).toEqual({
      directory: "/mnt/backup",
      bucket: null,
      every: 21_600,
      keep: 3,
      recipients: [],
    });
  });

  test.each([
    [{ backupEvery: "often" }, "--backup-every often is not a time"],
    [{ backupEvery: "30s" }, "--backup-every is from 1m to 366d, not 30s"],
    [{ backupKeep: "0" }, "--backup-keep 0 is not a whole number from 1"],
  ])("refuse %j", (options, message) => {
    expect(() => readBackup({ backupDir: "/b", ...options })).toThrow(message);
  });

  test.each([{ backupEvery: "6h" }, { backupKeep: "3" }])("refuse %j without a folder", (options) => {
    expect(() => readBackup(options)).toThrow("needs --backup-dir or --backup-to: no backup would be made");
  });
});
