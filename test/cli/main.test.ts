import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { formflag, onData } from "../support/commands.ts";
import { runExecutable } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const NOUNS = ["projects", "environments", "flags", "forms", "submissions", "tokens"];

/** Runs a command that fails under --json and returns its exit code and the one error on standard error. */
async function failing(...args: string[]) {
  const { code, stdout, stderr } = await formflag([...args, "--json"]);
  expect(stdout).toBe("");
  let parsed: { error: { code: string; message: string; hint: string | null } };
  try {
    parsed = JSON.parse(stderr);
  } catch {
    throw new Error(`not one JSON value on standard error: ${stderr}`);
  }
  expect(Object.keys(parsed)).toEqual(["error"]);
  expect(Object.keys(parsed.error)).toEqual(["code", "message", "hint"]);
  return { exit: code, ...parsed.error };
}

describe("--version", () => {
  test("shows the version, the commit and the Bun version", async () => {
    const { code, stdout, stderr } = await runExecutable(["--version"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toStartWith(`formflag ${version} `);
    expect(stdout).toMatch(/commit [0-9a-f]{7,}/);
    expect(stdout).toContain(`Bun ${Bun.version}`);
  });
});

describe("standard output that is appended to a file", () => {
  const data = tempDirectory();
  const file = join(data, "out.log");
  const append = (...args: string[]) =>
    runExecutable([...args, "--data", data], { under: ["sh", "-c", `"$@" >> ${file}`, "sh"] });

  test("keeps what the file held, whether much is written or nothing", async () => {
    await formflag(["forms", "create", "contact", "--data", data]);
    const { stdout: much } = await formflag(["completion", "bash"]);
    writeFileSync(file, "before\n");
    expect((await append("completion", "bash")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(`before\n${much}`);
    expect((await append("submissions", "export", "contact")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(`before\n${much}`);
  });
});

describe("help", () => {
  test("without any argument, --help and help all show every command, on standard output", async () => {
    for (const args of [["--help"], ["-h"], ["help"], []]) {
      const { code, stdout, stderr } = await formflag(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const noun of [...NOUNS, "serve", "config", "completion"])
        expect(stdout.split(/\s+/)).toContain(noun);
      expect(stdout).toContain("formflag projects create shop");
    }
  });

  test.each(NOUNS)("of %s names its verbs", async (noun) => {
    const { code, stdout, stderr } = await formflag([noun, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("  list");
    expect(stdout).toContain("--json");
  });

  test.each(
    [
      ["serve"],
      ["projects", "create"],
      ["environments", "create"],
      ["flags", "set"],
      ["forms", "create"],
      ["forms", "set"],
      ["forms", "uploads"],
      ["submissions", "list"],
      ["submissions", "download"],
      ["submissions", "export"],
      ["tokens", "create"],
      ["completion"],
    ].map((words) => [words.join(" "), words] as const),
  )("of %s gives an example that begins with the command", async (_, command) => {
    const { code, stdout, stderr } = await formflag([...command, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\nExamples?:\n/);
    expect(stdout.slice(stdout.indexOf("\nExample"))).toContain(`formflag ${command.join(" ")}`);
  });

  test("touches no data directory", async () => {
    const cwd = tempDirectory();
    await formflag(["flags", "set", "--help"], { cwd });
    expect(existsSync(join(cwd, "formflag-data"))).toBe(false);
  });

  test("in a pipe has no colours", async () => {
    const { stdout } = await formflag(["--help"]);
    expect(stdout).not.toContain("\u001b");
  });
});

describe("what is mistyped", () => {
  test.each([
    [["flgs", "list"], "flags"],
    [["serv"], "serve"],
    [["flags", "sett", "x"], "set"],
    [["submissions", "exprot"], "export"],
    [["projects", "list", "--jsno"], "--json"],
    [["flags", "set", "x", "--paylaod", "1"], "--payload"],
    [["forms", "create", "x", "--sucess-url", "x"], "--success-url"],
    [["--sever", "x", "projects", "list"], "--server"],
  ])("%p is exit 2 and suggests %s", async (args, suggestion) => {
    const { code, stdout, stderr } = await formflag(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`Did you mean.*${suggestion}`));
  });

  test("what is near nothing is exit 2 and suggests nothing", async () => {
    const { code, stdout, stderr } = await formflag(["xyzzy"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("unknown command 'xyzzy'");
    expect(stderr).not.toContain("Did you mean");
  });

  test("a noun without a verb is exit 2 and shows the verbs on standard error", async () => {
    const { code, stdout, stderr } = await formflag(["flags"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("set [options]");
  });

  test("an argument too many is exit 2", async () => {
    const { code, stderr } = await formflag(["projects", "list", "extra"]);
    expect(code).toBe(2);
    expect(stderr).toContain("extra");
  });
});

describe("errors under --json", () => {
  test("are one JSON value on standard error, with nothing on standard output", async () => {
    const data = tempDirectory();
    const { run } = onData(data);
    await run("projects", "create", "shop");
    const at = ["--data", data];
    expect(await failing("projects", "get", "nope", ...at)).toEqual({
      exit: 3,
      code: "not_found",
      message: 'project "nope" does not exist',
      hint: "formflag projects list lists the projects",
    });
    expect(await failing("projects", "create", "shop", ...at)).toMatchObject({
      exit: 5,
      code: "conflict",
      hint: "formflag projects get shop shows it; --if-not-exists leaves it as it is",
    });
    expect(await failing("projects", "delete", "shop", ...at)).toMatchObject({
      exit: 2,
      code: "invalid",
      hint: expect.stringContaining("--yes"),
    });
    expect(await failing("projects", "list", "--server", "http://127.0.0.1:1")).toMatchObject({
      exit: 4,
      code: "unauthenticated",
    });
    expect(await failing("projects", "create", "shop", "--data", "/proc/nope")).toMatchObject({
      exit: 4,
      code: "forbidden",
    });
  });

  test.each([
    [["flgs"], /unknown command 'flgs'/],
    [["projects", "list", "--nope"], /unknown option '--nope'/],
    [["flags", "set", "x", "--on", "--off"], /--on.*--off/],
    [["projects", "create", "x", "--name"], /--name/],
    [["completion", "tcsh"], /tcsh/],
  ])("hold for the usage error of %p as well", async (args, message) => {
    expect(await failing(...args)).toMatchObject({ exit: 2, message: expect.stringMatching(message) });
  });

  test("give the near miss as the hint", async () => {
    const { hint, message } = await failing("flgs");
    expect(message).not.toContain("\n");
    expect(hint).toContain("flags");
  });

  test("hold for a noun without a verb", async () => {
    const { exit, message } = await failing("flags");
    expect(exit).toBe(2);
    expect(message).not.toContain("outputHelp");
  });

  test("hold where --json stands before the command", async () => {
    const { code, stdout, stderr } = await formflag([
      "--json",
      "--data",
      tempDirectory(),
      "forms",
      "get",
      "x",
    ]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("global options", () => {
  test("stand before the command, between noun and verb, and after", async () => {
    const data = tempDirectory();
    await onData(data).run("projects", "create", "shop");
    const global = ["--data", data, "--json", "--no-color", "--no-input", "-q", "-y"];
    for (const args of [
      [...global, "projects", "list"],
      ["projects", ...global, "list"],
      ["projects", "list", ...global],
      ["--json", "projects", "-q", "list", `--data=${data}`],
    ]) {
      const { code, stdout, stderr } = await formflag(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject([{ slug: "shop" }]);
    }
  });

  test("--json as the value of another option is that value", async () => {
    const here = onData(tempDirectory());
    await here.run("projects", "create", "shop");
    const { code, stdout } = await here.run(
      "flags",
      "set",
      "sale",
      "-p",
      "shop",
      "-e",
      "develop",
      "--description=--json",
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "created sale in shop/develop: off\n" });
    expect(await here.json("flags", "get", "sale", "-p", "shop", "-e", "develop")).toMatchObject({
      description: "--json",
    });
  });

  test("a token is never an option, which others could see in the process list", async () => {
    expect((await formflag(["projects", "list", "--token", "ff_x"])).code).toBe(2);
    expect((await formflag(["--help"])).stdout).not.toMatch(/--token </);
  });
});
