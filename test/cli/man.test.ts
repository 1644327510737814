import { join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import type { Command } from "commander";
import { processIo } from "../../cli/output/terminal.ts";
import { buildProgram } from "../../cli/program.ts";
import { EXIT_STATUS, notesIn } from "../../scripts/commands.ts";
import { manPage, notes } from "../../scripts/man.ts";
import { tempDirectory } from "../support/temp.ts";
import { programAt } from "../support/needs.ts";

let page: string;
let program: Command;

beforeAll(async () => {
  page = await manPage(new Date("2026-11-21T12:00:00Z"));
  program = await buildProgram(processIo({}), { write: () => {} });
});

/** The page as its reader sees it, near enough: without requests and escapes. */
function shown(roff: string): string {
  return roff
    .replaceAll(/^\.SS "(.*)"$/gm, "$1")
    .replaceAll(/^\.\w.*\n/gm, "")
    .replaceAll(/\\f[BIR]/g, "")
    .replaceAll("\\-", "-")
    .replaceAll(/\\\(aq/g, "'");
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

describe("the manual page", () => {
  test("has every command with its options", () => {
    const sections = shown(page).split(/^(?=formflag [a-z]+.*\[)/m);
    const commands = everyCommand(program).slice(1);
    expect(commands.length).toBeGreaterThan(30);
    for (const command of commands) {
      const usage = command.createHelp().commandUsage(command);
      const section = sections.find((section) => section.startsWith(`${usage}\n`));
      expect(section, usage).toBeDefined();
      for (const { flags, hidden } of command.options) {
        if (!hidden) expect(section!.split("\n"), usage).toContain(flags);
      }
    }
  });

  test("has the global options, the variables, the examples and the exit codes", () => {
    const lines = shown(page).split("\n");
    for (const { flags } of program.options) expect(lines).toContain(flags);
    for (const name of ["FORMFLAG_DATA", "FORMFLAG_TOKEN", "FORMFLAG_PUBLIC_URL"])
      expect(lines).toContain(name);
    expect(lines).toContain(
      'formflag flags set banner -p shop -e develop --on --payload \'{"text":"Hello"}\''.replaceAll(
        '"',
        "\\(dq",
      ),
    );
    for (const [code] of EXIT_STATUS) expect(page).toContain(`\\fB${code}\\fR`);
  });

  test("shows a dot, a quote or a backslash at the start of a line as what it is", () => {
    const text = ".env is not read.\n\nExamples:\n  ./run 'it'\n  'it' \\n";
    expect(notes(notesIn(text)).filter((line) => !/^\.(PP|RS 4|nf|fi|RE)$/.test(line))).toEqual([
      "\\&.env is not read.",
      "Examples:",
      "\\&./run \\(aqit\\(aq",
      "\\(aqit\\(aq \\en",
    ]);
  });

  test("joins the lines of a paragraph, and keeps those of an example", () => {
    const text = "\nOne paragraph,\nwrapped by hand.\nExamples:\n  a --b\n  c\n\nMore.\n";
    expect(notesIn(text)).toEqual([
      { kind: "text", text: "One paragraph, wrapped by hand. Examples:" },
      { kind: "lines", lines: ["a --b", "c"] },
      { kind: "text", text: "More." },
    ]);
  });

  test("breaks long paragraphs into lines and loses no word of them", () => {
    const words = Array.from({ length: 40 }, (_, index) => "w".repeat((index * 7) % 90 || 1));
    const [, ...lines] = notes(notesIn(words.join(" ")));
    expect(lines.join(" ")).toBe(words.join(" "));
    for (const line of lines) expect(line.length <= 78 || !line.includes(" ")).toBe(true);
  });

  test("is plain ASCII, and no line of text begins as a request", () => {
    const known = /^\.(TH|SH|SS|PP|TP|B|RS 4|RE|nf|fi|nh|ad l)( |$)/;
    for (const line of page.split("\n")) {
      expect(line).toMatch(/^[\x20-\x7e]*$/);
      if (/^[.']/.test(line)) expect(line).toMatch(known);
    }
  });

  test.skipIf(programAt("mandoc", "the manual page") === null)("is found faultless by mandoc", async () => {
    const file = join(tempDirectory(), "formflag.1");
    await Bun.write(file, page);
    const lint = Bun.spawnSync(["mandoc", "-T", "lint", file]);
    expect(lint.stdout.toString() + lint.stderr.toString()).toBe("");
  });
});
