import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { formflag } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const VERBS = {
  projects: ["create", "list", "get", "delete"],
  environments: ["create", "list", "get", "delete"],
  flags: ["set", "get", "list", "delete"],
  forms: ["create", "set", "uploads", "enable", "disable", "list", "get", "delete"],
  submissions: ["list", "get", "download", "delete", "export"],
  tokens: ["create", "list", "revoke"],
  config: ["show"],
};

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await formflag(["completion", shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

async function saved(text: string): Promise<string> {
  const file = join(tempDirectory(), "script");
  await Bun.write(file, text);
  return file;
}

async function outputOf(...command: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", cwd: tempDirectory() });
  const texts = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  return { code: await child.exited, text: texts.join("") };
}

describe.each(["bash", "zsh", "fish"])("the completion script for %s", (shell) => {
  test.skipIf(!Bun.which(shell))("parses without a word", async () => {
    expect(await outputOf(shell, "-n", await saved(await scriptFor(shell)))).toEqual({ code: 0, text: "" });
  });

  test("names every command and verb", async () => {
    const words = new Set((await scriptFor(shell)).split(/[^a-z-]+/));
    for (const [noun, verbs] of Object.entries(VERBS)) {
      for (const word of [noun, ...verbs]) expect(words).toContain(word);
    }
    for (const option of ["payload", "json", "server", "max-file-size", "trusted-proxy", "no-input"]) {
      expect([...words].some((word) => word === option || word === `--${option}`)).toBe(true);
    }
  });
});

describe("in bash", () => {
  /** What pressing Tab after these words offers. */
  async function completed(...words: string[]): Promise<string[]> {
    const line = words.map((word) => `'${word}'`).join(" ");
    const press = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _formflag; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const script = await saved(`${await scriptFor("bash")}\n${press}\n`);
    const { code, text } = await outputOf("bash", "--norc", script);
    expect(code).toBe(0);
    return text.split("\n").filter(Boolean);
  }

  test("a noun is completed, then its verbs, then their options", async () => {
    expect(await completed("formflag", "env")).toEqual(["environments"]);
    expect(await completed("formflag", "flags", "se")).toEqual(["set"]);
    expect(await completed("formflag", "flags", "set", "sale", "--pay")).toEqual(["--payload"]);
    expect(await completed("formflag", "--json", "forms", "up")).toEqual(["uploads"]);
    expect(await completed("formflag", "tokens", "list", "--ser")).toEqual(["--server"]);
  });
});

test("a shell there is not, or none, is exit 2 and the message names the three", async () => {
  for (const args of [["tcsh"], []]) {
    const { code, stdout, stderr } = await formflag(["completion", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(args.length > 0 ? /bash, zsh, fish/ : /shell/);
  }
});
