import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

type Setting = { value: unknown; source: string; environment: string | null };

/** What `config show --json` says of each setting. */
async function shown(args: string[], env: Record<string, string> = {}): Promise<Map<string, Setting>> {
  const { code, stdout, stderr } = await formflag(["config", "show", "--json", ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return new Map(Object.entries(JSON.parse(stdout) as Record<string, Setting>));
}

/** A data directory that holds a project of that name. */
async function dataWith(project: string): Promise<string> {
  const data = tempDirectory();
  await onData(data).run("projects", "create", project);
  return data;
}

async function projectsBy(args: string[], options: { cwd?: string; env?: Record<string, string> }) {
  const { code, stdout } = await formflag([...args, "projects", "list", "--json"], options);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { slug: string }[]).map(({ slug }) => slug);
}

describe("config show", () => {
  test("names each setting with its value, its source and its variable", async () => {
    const settings = await shown(["--data", "/tmp/x"], { FORMFLAG_LISTEN: "127.0.0.1:1234" });
    expect(settings.get("data")).toEqual({
      value: "/tmp/x",
      source: "cli",
      environment: "FORMFLAG_DATA",
    });
    expect(settings.get("listen")).toMatchObject({ value: "127.0.0.1:1234", source: "env" });
    expect(settings.get("server")).toMatchObject({ value: null, environment: "FORMFLAG_SERVER" });
    for (const name of ["token-file", "project", "environment", "public-url", "trusted-proxy"]) {
      expect(settings.get(name)?.environment).toBe(`FORMFLAG_${name.toUpperCase().replace("-", "_")}`);
    }
  });

  test("counts an empty variable as unset", async () => {
    const settings = await shown([], { FORMFLAG_DATA: "", FORMFLAG_SERVER: "", FORMFLAG_TOKEN: "" });
    expect(settings.get("data")).toMatchObject({ value: "./formflag-data", source: "default" });
    expect(settings.get("server")?.value).toBeNull();
    expect(settings.get("token")?.value).toBeNull();
  });

  test("never shows the token, from wherever it comes", async () => {
    const file = join(tempDirectory(), "token");
    await Bun.write(file, "ff_secretInFile\n");
    const env = { FORMFLAG_TOKEN: "ff_secretInVariable", FORMFLAG_TOKEN_FILE: file };
    for (const args of [[], ["--json"]]) {
      const { code, stdout, stderr } = await formflag(["config", "show", ...args], { env });
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain("ff_secret");
      expect(stdout).toContain("FORMFLAG_TOKEN");
    }
  });

  test("says that the switches that turn something off are off until they are given", async () => {
    const usual = await shown([]);
    const given = await shown(["--no-input", "--no-color"]);
    for (const name of ["no-input", "no-color"]) {
      expect({ name, value: usual.get(name)?.value }).not.toEqual({ name, value: true });
      expect({ name, value: given.get(name)?.value }).toEqual({ name, value: true });
    }
  });

  test("shows the options of the server that runs on the data, unless they are given", async () => {
    const { data, stop } = await startServer([
      "--public-url",
      "https://forms.example.com",
      "--hsts",
      "86400",
    ]);
    const beside = await shown(["--data", data, "--hsts", "3600"], { FORMFLAG_LOG_LEVEL: "debug" });
    expect(beside.get("public-url")).toMatchObject({ value: "https://forms.example.com", source: "server" });
    expect(beside.get("listen")).toMatchObject({ value: "127.0.0.1:0", source: "server" });
    expect(beside.get("hsts")).toMatchObject({ value: "3600", source: "cli" });
    expect(beside.get("log-level")).toMatchObject({ value: "debug", source: "env" });
    expect(beside.get("smtp-url")).toMatchObject({ value: null, source: "unset" });
    await stop();
    expect((await shown(["--data", data])).get("public-url")).toMatchObject({ value: null, source: "unset" });
  });

  test("makes no data directory", async () => {
    const cwd = tempDirectory();
    expect((await formflag(["config", "show"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, "formflag-data"))).toBe(false);
  });
});

describe("the data directory", () => {
  test("is --data, else FORMFLAG_DATA, else ./formflag-data", async () => {
    const cwd = tempDirectory();
    const [fromOption, fromVariable] = await Promise.all([dataWith("by-option"), dataWith("by-variable")]);
    await onData(join(cwd, "formflag-data")).run("projects", "create", "by-default");
    const env = { FORMFLAG_DATA: fromVariable };
    expect(await projectsBy(["--data", fromOption], { cwd, env })).toEqual(["by-option"]);
    expect(await projectsBy([], { cwd, env })).toEqual(["by-variable"]);
    expect(await projectsBy([], { cwd, env: { FORMFLAG_DATA: "" } })).toEqual(["by-default"]);
    expect(await projectsBy([], { cwd })).toEqual(["by-default"]);
  });

  test("is --data, whatever database and bucket the variables name", async () => {
    const data = await dataWith("by-option");
    const urlFile = join(tempDirectory(), "url");
    await Bun.write(urlFile, "postgres://u@127.0.0.1:1/d");
    for (const env of [
      { FORMFLAG_DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" },
      { FORMFLAG_DATABASE_URL_FILE: urlFile },
      { FORMFLAG_DATABASE_URL: "postgres://u@127.0.0.1:1/d", FORMFLAG_BLOBS: "s3://bucket" },
      { FORMFLAG_BLOBS: "s3://bucket" },
    ]) {
      expect(await projectsBy(["--data", data], { env })).toEqual(["by-option"]);
      const archive = join(tempDirectory(), "b.tar");
      for (const args of [["backup", "create", "-o", archive], ["check"]])
        expect(await formflag([...args, "--data", data], { env })).toMatchObject({ code: 0, stderr: "" });
      const fresh = join(tempDirectory(), "fresh");
      expect((await formflag(["projects", "create", "new", "--data", fresh], { env })).code).toBe(0);
      expect(await projectsBy(["--data", fresh], { env })).toEqual(["new"]);
    }
    const env = { FORMFLAG_DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" };
    const settings = await shown(["--data", data], env);
    expect(settings.get("database")?.value).toBe("(not used: --data is given)");
    // A directory of files alone, and options for the database, leave it as it is.
    const files = tempDirectory();
    mkdirSync(join(files, "uploads"));
    for (const args of [["--data", files], ["--data", data, "--database", "postgres://u@127.0.0.1:1/d"], []])
      expect((await formflag(["projects", "list", ...args], { env })).code).toBe(6);
  });

  test("that is begun in the current folder is named in a line of its own, unless --quiet or --json is given", async () => {
    const cwd = tempDirectory();
    const { stdout, stderr } = await formflag(["forms", "create", "contact"], { cwd });
    expect(stdout).toContain("contact");
    expect(stderr).toBe(`created the data directory ${join(cwd, "formflag-data")}\n`);
    expect((await formflag(["forms", "create", "other"], { cwd })).stderr).toBe("");
    for (const option of ["--quiet", "--json"])
      expect((await formflag(["forms", "create", "a", option], { cwd: tempDirectory() })).stderr).toBe("");
  });

  test("is made with its database and uploads, readable by nobody else", async () => {
    const data = join(tempDirectory(), "new", "data");
    await onData(data).run("projects", "create", "shop");
    const modeOf = async (file: string) => (await Bun.file(join(data, file)).stat()).mode & 0o077;
    expect(existsSync(join(data, "uploads"))).toBe(true);
    expect(await Promise.all([".", "uploads", "formflag.db"].map(modeOf))).toEqual([0, 0, 0]);
  });

  test.each([
    ["projects list"],
    ["projects get shop"],
    ["projects delete shop --yes"],
    ["environments create preview -p shop"],
    ["flags set sale -p shop -e develop --on"],
    ["flags list -p shop -e develop"],
    ["flags evaluate sale -p shop -e develop"],
    ["segments list -p shop -e develop"],
    ["forms list"],
    ["forms enable contact"],
    ["submissions list contact"],
    ["submissions export contact"],
    ["tokens list"],
    ["mail test you@example.com"],
    ["export"],
    ["diff -f setup.yaml"],
    ["apply -f setup.yaml --dry-run"],
    ["apply -f setup.yaml"],
    ["check"],
    ["backup create"],
  ])("is not begun by %s, which asks for --data where it is missing or empty", async (command) => {
    const cwd = tempDirectory();
    await Bun.write(join(cwd, "setup.yaml"), "forms: {contact: {}}\n");
    for (const found of ["the data directory ./formflag-data does not exist", "has no formflag.db"]) {
      const { code, stdout, stderr } = await formflag(command.split(" "), { cwd });
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain(found);
      expect(stderr).toMatch(/^hint: .*--data/m);
      expect(existsSync(join(cwd, "formflag-data", "formflag.db"))).toBe(false);
      mkdirSync(join(cwd, "formflag-data"), { recursive: true, mode: 0o700 });
    }
    expect(readdirSync(join(cwd, "formflag-data"))).toEqual([]);
  });

  test.each([
    ["projects create shop"],
    ["forms create contact"],
    ["tokens create laptop"],
    ["apply -f setup.yaml --data formflag-data"],
  ])("is begun by %s", async (command) => {
    const cwd = tempDirectory();
    await Bun.write(join(cwd, "setup.yaml"), "forms: {contact: {}}\n");
    expect((await formflag(command.split(" "), { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, "formflag-data", "formflag.db"))).toBe(true);
  });

  test("that is a file is refused by every command, which asks for its folder", async () => {
    const file = join(tempDirectory(), "formflag.db");
    writeFileSync(file, "");
    for (const args of [["serve"], ["forms", "list"], ["forms", "create", "a"], ["backup", "create"]]) {
      const { code, stderr } = await formflag([...args, "--data", file]);
      expect([args.join(" "), code]).toEqual([args.join(" "), 4]);
      expect(stderr).toBe(
        `error: ${file} is a file, and a data directory is a folder\nhint: name the folder that holds formflag.db, or a new one: --data ${dirname(file)}\n`,
      );
    }
  });

  test("that cannot be made is refused with the path and a hint", async () => {
    const file = join(tempDirectory(), "file");
    await Bun.write(file, "I was here first");
    for (const data of [file, join(file, "below"), "/proc/formflag"]) {
      const { code, stdout, stderr } = await onData(data).run("projects", "create", "shop");
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toContain(data);
      expect(stderr).toContain("hint: ");
    }
    expect(await Bun.file(file).text()).toBe("I was here first");
  });

  test("with a damaged database is refused, exit 1, and left as it is", async () => {
    const data = tempDirectory();
    const text = "this is no database".repeat(100);
    await Bun.write(join(data, "formflag.db"), text);
    const { code, stdout, stderr } = await onData(data).run("projects", "list");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("not a database");
    expect(await Bun.file(join(data, "formflag.db")).text()).toBe(text);
  });
});

describe("the server", () => {
  // Nothing listens at port 1: a command that goes there exits 6, one without a token 4.
  const server = "http://127.0.0.1:1";
  const env = { FORMFLAG_SERVER: server, FORMFLAG_TOKEN: "ff_x" };
  const codeOf = async (args: string[], env: Record<string, string>) =>
    (await formflag(["projects", "list", ...args], { env })).code;

  test("is taken from FORMFLAG_SERVER, unless --data is on the command line", async () => {
    const data = await dataWith("local");
    expect(await codeOf([], env)).toBe(6);
    expect(await projectsBy(["--data", data], { env })).toEqual(["local"]);
    expect(await codeOf(["--data", data], { ...env, FORMFLAG_TOKEN: "" })).toBe(0);
  });

  test("wins over FORMFLAG_DATA, as a variable and as an option", async () => {
    const data = await dataWith("local");
    expect(await codeOf([], { ...env, FORMFLAG_DATA: data })).toBe(6);
    expect(await codeOf(["--server", server], { FORMFLAG_DATA: data, FORMFLAG_TOKEN: "ff_x" })).toBe(6);
  });

  test("as an empty variable is none", async () => {
    expect(await codeOf([], { FORMFLAG_SERVER: "", FORMFLAG_DATA: await dataWith("local") })).toBe(0);
  });

  test("with --data, both as options, is exit 2, wherever they stand", async () => {
    const data = tempDirectory();
    for (const args of [
      ["--data", data, "--server", server, "projects", "list"],
      ["projects", "list", "--data", data, "--server", server],
      ["--data", data, "projects", "list", "--server", server],
    ]) {
      const { code, stdout, stderr } = await formflag(args, { env: { FORMFLAG_TOKEN: "ff_x" } });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("--data and --server exclude each other");
    }
  });

  test("without a token is exit 4, and the hint names both ways to give one", async () => {
    for (const token of [{}, { FORMFLAG_TOKEN: "" }, { FORMFLAG_TOKEN: "  " }]) {
      const { code, stdout, stderr } = await formflag(["projects", "list", "--server", server], {
        env: token,
      });
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toContain("FORMFLAG_TOKEN");
      expect(stderr).toContain("--token-file");
    }
  });

  test("with a token file that is missing or empty is exit 4 and names the file", async () => {
    const empty = join(tempDirectory(), "empty");
    await Bun.write(empty, "\n");
    for (const file of [empty, "/nonexistent/token"]) {
      const args = ["projects", "list", "--server", server, "--token-file", file];
      const { code, stderr } = await formflag(args);
      expect(code).toBe(4);
      expect(stderr).toContain(file);
    }
  });

  test("that cannot be reached is exit 6 and named", async () => {
    const { code, stdout, stderr } = await formflag(["projects", "list"], { env });
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain(server);
  });

  test("that is no web address is exit 2", async () => {
    for (const address of ["ftp://example.com", "http://"]) {
      expect(await codeOf(["--server", address], { FORMFLAG_TOKEN: "ff_x" })).toBe(2);
    }
  });

  test("that answers as something else is exit 6, and no token is shown", async () => {
    using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("<h1>hello") });
    using missing = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<h1>nothing here", { status: 404 }),
    });
    for (const { url } of [other, missing]) {
      const args = ["projects", "list", "--server", url.origin];
      const { code, stdout, stderr } = await formflag(args, { env: { FORMFLAG_TOKEN: "ff_secret" } });
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toContain(url.origin);
      expect(stderr).not.toContain("ff_secret");
    }
  });
});
