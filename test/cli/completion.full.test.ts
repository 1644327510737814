import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "bun:test";
import { plantTarget } from "../support/records/apply.ts";
import { formflag, onData } from "../support/commands.ts";
import { EXECUTABLE, startServer } from "../support/executable.ts";
import { eventually } from "../support/eventually.ts";
import { tempDirectory } from "../support/temp.ts";
import { programAt } from "../support/needs.ts";

const VERBS = {
  projects: ["create", "list", "get", "delete"],
  environments: ["create", "list", "get", "delete"],
  flags: ["set", "get", "list", "delete"],
  forms: ["create", "set", "uploads", "enable", "disable", "list", "get", "delete"],
  targets: ["add", "list", "get", "enable", "disable", "test", "rotate", "delete"],
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
  test.skipIf(programAt(shell, `completion in ${shell}`) === null)("parses without a word", async () => {
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

const data = tempDirectory();
const here = onData(data);
await here.run("projects", "create", "shop", "--environments", "develop,live");
await here.run("projects", "create", "blog", "--environments", "stage");
await here.run("flags", "set", "sale", "-p", "shop", "-e", "develop");
await here.run("segments", "set", "staff", "-p", "shop", "-e", "live", "--rule", "true");
const { key } = await here.json<{ key: string }>("forms", "create", "contact", "-p", "shop");
await plantTarget(data, key, { id: "k3v9-x2mq-71bd" });
await here.run("tokens", "create", "laptop");

/** What Tab offers after a command line. */
const OFFERED: [line: string, offered: string[]][] = [
  ["env", ["environments"]],
  ["flags se", ["set"]],
  ["flags set sale --pay", ["--payload"]],
  ["--json forms up", ["uploads"]],
  ["projects get ", ["blog", "shop"]],
  ["projects delete s", ["shop"]],
  ["flags list -p ", ["blog", "shop"]],
  ["flags list --project b", ["blog"]],
  ["environments get -p shop ", ["develop", "live"]],
  ["flags set sale -p shop -e l", ["live"]],
  ["flags promote sale -p blog --from ", ["stage"]],
  ["flags get -p shop ", ["sale"]],
  ["flags get -p blog ", []],
  ["flags set sale -p shop --on -e d", ["develop"]],
  ["segments get -p shop -e live ", ["staff"]],
  ["forms get ", ["contact"]],
  ["forms get -p shop ", ["contact"]],
  ["forms get -p blog ", []],
  ["targets rotate -p blog k", []],
  ["forms move contact --to ", ["blog", "shop"]],
  ["forms uploads contact ", ["off", "on"]],
  ["forms create ", []],
  ["forms set contact --spam ", ["keep", "reject"]],
  ["forms set contact --spam-di", ["--spam-disposable"]],
  ["forms set contact --challenge ", ["off", "on"]],
  ["targets add ", ["contact"]],
  ["targets add contact ", []],
  ["targets rotate k", ["k3v9-x2mq-71bd"]],
  ["submissions export contact --format ", ["csv", "json", "jsonl", "xlsx", "zip"]],
  ["submissions download x ", []],
  ["tokens revoke ", ["laptop"]],
  ["completion ", ["bash", "fish", "zsh"]],
];

/** Each kind of these in each shell, and files, which the shell itself offers. */
const OFFERED_IN_SHELLS: [line: string, offered: string[]][] = [
  ...OFFERED.filter(([line]) =>
    ["env", "flags set sale --pay", "projects delete s", "flags get -p blog ", "tokens revoke "].includes(
      line,
    ),
  ),
  ["backup restore no", ["notes.tar"]],
  ["apply -f no", ["notes.tar"]],
];

test.each(OFFERED)("%p is completed with %p", async (line, offered) => {
  const words = line.split(" ");
  const { stdout } = await formflag(["__complete", ...words], { env: { FORMFLAG_DATA: data } });
  const candidates = stdout.split("\n").filter((each) => each !== "" && each.startsWith(words.at(-1)!));
  expect(candidates.toSorted()).toEqual(offered);
});

/** Files that are offered only if one is wanted. */
async function withFiles(): Promise<string> {
  const cwd = tempDirectory();
  await Bun.write(join(cwd, "notes.tar"), "");
  await Bun.write(join(cwd, "sale.txt"), "");
  return cwd;
}

const env = {
  PATH: `${dirname(EXECUTABLE)}:${process.env["PATH"]}`,
  HOME: tempDirectory(),
  FORMFLAG_DATA: data,
};

describe.skipIf(!programAt("bash", "completion in bash"))("in bash", () => {
  /** What pressing Tab after these words offers. */
  async function completed(words: string[], more: Record<string, string> = {}): Promise<string[]> {
    const line = words.map((word) => `'${word}'`).join(" ");
    const press = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _formflag; printf '%s\n' "\${COMPREPLY[@]}"`;
    const script = await saved(`${await scriptFor("bash")}\n${press}\n`);
    const child = Bun.spawn(["bash", "--norc", script], {
      cwd: await withFiles(),
      env: { ...env, ...more },
      stderr: "pipe",
    });
    const [text, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: "" });
    return text.split("\n").filter(Boolean).toSorted();
  }

  test.each(OFFERED_IN_SHELLS)("%p is completed with %p", async (line, offered) => {
    expect(await completed(["formflag", ...line.split(" ")])).toEqual(offered);
  });

  test("words that bash breaks at = and : are completed as a whole", async () => {
    expect(await completed(["formflag", "flags", "list", "--project", "=", "s"])).toEqual(["shop"]);
    const scopes = ["flags", ":", "l"];
    expect(await completed(["formflag", "tokens", "create", "x", "--scope", ...scopes])).toEqual(["locked"]);
  });

  test("a project comes from FORMFLAG_PROJECT too", async () => {
    expect(await completed(["formflag", "flags", "get", ""], { FORMFLAG_PROJECT: "shop" })).toEqual(["sale"]);
  });

  test("names come from a server too, and without one nothing does", async () => {
    const server = await startServer([], { data });
    const { stdout } = await here.run("tokens", "create", "tab", "--scope", "read");
    const remote = { FORMFLAG_SERVER: server.url, FORMFLAG_TOKEN: stdout.trim(), FORMFLAG_DATA: "" };
    const names = () => completed(["formflag", "projects", "get", ""], remote);
    try {
      // A server that takes longer than Tab may wait has none to offer.
      const offered = await eventually("the server answers in time", async () => {
        const found = await names();
        return found.length > 0 ? found : undefined;
      });
      expect(offered).toEqual(["blog", "shop"]);
      await server.stop();
      expect(await names()).toEqual([]);
    } finally {
      await here.run("tokens", "revoke", "tab");
    }
  });
});

describe("in fish", () => {
  test.skipIf(programAt("fish", "completion in fish") === null).each(OFFERED_IN_SHELLS)(
    "%p is completed with %p",
    async (line, offered) => {
      const script = await saved(await scriptFor("fish"));
      const press = `source ${script}; complete -C 'formflag ${line}'`;
      const child = Bun.spawn(["fish", "--no-config", "-c", press], {
        cwd: await withFiles(),
        env,
        stderr: "pipe",
      });
      const text = await new Response(child.stdout).text();
      const found = text
        .split("\n")
        .filter(Boolean)
        .map((each) => each.split("\t")[0]!);
      expect([...new Set(found)].toSorted()).toEqual(offered);
    },
  );
});

describe("in zsh", () => {
  /** The functions of zsh that the script calls, as far as these lines need them. */
  const STUBS = `
compdef() {}; compset() {}
compadd() { shift; for each in "$@"; do [[ $each == "$PREFIX"* ]] && print -r -- "$each"; done }
_files() { print -rl -- "$PREFIX"*(N) }
`;
  test.skipIf(programAt("zsh", "completion in zsh") === null).each(OFFERED_IN_SHELLS)(
    "%p is completed with %p",
    async (line, offered) => {
      const words = ["formflag", ...line.split(" ")];
      const typed = `words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'`;
      const script = await saved(`${STUBS}${await scriptFor("zsh")}\n${typed}; _formflag || true\n`);
      const child = Bun.spawn(["zsh", "-f", script], { cwd: await withFiles(), env, stderr: "pipe" });
      const text = await new Response(child.stdout).text();
      expect(text.split("\n").filter(Boolean).toSorted()).toEqual(offered);
    },
  );
});

test("what completion asks is silent, and touches no directory that is not there", async () => {
  const cwd = tempDirectory();
  for (const words of [["projects", "get", ""], ["flags", "get", "-p", "nope", ""], ["nope", ""], []]) {
    const { code, stderr } = await formflag(["__complete", ...words], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  expect(readdirSync(cwd)).toEqual([]);
  expect((await formflag(["--help"])).stdout).not.toContain("__complete");
});

test("a shell there is not, or none, is exit 2 and the message names the three", async () => {
  for (const args of [["tcsh"], []]) {
    const { code, stdout, stderr } = await formflag(["completion", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(args.length > 0 ? /bash, zsh, fish/ : /shell/);
  }
});
