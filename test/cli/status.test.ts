import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { VERSION } from "../../cli/version.ts";
import type { Status } from "../../src/maintenance/status.ts";
import { eventually } from "../support/eventually.ts";
import { emptyData, environment, formflag, onData } from "../support/commands.ts";
import { EXECUTABLE, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

describe("status", () => {
  test("without a server says so with exit 6, and shows the data", async () => {
    const data = tempDirectory();
    await onData(data).run("forms", "create", "contact");
    const { code, stdout, stderr } = await onData(data).run("status");
    expect({ code, stderr }).toEqual({ code: 6, stderr: "" });
    expect(stdout).toContain("none runs here: formflag serve starts one\n");
    expect(stdout).toContain(`data         ${data}\n`);
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    const json = JSON.parse((await onData(data).run("status", "--json")).stdout) as Status;
    expect(json).toMatchObject({
      startedAt: null,
      address: null,
      data,
      database: { kind: "sqlite", name: "formflag.db", bytes: expect.any(Number) },
      queue: { waiting: 0, failed: 0 },
      backup: { every: null, last: null, failure: null },
    });
    expect((await formflag(["status", "--data", join(data, "none")])).code).toBe(3);
  });

  test("names the last backup that was made by hand", async () => {
    const data = tempDirectory();
    await onData(data).run("forms", "create", "contact");
    const file = join(tempDirectory(), "b.tar");
    expect((await onData(data).run("backup", "create", "-o", file)).code).toBe(0);
    expect((await onData(data).run("status")).stdout).toMatch(
      new RegExp(`last backup  2\\d{3}-\\S+Z, \\S+ KB, ${file}\n`),
    );
  });
});

describe("a running server", () => {
  test("shows its status here and over the admin API, and sends a backup that is verified", async () => {
    const directory = join(tempDirectory(), "backups");
    const { data, url, stop } = await startServer(["--backup-dir", directory, "--backup-keep", "2"]);
    await onData(data).run("forms", "create", "contact");
    const here = await onData(data).run("status");
    expect({ code: here.code, stderr: here.stderr }).toEqual({ code: 0, stderr: "" });
    expect(here.stdout).toContain(`address      ${url}\n`);
    expect(here.stdout).toContain(`backups      every 1 day into ${directory}, 2 kept`);
    const token = async (...scope: string[]) =>
      (await onData(data).json<{ token: string }>("tokens", "create", scope.at(-1)!, ...scope)).token;
    const admin = { FORMFLAG_SERVER: url, FORMFLAG_TOKEN: await token("--scope", "admin") };
    const there = await formflag(["status", "--json"], { env: admin });
    expect(there.code).toBe(0);
    expect(JSON.parse(there.stdout)).toMatchObject({ address: url, data, backup: { keep: 2 } });

    const lastOf = async () =>
      (JSON.parse((await formflag(["status", "--json"], { env: admin })).stdout) as Status).backup.last;
    await eventually("the first backup of the schedule", async () => (await lastOf()) !== null);
    const cwd = tempDirectory();
    const saved = await formflag(["backup", "create", "-o", "b.tar", "--json"], { env: admin, cwd });
    expect({ code: saved.code, stderr: saved.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(saved.stdout)).toMatchObject({ file: "b.tar", submissions: 0, files: 0 });
    const sha256 = new Bun.CryptoHasher("sha256").update(readFileSync(join(cwd, "b.tar"))).digest("hex");
    expect(JSON.parse(saved.stdout)).toMatchObject({ sha256 });
    expect((await formflag(["backup", "verify", join(cwd, "b.tar")])).code).toBe(0);
    const reader = { ...admin, FORMFLAG_TOKEN: await token("--scope", "read") };
    const refused = await formflag(["backup", "create", "-o", "c.tar"], { env: reader, cwd });
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(existsSync(join(cwd, "c.tar"))).toBe(false);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain("formflag_backup_failing 0\n");
    await stop();
    expect(readdirSync(data)).not.toContain("backup.tmp");
  }, 60_000);
});

describe("a server that runs another executable than the command", () => {
  /** A server that runs a copy of the executable, and what that and this one say of it. */
  async function serveCopy() {
    const copy = join(tempDirectory(), "formflag");
    copyFileSync(EXECUTABLE, copy);
    const { data } = await startServer([], { under: ["sh", "-c", 'shift; exec "$0" "$@"', copy] });
    const env = environment({ HOME: tempDirectory() });
    const by = (file: string, command: string) =>
      Bun.spawnSync([file, command, "--data", data], { env }).stdout.toString();
    return { copy, by };
  }

  test("is said by status and doctor, as one of the same version", async () => {
    const { copy, by } = await serveCopy();
    const said = `the server runs formflag ${VERSION} of ${copy}, and this is ${VERSION} of ${EXECUTABLE}`;
    expect(by(EXECUTABLE, "status")).toContain(`executable   ${said}: type ${copy} for commands`);
    expect(by(EXECUTABLE, "doctor")).toMatch(new RegExp(`^ok +executable +${said}$`, "m"));
    expect(by(copy, "status")).not.toContain("executable");
    expect(by(copy, "doctor")).toMatch(new RegExp(`^ok +executable +${copy}, formflag ${VERSION}$`, "m"));
  });

  test("is one that was replaced, until the server is started again", async () => {
    const { copy, by } = await serveCopy();
    copyFileSync(EXECUTABLE, `${copy}.new`);
    renameSync(`${copy}.new`, copy);
    const said = `${copy} was replaced after its start`;
    expect(by(copy, "status")).toContain(said);
    expect(by(copy, "doctor")).toMatch(
      new RegExp(`^warning +executable +.*${said}.*\\n.*→ start the server again`, "m"),
    );
  });
});

test("doctor says that the service would run an executable that is not there", async () => {
  const [config, data] = [tempDirectory(), emptyData()];
  mkdirSync(join(config, "systemd/user"), { recursive: true });
  writeFileSync(
    join(config, "systemd/user/formflag.service"),
    `ExecStart=/nonexistent/formflag serve --data ${data}\n`,
  );
  const { stdout } = await formflag(["doctor", "--data", data], { env: { XDG_CONFIG_HOME: config } });
  expect(stdout).toMatch(
    /^warning +executable +the service runs \/nonexistent\/formflag, which does not exist, .*\n.*→ formflag service install/m,
  );
});
