import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { EXECUTABLE, runExecutable, startServer } from "../support/executable.ts";
import { rootsOf } from "../support/pages/pages.ts";
import { DISK, tempDirectory } from "../support/temp.ts";
import { clientOf, jsonSubmission, multipartSubmission, prepare, seededRandom, sha256 } from "./load.ts";
import { need } from "../support/needs.ts";

const PAGE = 4096;
const random = seededRandom(1);

/** A data directory with submissions, one of them with files, whose server was stopped or is killed. */
async function fill(signal: NodeJS.Signals) {
  const data = tempDirectory(DISK);
  const keys = await prepare(data);
  const server = await startServer([], { data });
  const client = clientOf(server.url, keys);
  for (let count = 0; count < 10; count += 1) await client.submit(jsonSubmission(random));
  const { id } = (await (await client.submit(multipartSubmission(random))).json()) as { id: string };
  await server.stop(signal);
  return { data, keys, id };
}

const stopped = await fill("SIGTERM");
const killed = await fill("SIGKILL");

function copyOf(data: string): string {
  const copy = join(tempDirectory(DISK), "data");
  cpSync(data, copy, { recursive: true });
  return copy;
}

/** Everything in a directory, with the bytes of the files. */
function contentOf(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(
    paths.map((path) => [path, statSync(path).isFile() ? sha256(readFileSync(path)) : "directory"]),
  );
}

function overwrite(file: string, start: number, length: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, random.bytes(length), 0, length, start);
  closeSync(descriptor);
}

function run(file: string, ...statements: string[]): void {
  using db = new Database(file);
  for (const sql of statements) db.run(sql);
}

const DAMAGED = "is not a database, or is damaged";
const RESTORE = "restore it from a backup";

const COMMANDS = [["serve", "--listen", "127.0.0.1:0"], ["projects", "list"], ["check"]];

type Bad = [what: string, make: (file: string) => void, code: number, message: string, hint: string];

describe("a data directory is refused and left as it was, byte for byte, when its database", () => {
  const cases: Bad[] = [
    ["has another header", (file) => overwrite(file, 0, 100), 1, DAMAGED, RESTORE],
    ["was cut in half", (file) => truncateSync(file, 10 * PAGE), 1, DAMAGED, RESTORE],
    ["was cut in its first page", (file) => truncateSync(file, PAGE / 2), 1, DAMAGED, RESTORE],
    ["was cut to nothing", (file) => truncateSync(file, 0), 1, "is empty, but has held data", RESTORE],
    ["is a text", (file) => writeFileSync(file, "Dear diary,\n".repeat(1000)), 1, DAMAGED, RESTORE],
    [
      "is of another program",
      (file) => run(file, "PRAGMA application_id = 4711"),
      1,
      "another program",
      "--data",
    ],
    [
      "is of a newer formflag",
      (file) => run(file, "PRAGMA user_version = 4711"),
      1,
      "newer formflag",
      "run that newer formflag",
    ],
    [
      "is a folder",
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
      4,
      "cannot be opened",
      "--data",
    ],
  ];
  test.each(cases)("%s", async (_, make, code, message, hint) => {
    const data = copyOf(stopped.data);
    make(join(data, "formflag.db"));
    const before = contentOf(data);
    for (const command of COMMANDS) {
      const result = await runExecutable([...command, "--data", data]);
      expect({ command, code: result.code, stdout: result.stdout }).toEqual({ command, code, stdout: "" });
      expect(result.stderr).toContain(join(data, "formflag.db"));
      expect(result.stderr).toContain(message);
      expect(result.stderr).toMatch(new RegExp(`^hint: .*${hint}`, "m"));
      expect(contentOf(data)).toEqual(before);
    }
  });

  test("was cut to nothing beside its log", async () => {
    const data = copyOf(killed.data);
    rmSync(join(data, "uploads"), { recursive: true });
    truncateSync(join(data, "formflag.db"), 0);
    const before = contentOf(data);
    for (const command of COMMANDS) {
      const { code, stderr } = await runExecutable([...command, "--data", data]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("is empty") });
      expect(contentOf(data)).toEqual(before);
    }
  });

  test("refers to files, and the upload directory is missing", async () => {
    const data = copyOf(stopped.data);
    const uploads = join(data, "uploads");
    rmSync(uploads, { recursive: true });
    const before = contentOf(data);
    for (const command of COMMANDS) {
      const { code, stderr } = await runExecutable([...command, "--data", data]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${uploads} is missing`) });
      expect(stderr).toContain(`mkdir -m 700 ${uploads}`);
      expect(contentOf(data)).toEqual(before);
    }
    // As the hint says.
    mkdirSync(uploads, { mode: 0o700 });
    const server = await startServer([], { data });
    expect((await clientOf(server.url, stopped.keys).stored()).map(({ id }) => id)).toContain(stopped.id);
    expect(await server.stop()).toBe(0);
    const { code, stdout } = await onData(data, runExecutable).run("check");
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("missing") });
  });
});

test("without any file the upload directory is made anew", async () => {
  const data = join(tempDirectory(DISK), "data");
  await onData(data, runExecutable).json("forms", "create", "contact");
  rmSync(join(data, "uploads"), { recursive: true });
  const server = await startServer([], { data });
  expect(await server.stop()).toBe(0);
});

test("an empty database file in an otherwise empty directory is a new one", async () => {
  const data = tempDirectory(DISK);
  writeFileSync(join(data, "formflag.db"), "", { mode: 0o600 });
  expect((await onData(data, runExecutable).run("projects", "create", "shop")).code).toBe(0);
});

test("without its log a database is whole, and lacks what stood only there", async () => {
  const data = copyOf(killed.data);
  for (const end of ["-wal", "-shm"]) rmSync(join(data, `formflag.db${end}`));
  const { code, stdout } = await onData(data, runExecutable).run("check");
  expect({ code, kinds: [...new Set(stdout.match(/^(missing|damaged|orphan|database)/gm))] }).toEqual({
    code: 1,
    kinds: ["orphan"],
  });
});

describe("a database with pages overwritten in its middle", () => {
  const data = copyOf(stopped.data);
  const file = join(data, "formflag.db");
  for (const start of rootsOf(file, "forms", "projects", "environments", "flags"))
    overwrite(file, start, PAGE);

  test("is found damaged by a check, and left as it was", async () => {
    const before = contentOf(data);
    const { code, stdout } = await onData(data, runExecutable).run("check");
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^database +formflag\.db/m) });
    expect(contentOf(data)).toEqual(before);
  });

  test("answers no request with what it cannot read", async () => {
    const server = await startServer([], { data });
    const client = clientOf(server.url, stopped.keys);
    const statuses = [
      (await client.submit(jsonSubmission(random))).status,
      (await client.readFlag("sale")).status,
      (await client.admin("/forms/contact/submissions/export")).status,
    ];
    expect(statuses).toEqual([503, 503, 503]);
    await server.stop();
  });
});

/** Runs the executable where a directory is mounted read-only; exit code 77 if this machine does not allow that. */
async function onReadOnly(directory: string, args: string[]) {
  const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; shift; exec "$@"';
  const child = Bun.spawn(["unshare", "-rm", "sh", "-c", script, "sh", directory, EXECUTABLE, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  afterAll(() => child.kill("SIGKILL"));
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

const mounts = need(
  Bun.which("unshare") !== null && (await onReadOnly(tempDirectory(DISK), ["--version"])).code === 0,
  "a read-only disk: this machine allows no mounts",
);

describe.skipIf(!mounts)("a disk that is mounted read-only", () => {
  const disks: [string, () => string][] = [
    ["with a data directory", () => copyOf(stopped.data)],
    ["with the log of a server that was killed", () => copyOf(killed.data)],
  ];
  test.each([...disks, ["that is empty", () => tempDirectory(DISK)] as const])(
    "%s is left as it was by what writes, which says that it is read-only",
    async (_, make) => {
      const data = make();
      const before = contentOf(data);
      const backup = join(tempDirectory(DISK), "backup.tar");
      expect((await onData(stopped.data, runExecutable).run("backup", "create", "-o", backup)).code).toBe(0);
      for (const command of [
        COMMANDS[0]!,
        ["forms", "create", "more"],
        ["backup", "restore", backup, "--replace", "--yes"],
      ]) {
        const { code, stdout, stderr } = await onReadOnly(data, [...command, "--data", data]);
        expect({ isRefused: code === 4 || code === 6, stdout }).toEqual({ isRefused: true, stdout: "" });
        expect(stderr).toMatch(/read-only/);
        expect(stderr).not.toContain("internal error");
      }
      expect(contentOf(data)).toEqual(before);
    },
  );

  test.each(disks)("%s is read: lists, exports, checks and backups work", async (_, make) => {
    const data = make();
    const before = contentOf(data);
    const out = tempDirectory(DISK);
    const read = async (...args: string[]) => {
      const { code, stdout, stderr } = await onReadOnly(data, [...args, "--data", data]);
      expect({ args, code, stderr: stderr.replaceAll(/^warning: .*\n/gm, "") }).toEqual({
        args,
        code: 0,
        stderr: "",
      });
      return stdout;
    };
    expect(JSON.parse(await read("submissions", "list", "contact", "--json"))).toHaveLength(11);
    expect((await read("submissions", "export", "contact")).trim().split("\n")).toHaveLength(11);
    await read("submissions", "export", "contact", "--format", "zip", "-o", join(out, "all.zip"));
    await read("flags", "list", "-p", "shop", "-e", "production");
    expect(await read("export")).toContain("contact");
    expect(await read("check")).toContain("all is well");
    const backup = join(out, "backup.tar");
    expect(await read("backup", "create", "-o", backup)).toContain("saved 11 submissions");
    expect((await runExecutable(["backup", "verify", backup])).stdout).toContain("is sound: 11 submissions");
    expect(contentOf(data)).toEqual(before);
  });
});
