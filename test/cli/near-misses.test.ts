import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

const data = tempDirectory();
const { run } = onData(data);
await run("projects", "create", "shop");
await run("forms", "create", "contact");
await run("flags", "set", "sale", "-p", "shop", "-e", "develop");

describe("what other programs call otherwise", () => {
  test.each([
    ["serve --port 9000", "unknown option '--port'", "formflag serve --listen 127.0.0.1:9000"],
    ["serve -p 9000", "unknown option '-p'", "formflag serve --listen 127.0.0.1:9000"],
    ["projects list --token ff_x", "unknown option '--token'", "--token-file"],
    ["-v", "unknown option '-v'", "formflag --version"],
    ["version", "unknown command 'version'", "formflag --version"],
    ["start", "unknown command 'start'", "formflag serve"],
    ["restore backup.tar", "unknown command 'restore'", "formflag backup restore <file>"],
    ["flags new sale", "unknown command 'new'", "formflag flags create"],
    ["flags update sale", "unknown command 'update'", "formflag flags set"],
    ["forms update contact", "unknown command 'update'", "formflag forms set"],
    ["projects show shop", "unknown command 'show'", "formflag projects get"],
    ["submissions rm 1", "unknown command 'rm'", "formflag submissions delete"],
    ["targets new contact", "unknown command 'new'", "formflag targets add"],
    ["tokens remove laptop", "unknown command 'remove'", "formflag tokens revoke"],
    ["tokens add laptop", "unknown command 'add'", "formflag tokens create"],
    ["targets edit x", "unknown command 'edit'", "targets set"],
    ["targets ping x", "unknown command 'ping'", "formflag targets test"],
    ["webhooks list", "unknown command 'webhooks'", "formflag targets add"],
    ["apply one.yaml two.yaml", "formflag apply takes <file>, not one.yaml two.yaml", "one file"],
    [
      "flags get nc -p shop production",
      "formflag flags get takes <flag>, not nc production",
      "one flag at a time; the environment is an option: -e production",
    ],
    [
      "flags list production -p shop",
      "formflag flags list takes no argument, not production",
      "the environment is an option: -e production",
    ],
    [
      "flags list shop production",
      "formflag flags list takes no argument, not shop production",
      "the project and the environment are options: -p shop -e production",
    ],
    [
      "flags turn on sale -p shop -e live",
      "unknown command 'turn'",
      "formflag flags enable sale -p shop -e live",
    ],
    ["flags turn sale off", "unknown command 'turn'", "formflag flags disable sale"],
    [
      "submissions purge --email a b",
      "formflag submissions purge takes no argument, not b",
      "an address is one word, such as --email ann@example.com",
    ],
    [
      "submissions purge --email a@x.org b@x.org",
      "formflag submissions purge takes no argument, not b@x.org",
      "--email takes one value: repeat the command with --email b@x.org",
    ],
    ["flags enable sale off", "off is one word too many", "formflag flags disable sale turns it off"],
    ["flags disable sale on", "on is one word too many", "formflag flags enable sale turns it on"],
    ["flags enable sale on", "on is one word too many", "the verb says it already: leave out on"],
    ["cert", "unknown command 'cert'", "formflag serve --domain forms.example.com serves HTTPS"],
    [
      "certificate",
      "unknown command 'certificate'",
      "formflag serve --domain forms.example.com serves HTTPS",
    ],
    ["https", "unknown command 'https'", "formflag serve --domain forms.example.com serves HTTPS"],
    ["serve --https", "unknown option '--https'", "--domain forms.example.com serves HTTPS"],
    ["serve --ssl", "unknown option '--ssl'", "--domain forms.example.com serves HTTPS"],
    ["login", "login needs a server", "formflag users link signs in to the dashboard of this machine"],
    ["password", "unknown command 'password'", "formflag users link <name> signs in once"],
    ["backup check x.tar", "unknown command 'check'", "formflag backup verify <file>"],
    ["backup test", "unknown command 'test'", "formflag backup verify <file>"],
    ["turn on sale", "unknown command 'turn'", "formflag flags enable sale"],
  ])("%s is exit 2 and says what to type", async (line, message, hint) => {
    const { code, stdout, stderr } = await formflag(line.split(" "));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith(`error: ${message}\nhint: `);
    expect(stderr).toContain(hint);
    const asJson = await formflag([...line.split(" "), "--json"]);
    expect(JSON.parse(asJson.stderr)).toEqual({
      error: { code: "invalid", message, hint: expect.stringContaining(hint) },
    });
  });
});

test.each([
  ["serve --acme-dir x", "--acme-url"],
  ["doctor --acme-server x", "--acme-url"],
  ["service install --acme-root x", "--acme-ca"],
  ["serve --acme-challenge x", "--acme-email or --acme-url or --acme-ca or --acme-eab"],
])("the option that %s lacks is told by those that are alike", async (line, near) => {
  const { code, stderr } = await formflag(line.split(" "));
  expect({ code, hint: stderr.split("\n")[1] }).toEqual({ code: 2, hint: `(Did you mean ${near}?)` });
});

test.each([
  ["flags set sale -p shop -e develop on", "--on turns it on and --off off, without a value"],
  ["flags set sale -p shop -e develop 50", "a share is an option: --rollout 50"],
  ["flags enable sale -p shop -e develop on", "the verb says it already: leave out on"],
])("a word that follows the environment in %s is taken for what it says", async (line, hint) => {
  expect((await run(...line.split(" "))).stderr).toEndWith(`hint: ${hint}\n`);
});

test.each([
  [
    "targets add shop https://example.com/",
    "shop is a project, to which notices of its flags belong: formflag targets add <target> -p shop",
  ],
  ["targets list shop", "shop is a project: formflag targets list -p shop"],
  ["submissions list shop", "shop is a project; formflag forms list -p shop lists its forms"],
  ["flags list -p contact -e develop", "contact is a form; formflag projects list lists the projects"],
])("a name of another kind in %s is told", async (line, hint) => {
  const { code, stderr } = await run(...line.split(" "));
  expect({ code, hint: stderr.split("\n")[1] }).toEqual({ code: 3, hint: `hint: ${hint}` });
});

test("a rollback to a change of another environment is told how to go back there, which works", async () => {
  await run("flags", "set", "sale", "-p", "shop", "-e", "staging", "--on");
  const [{ revision }] = await onData(data).json<[{ revision: number }]>(
    ..."flags history sale -p shop -e staging --limit 1".split(" "),
  );
  await run("flags", "set", "sale", "-p", "shop", "-e", "staging", "--off");
  const { code, stderr } = await run(
    ..."flags rollback sale -p shop -e develop".split(" "),
    "--to",
    String(revision),
  );
  const [, hint = ""] = /^hint: formflag (.*) goes back there; /m.exec(stderr) ?? [];
  expect({ code, hint }).toEqual({
    code: 3,
    hint: `flags rollback sale -p shop -e staging --to ${revision}`,
  });
  expect((await run(...hint.split(" "))).stdout).toContain("sale in shop/staging: on");
});

test.each([
  ["999.1.1.1:80", "999.1.1.1 is not an IP address or the name of a host"],
  ["1.2.3:80", "1.2.3 is not an IP address"],
  ["[1::2::3]:80", "1::2::3 is not an IP address"],
  ["a..b:80", "a..b is not an IP address"],
])("serve --listen %s is refused as no address", async (address, hint) => {
  for (const option of ["--listen", "--admin-listen", "--flagd-listen"]) {
    const { code, stderr } = await formflag(["serve", "--data", data, option, address]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${option} ${address} is not an address\nhint: ${hint}`),
    });
  }
});

describe("a wrong value is named as it stands on the command line", () => {
  const here = ["-p", "shop", "-e", "develop"];
  test.each([
    [["submissions", "list", "contact", "--limit", "0"], "--limit 0 is not a whole number from 1"],
    [["submissions", "list", "contact", "--before", "x"], "--before is the id of a submission"],
    [["flags", "history", "sale", "-p", "shop", "--limit", "0"], "--limit 0 is not a whole number from 1"],
    [["flags", "rollback", "sale", ...here, "--to", "0"], "--to 0 is not a revision"],
    [["flags", "set", "sale", ...here, "--variants", "[]"], "--variants takes a JSON object, not []"],
    [["flags", "set", "sale", ...here, "--targeting", "1"], "--targeting takes a JSON object, not 1"],
    [["flags", "evaluate", "sale", ...here, "--context", "ann"], "--context takes a JSON object, not ann"],
    [["flags", "evaluate", "sale", ...here, "--context", "{a"], "--context is not valid JSON"],
    [["tokens", "create", "x", "--scope", "flags"], "--scope: a scope is one of admin"],
    [["tokens", "create", "a b"], "a token is named by"],
    [["projects", "create", "a b"], "a project is named by"],
    [["projects", "create", "x", "--environments", "a/b"], "--environments: an environment is named by"],
    [["forms", "set", "contact", "--name", ""], "--name: a name must not be empty"],
    [["forms", "set", "contact", "--max-files", "9999"], "--max-files: a submission may have at most"],
    [["forms", "set", "contact", "--rate-limit", "9999999/h"], "--rate-limit: a rate has at most"],
    [["forms", "set", "contact", "--success-url", "thanks"], "--success-url: a success URL is"],
  ])("%p", async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith(`error: ${message}`);
  });

  test("with a name that has the letters of the given one", async () => {
    for (const [given, slug] of [
      ["Größe L", "grosse-l"],
      ["Łódź", "lodz"],
      ["Ünïcode/Ærø", "unicode-aero"],
    ] as const) {
      const { stderr } = await run("projects", "create", given);
      expect(stderr).toContain(`hint: write ${slug} --name '${given}'\n`);
    }
  });

  test("with what to write for a context", async () => {
    const { stderr } = await run("flags", "evaluate", "sale", ...here, "--context", "ben");
    expect(stderr).toContain(`hint: write --context '{"targetingKey":"ben"}'`);
  });
});

describe("a restore", () => {
  const folder = tempDirectory();
  mkdirSync(join(folder, "folder"));
  test.each([
    ["notes.txt", "hello ".repeat(200), "is not a formflag backup", "formflag backup create"],
    ["empty.tar", "", "is not a formflag backup", "formflag backup create"],
    ["zeros.tar", "\0".repeat(2048), "is not a formflag backup", "formflag backup create"],
    ["backup.tar.zst", Bun.zstdCompressSync("hello"), "is compressed", "unzstd"],
    ["folder", null, "is a directory, not a backup", "formflag backup create"],
  ])("of %s says what it is, and begins no data directory", async (name, content, message, hint) => {
    const file = join(folder, name);
    if (content !== null) await Bun.write(file, content);
    const into = join(folder, "restored");
    for (const args of [
      ["backup", "restore", file, "--data", into],
      ["backup", "verify", file],
    ]) {
      const { code, stderr } = await formflag(args);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${file} ${message}`) });
      expect(stderr).toMatch(new RegExp(`^hint: .*${hint}`, "m"));
    }
    expect(await Bun.file(into).exists()).toBe(false);
  });
});

describe("an output file", () => {
  const folder = tempDirectory();
  writeFileSync(join(folder, "notes.txt"), "");
  test.each([
    ["new/", 2, "does not exist", "name a file in it"],
    ["notes.txt/", 2, "does not exist", "name a file in it"],
    ["notes.txt/a", 4, "cannot be written", "check that the folder"],
    ["a".repeat(300), 4, "cannot be written", "check that the folder"],
  ])("of %j says why there can be none", async (name, code, message, hint) => {
    const { stderr, code: exit } = await run("export", "-o", join(folder, "/") + name);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(new RegExp(`^hint: .*${hint}`, "m"));
    expect(exit).toBe(code);
  });
});

test("a value that is called as a verb hides no other verb", async () => {
  await run("projects", "create", "get");
  await run("flags", "set", "sale", "-p", "get", "-e", "develop");
  expect((await run("flags", "ls", "-p", "get", "-e", "develop", "--field", "slug")).stdout).toBe("sale\n");
});
