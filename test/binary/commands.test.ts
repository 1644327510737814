import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { processIo } from "../../cli/output/terminal.ts";
import { buildProgram } from "../../cli/program.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

/** Other tests run commands in their own process: here each is loaded and run as the executable has it. */

const server = await startServer();
const { run } = onData(server.data);
await run("projects", "create", "shop");
await run("flags", "set", "sale", "-p", "shop", "-e", "develop", "--payload", '{"a":1}');
await run("forms", "create", "contact");
const key = (await run("forms", "get", "contact", "--field", "key")).stdout.trim();
await fetch(`${server.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ name: "Ada" }) });
await run("tokens", "create", "ci");

const cwd = tempDirectory();
await Bun.write(join(cwd, "shop.yaml"), (await run("export")).stdout);

/** What a command of each noun prints, and its exit code if that is not 0. */
const EXAMPLES: [line: string, shown: RegExp, code?: number][] = [
  ["demo", /--data does not go with demo/, 2],
  ["status", /^server +running since /m],
  ["today", /^Read +1 unread in the inbox /m],
  ["projects list", /^shop +shop /m],
  ["environments list -p shop", /^develop /m],
  ["flags get sale -p shop -e develop", /^payload +\{"a":1\}$/m],
  ["changes list -p shop", /^CHANGE /],
  ["segments list -p shop -e develop", /^SEGMENT /],
  ["contexts list -p shop", /^NAME /],
  ["experiments list -p shop -e develop", /^EXPERIMENT /],
  ["forms list", /^contact /m],
  ["feeds list", /^FEED /],
  ["targets list contact", /^TARGET /],
  ["submissions list contact", /name=Ada$/m],
  ["deliveries list", /^ID /],
  ["stats", /^contact /m],
  ["mail test ada@example.com", /no mail server/, 5],
  ["history", /shop/],
  ["export", /^ +contact:$/m],
  ["diff -f shop.yaml", /^unchanged$/m],
  ["apply -f shop.yaml", /^unchanged$/m],
  ["mcp", /^$/],
  ["tokens list", /^ci /m],
  ["users list", /^USER /],
  ["members list -p shop", /^USER /],
  ["whoami", /^type +operator$/m],
  ["sessions list", /^ID /],
  ["grants list", /^ID /],
  ["use", /^nothing is kept/],
  ["login", /login needs a server/, 2],
  ["logout", /logout needs a server/, 2],
  ["audit list", /project\.create/],
  ["check", /all is well/],
  ["doctor", /^ok /m],
  ["healthcheck --url URL", /^ok/],
  ["service install --print", /^\[Unit\]$/m],
  ["backup create -o backup.tar", /backup/],
  ["migrate", /database/, 2],
  ["upgrade", /has no key that could verify a release/, 1],
  ["config show", /^data /m],
  ["docs readme", /^# formflag$/m],
  ["completion bash", /complete/],
];

test.each(EXAMPLES)("%s", async (line, shown, code = 0) => {
  const args = line.replace("URL", server.url).split(" ");
  const result = await runExecutable([...args, "--data", server.data], { cwd });
  expect({ ...result, text: result.stdout + result.stderr }).toMatchObject({
    code,
    text: expect.stringMatching(shown),
  });
  expect(result.stderr).not.toContain("internal error");
});

test("every command has an example", async () => {
  const program = await buildProgram(processIo({}), { write: () => {} });
  const nouns = program.commands.map((command) => command.name());
  // The server above is the example of serve.
  expect(nouns).toEqual(["serve", ...EXAMPLES.map(([line]) => line.split(" ")[0]!)]);
});

test
  .skipIf(!existsSync("/dev/full"))
  .each(["forms list", "forms list --json", "export", "forms --help", "backup create -o -"])(
  "%s into a file on a full disk is exit 6, which says so",
  async (line) => {
    const under = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
    const args = [...line.split(" "), "--data", server.data];
    const { code, stderr } = await runExecutable(args, { cwd, under });
    expect(stderr).toContain("standard output cannot be written: the disk is full");
    expect(stderr).not.toContain("internal error");
    expect(code).toBe(6);
  },
);
