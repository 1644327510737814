import { expect, test } from "bun:test";
import type { Command } from "commander";
import { buildProgram } from "../../cli/program.ts";
import { createIo } from "../../cli/output/terminal.ts";
import { emptyData, formflag, onData } from "../support/commands.ts";

/** `--field` is a list in `submissions list` alone, `--project` in `export`. */
const REPEATABLE = [
  "--allow-origin",
  "--allow-type",
  "--backup-recipient",
  "--block-sender",
  "--check",
  "--colour",
  "--confirm",
  "--environment",
  "--environments",
  "--event",
  "--exclude",
  "--field",
  "--flag",
  "--guard",
  "--header",
  "--honeypot",
  "--if",
  "--label",
  "--metric",
  "--notify",
  "--pattern",
  "--project",
  "--requires",
  "--scope",
  "--spam-email",
  "--spam-word",
  "--tag",
  "--then",
  "--where",
];

test("-e staging -e production changes both, -p shop -p web is refused", async () => {
  const { run } = onData(emptyData());
  await run("projects", "create", "shop");
  await run("flags", "set", "nc", "-p", "shop", "-e", "develop");
  const set = ["flags", "set", "nc", "-p", "shop", "-e", "staging", "-e", "production", "--on"];
  expect(await run(...set)).toMatchObject({
    code: 0,
    stdout: "updated nc in shop/staging: on\nupdated nc in shop/production: on\n",
  });
  expect(await run(...set, "-p", "web")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: --project is given more than once\nhint: give it once, and repeat the command for another value\n",
  });
  expect((await run("projects", "list", "--data", "/nonexistent")).code).toBe(2);
  expect((await run("submissions", "list", "contact", "--field", "id", "--field", "form")).code).toBe(2);
});

test("every option with one value is refused where it is given twice", async () => {
  const io = createIo(
    {
      writeOut: async () => {},
      writeErr: async () => {},
      stdin: () => new Blob([]).stream(),
      isTerminal: () => false,
      columns: () => 80,
    },
    {},
  );
  const program = await buildProgram(io, { write: () => {} });
  const all: { words: string[]; long: string; value: string }[] = [];
  const walk = (command: Command, words: string[]) => {
    // Of the settings of a server the last one counts.
    if (["serve", "doctor", "healthcheck", "service", "config"].includes(command.name())) return;
    for (const { long, required, optional, argChoices = ["x"] } of command.options)
      if (long && (required || optional)) all.push({ words, long, value: argChoices[0]! });
    for (const each of command.commands) walk(each, [...words, each.name()]);
  };
  walk(program, []);
  expect(all.length).toBeGreaterThan(150);
  const taken: string[] = [];
  for (const { words, long, value } of all) {
    const { stderr } = await formflag([...words, `${long}=${value}`, `${long}=${value}`, "--unknown"]);
    if (!stderr.includes(`${long} is given more than once`)) taken.push(long);
  }
  expect([...new Set(taken)].toSorted()).toEqual(REPEATABLE);
}, 60_000);
