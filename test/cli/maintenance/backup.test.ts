import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setClock } from "../../../src/base/clock.ts";
import { describe, expect, test } from "bun:test";
import { isLocked } from "../../../src/store/sqlite/lock.ts";
import { makeArchive, openForm, rewrite, submissionsIn } from "../../support/records/archive.ts";
import { eventually } from "../../support/eventually.ts";
import { formflag, onData } from "../../support/commands.ts";
import { EXECUTABLE } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

const sound = await makeArchive();

describe("a backup", () => {
  test("made while submissions come and go is whole, and restored it is what the server held", async () => {
    const { server, submit, run, json, archive } = await openForm();
    for (let round = 0; round < 10; round += 1) await submit(`before ${round}`, `file ${round}`, "more");
    const done = new AbortController();
    const sent = new Set<string>();
    const load = async (name: string) => {
      for (let round = 0; !done.signal.aborted; round += 1) {
        const id = await submit(`${name} ${round}`, `bytes of ${name} ${round}`);
        if (round % 2 === 0) sent.add(id);
        else await run("submissions", "delete", id, "--yes");
      }
    };
    const loads = [load("a"), load("b"), load("c")];
    const before = await submissionsIn(server.data);
    for (let round = 0; round < 3; round += 1) {
      const file = `${archive}.${round}`;
      const made = await json<{ files: number; submissions: number; bytes: number; sha256: string }>(
        "backup",
        "create",
        "-o",
        file,
      );
      expect(made.bytes).toBe(statSync(file).size);
      expect(made.sha256).toBe(new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex"));
      expect((await formflag(["backup", "verify", file])).code).toBe(0);

      const restored = join(tempDirectory(), "data");
      const { code, stdout } = await onData(restored).run("backup", "restore", file);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("restored ") });
      const checked = await onData(restored).json<{ files: number; problems: unknown[] }>("check");
      expect(checked).toMatchObject({ files: made.files, problems: [] });
      const after = await submissionsIn(restored);
      expect(after).toHaveLength(made.submissions);
      const ids = new Set(after.map(({ id }) => id));
      expect(
        before.filter(({ id, data }) => String(data["text"]).startsWith("before") && !ids.has(id)),
      ).toEqual([]);
    }
    done.abort();
    await Promise.all(loads);
    expect(sent.size).toBeGreaterThan(0);
    expect(readdirSync(server.data).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(readdirSync(join(server.data, "uploads", "staging"))).toEqual([]);
  }, 60_000);

  test("is a plain tar file laid out like the data directory, with a manifest of sums, its owner's alone", async () => {
    const { archive, entries } = sound;
    expect((statSync(archive).mode & 0o777).toString(8)).toBe("600");
    const names = entries.map(({ header }) => header.name);
    expect(names.slice(0, 2)).toEqual(["manifest.json", "formflag.db"]);
    const manifest = JSON.parse(new TextDecoder().decode(entries[0]!.data)) as Record<string, unknown>;
    expect(manifest).toMatchObject({ format: 1, submissions: 2, files: 3, bytes: 9 });
    expect(manifest["entries"]).toEqual(
      entries.slice(1).map(({ header, data }) => ({
        path: header.name,
        size: data!.byteLength,
        sha256: new Bun.CryptoHasher("sha256").update(data!).digest("hex"),
      })),
    );
    const data = tempDirectory();
    for (const { header, data: bytes } of entries) {
      mkdirSync(join(data, header.name, ".."), { recursive: true });
      writeFileSync(join(data, header.name), bytes!);
    }
    expect(await onData(data).json("check")).toMatchObject({ files: 3, problems: [] });
  });

  test("is compressed if its name ends in .gz; one that is cut off is not sound", async () => {
    const { run, archive } = await openForm();
    const file = `${archive}.gz`;
    expect((await run("backup", "create", "-o", file)).code).toBe(0);
    const bytes = readFileSync(file);
    expect(Buffer.from(Bun.gunzipSync(bytes)).includes("manifest.json")).toBe(true);
    expect((await formflag(["backup", "verify", file])).code).toBe(0);
    const restored = join(tempDirectory(), "data");
    expect((await onData(restored).run("backup", "restore", file)).code).toBe(0);
    writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    expect(await formflag(["backup", "verify", file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is damaged"),
    });
  });

  test("is listed and verified where a variable or a login names a server, which has no part in it", async () => {
    const HOME = tempDirectory();
    mkdirSync(join(HOME, ".config/formflag"), { recursive: true });
    writeFileSync(join(HOME, ".config/formflag/config.json"), '{"server":"http://127.0.0.1:9"}');
    const file = sound.archive;
    for (const env of [{ FORMFLAG_SERVER: "http://127.0.0.1:9" }, { HOME }] as Record<string, string>[]) {
      expect(await formflag(["backup", "verify", file], { env })).toMatchObject({ code: 0, stderr: "" });
      const listed = await formflag(["backup", "list", join(file, ".."), "--json"], { env });
      expect(JSON.parse(listed.stdout)).toMatchObject([{ file }]);
    }
    const named = await formflag(["backup", "verify", file, "--server", "http://127.0.0.1:9"]);
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("not with --server")]);
  });

  test("goes to standard output, whole", async () => {
    const { server, submit } = await openForm();
    await submit("one", "x".repeat(300_000));
    const child = Bun.spawn([EXECUTABLE, "backup", "create", "-o", "-", "--data", server.data], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const file = join(tempDirectory(), "piped.tar");
    writeFileSync(file, await new Response(child.stdout).bytes());
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe("");
    expect((await formflag(["backup", "verify", file])).code).toBe(0);
  });

  test("keeps the files it still needs while the reader of its pipe takes nothing, and no longer", async () => {
    const { server, submit, run } = await openForm();
    // More than a pipe and the archive's own buffer take.
    const content = "x".repeat(1_000_000);
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1)
      ids.push(await submit("one", ...Array.from({ length: 5 }, () => content)));
    const last = await submit("last", "stays");
    const pipe = join(tempDirectory(), "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    const child = Bun.spawn([EXECUTABLE, "backup", "create", "-o", pipe, "--data", server.data]);
    const left = () =>
      readdirSync(join(server.data, "uploads"), { recursive: true }).filter((name) =>
        /\.\d+$/.test(String(name)),
      );
    await eventually("the copy is made", () => existsSync(join(server.data, "backup.tmp", "manifest.json")));
    for (const id of ids) expect((await run("submissions", "delete", id, "--yes")).code).toBe(0);
    expect(left()).toHaveLength(16);

    const file = join(tempDirectory(), "piped.tar");
    await Bun.spawn(["sh", "-c", 'cat "$0" > "$1"', pipe, file]).exited;
    expect(await child.exited).toBe(0);
    const verified = await formflag(["backup", "verify", file, "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ files: 16, submissions: 4 });
    expect(left()).toEqual([expect.stringContaining(last)]);
    expect(await run("check")).toMatchObject({ code: 0 });
  }, 60_000);

  test("has a name of its own unless told, and replaces a file only with --yes", async () => {
    const { server, archive } = await openForm();
    const cwd = tempDirectory();
    const { stdout } = await formflag(["backup", "create", "--data", server.data], { cwd });
    const [name] = readdirSync(cwd);
    expect(name).toMatch(/^formflag-backup-\d{8}T\d{6}Z\.tar$/);
    expect(stdout).toContain(name!);
    writeFileSync(archive, "precious");
    const create = ["backup", "create", "-o", archive, "--data", server.data];
    expect(await formflag(create)).toMatchObject({ code: 5, stderr: expect.stringContaining("--yes") });
    expect(readFileSync(archive, "utf8")).toBe("precious");
    expect((await formflag([...create, "--yes"])).code).toBe(0);
    expect((await formflag(["backup", "verify", archive])).code).toBe(0);
  });

  test.each(["b.tar.zst", "b.zip"])("is not written as %s, which it is not", async (name) => {
    const { server } = await openForm();
    const folder = tempDirectory();
    const args = ["backup", "create", "-o", join(folder, name), "--data", server.data];
    const { code, stderr } = await formflag(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("plain or in gzip") });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is refused where a file is lost or damaged, and leaves nothing", async () => {
    const { server, submit, run, archive } = await openForm();
    const id = await submit("one", "abc");
    const stored = join(server.data, "uploads", id.slice(-2), `${id}.1`);
    for (const damage of ["abcd", "abx", "ab"]) {
      writeFileSync(stored, damage);
      const { code, stderr } = await run("backup", "create", "-o", archive);
      expect({ damage, code, stderr }).toEqual({
        damage,
        code: 1,
        stderr: expect.stringContaining("other bytes"),
      });
    }
    renameSync(stored, join(tempDirectory(), "elsewhere"));
    const { code, stderr } = await run("backup", "create", "-o", archive);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("is missing: 0.txt of submission"),
    });
    expect(readdirSync(join(archive, ".."))).toEqual([]);
    expect(readdirSync(server.data)).not.toContain("backup.tmp");
  });

  test("that is interrupted leaves nothing, and what a killed one left the next one removes", async () => {
    const { server, submit, run, archive } = await openForm();
    // More than is held in memory on the way.
    const megabyte = "x".repeat(1024 * 1024);
    for (const text of ["one", "two"]) await submit(text, ...Array<string>(5).fill(megabyte));
    const pipe = join(tempDirectory(), "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    const temporary = join(server.data, "backup.tmp");
    const isHeld = () => isLocked(join(server.data, "hold.lock"));
    const stalled = async () => {
      // Nobody reads the pipe.
      const child = Bun.spawn([EXECUTABLE, "backup", "create", "-o", pipe, "--data", server.data]);
      await eventually("the copy is made", () => existsSync(join(temporary, "manifest.json")));
      expect(isHeld()).toBe(true);
      return child;
    };
    const interrupted = await stalled();
    expect(await run("backup", "create", "-o", archive)).toMatchObject({ code: 6 });
    interrupted.kill("SIGINT");
    expect(await interrupted.exited).toBe(130);
    expect([existsSync(temporary), isHeld()]).toEqual([false, false]);

    const killed = await stalled();
    killed.kill("SIGKILL");
    await killed.exited;
    expect([existsSync(temporary), isHeld()]).toEqual([true, false]);
    expect((await run("backup", "create", "-o", archive)).code).toBe(0);
    expect([existsSync(temporary), isHeld()]).toEqual([false, false]);
  });

  test("shows its progress on a terminal alone, and not where quiet or JSON was asked for", async () => {
    const { server, submit } = await openForm();
    await submit("one", "x".repeat(1_000_000));
    const seen = async (...args: string[]) => {
      const shown: Uint8Array[] = [];
      const terminal = { data: (_: unknown, bytes: Uint8Array) => void shown.push(bytes.slice()) };
      const output = join(tempDirectory(), "x.tar");
      const command = [EXECUTABLE, "backup", "create", "-o", output, "--data", server.data, ...args];
      const child = Bun.spawn(command, { terminal });
      expect(await child.exited).toBe(0);
      return Buffer.concat(shown).toString();
    };
    expect(await seen()).toMatch(/█.* %.* of archive/);
    for (const option of ["--quiet", "--json"]) expect(await seen(option)).not.toContain("%");
  });

  test("that the disk has no room for is unavailable", async () => {
    const { submit, run } = await openForm();
    await submit("one", "abc");
    const { code, stderr } = await run("backup", "create", "-o", "/dev/full");
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining("the disk is full") });
  });

  test("of a server elsewhere is made there, which the error says", async () => {
    for (const args of [
      ["verify", "x"],
      ["restore", "x"],
    ]) {
      const { code, stderr } = await formflag(["backup", ...args, "--server", "http://127.0.0.1:1"]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining("run it where the data is"),
      });
    }
  });

  test("is told of in words that fit what is missing", async () => {
    const missing = join(tempDirectory(), "none");
    expect(await onData(missing).run("backup", "create")).toMatchObject({ code: 3 });
    expect(existsSync(missing)).toBe(false);
    expect(await formflag(["backup", "verify", missing])).toMatchObject({ code: 3 });
    expect(await onData(missing).run("backup", "restore", join(missing, "x.tar"))).toMatchObject({ code: 3 });
    expect(existsSync(missing)).toBe(false);
  });
});

describe("a restore", () => {
  test("into a directory with data needs --replace, which keeps that data aside", async () => {
    const { archive } = sound;
    const { server, submit, run } = await openForm();
    await submit("kept aside", "xyz");
    expect(await run("backup", "restore", archive)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("--replace"),
    });
    expect(await run("backup", "restore", archive, "--replace")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("another formflag serves"),
    });
    // A crash leaves a write-ahead log, which belongs to the old database alone.
    await server.stop("SIGKILL");
    expect(existsSync(join(server.data, "formflag.db-wal"))).toBe(true);
    const restored = await onData(server.data).json<{ before: string }>(
      "backup",
      "restore",
      archive,
      "--replace",
    );
    expect(restored.before).toMatch(/\.before-restore-\d{8}T\d{6}Z$/);
    expect((await submissionsIn(server.data)).map(({ data }) => data["text"])).toEqual(["two", "one"]);
    expect((await submissionsIn(restored.before)).map(({ data }) => data["text"])).toEqual(["kept aside"]);
    for (const data of [server.data, restored.before])
      expect(await onData(data).json("check")).toMatchObject({ problems: [] });
    expect(readdirSync(server.data).filter((name) => /tmp|manifest/.test(name))).toEqual([]);
  });

  test("and a backup within the same second as another have names of their own", async () => {
    const { archive } = sound;
    const { server, run } = await openForm();
    await server.stop();
    const cwd = tempDirectory();
    const at = Date.parse("2027-01-31T12:00:00.900Z");
    setClock({ now: () => at });
    try {
      const asides = [];
      for (let count = 0; count < 3; count += 1) {
        const { stdout } = await run("backup", "restore", archive, "--replace", "--json");
        asides.push((JSON.parse(stdout) as { before: string }).before);
        expect(await formflag(["backup", "create", "--data", server.data], { cwd })).toMatchObject({
          code: 0,
        });
      }
      const ends = ["", "-2", "-3"];
      expect(asides).toEqual(ends.map((end) => `${server.data}.before-restore-20270131T120000Z${end}`));
      for (const aside of asides) expect((await onData(aside).run("check")).code).toBe(0);
      const names = ends.map((end) => `formflag-backup-20270131T120000Z${end}.tar`);
      expect(readdirSync(cwd).toSorted()).toEqual(names.toSorted());
    } finally {
      setClock();
    }
  });

  test("that is refused, interrupted or killed leaves the old data in use", async () => {
    const { archive, entries } = sound;
    const { server, submit, run } = await openForm();
    await submit("still here", "xyz");
    await server.stop();
    const isOld = async () =>
      expect((await submissionsIn(server.data)).map(({ data }) => data["text"])).toEqual(["still here"]);
    const broken = await rewrite(entries.slice(0, -1));
    expect((await run("backup", "restore", broken, "--replace")).code).toBe(1);
    await isOld();

    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      // A pipe that gives all but the end of an archive. One that was used may still hold what nobody read.
      const pipe = join(tempDirectory(), "pipe");
      Bun.spawnSync(["mkfifo", pipe]);
      const child = Bun.spawn([EXECUTABLE, "backup", "restore", pipe, "--replace", "--data", server.data]);
      const feed = 'exec > "$1"; head -c 100000 "$0"; exec sleep 60';
      const feeder = Bun.spawn(["sh", "-c", feed, archive, pipe]);
      await eventually("it unpacks", () => existsSync(join(server.data, "restore.tmp", "foreign.db")));
      child.kill(signal);
      await child.exited;
      feeder.kill();
      await isOld();
    }
    expect((await run("backup", "restore", archive, "--replace")).code).toBe(0);
    expect(readdirSync(join(server.data))).not.toContain("restore.tmp");
  });
});
