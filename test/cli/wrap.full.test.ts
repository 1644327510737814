import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { Command } from "commander";
import { buildProgram } from "../../cli/program.ts";
import { type Io, processIo } from "../../cli/output/terminal.ts";
import { wrap, wrapHelp } from "../../cli/output/wrap.ts";
import { createLog } from "../../cli/serve/log.ts";
import { formflag, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { atTerminal } from "../support/terminal.ts";

const WIDTH = 60;

/** The lines of a screen that a terminal of `WIDTH` columns breaks although they hold a space to break at. */
function brokenLines(screen: string): string[] {
  return screen
    .split(/\r?\n/)
    .filter((line) => Bun.stringWidth(line) > WIDTH && /\S\s+\S/.test(line.replaceAll(/'[^']*'/g, "")));
}

describe("a text that is wrapped", () => {
  test("is broken between words, and goes on below its last column or its indent", () => {
    expect(wrap("one two three four", 9)).toBe("one two\nthree\nfour");
    expect(wrap("  one two three", 10)).toBe("  one two\n  three");
    expect(wrap("state    on, and off in every other environment", 24)).toBe(
      "state    on, and off in\n         every other\n         environment",
    );
    expect(wrap("a  b\nc", 1)).toBe("a\n  b\nc");
  });

  test("keeps what fits, and words that are longer than a line", () => {
    expect(wrap("short\n", 10)).toBe("short\n");
    expect(wrap("a-word-without-an-end and", 10)).toBe("a-word-without-an-end\nand");
    expect(wrap("\x1b[31mred\x1b[39m word", 8)).toBe("\x1b[31mred\x1b[39m word");
  });

  test("is still a command to type where it was one", () => {
    expect(wrap(`  formflag flags set a -p shop --payload '{"a": 1}' --on`, 30)).toBe(
      `  formflag flags set a -p \\\n      shop --payload \\\n      '{"a": 1}' --on`,
    );
    expect(wrap(`  formflag flags set a --why 'it'\\''s late' --on`, 30)).toBe(
      `  formflag flags set a --why \\\n      'it'\\''s late' --on`,
    );
  });

  test("has its paragraphs reflowed where it is help", () => {
    const text = `${"word ".repeat(18).trim()}\nand more.\n\nNext`;
    expect(wrapHelp(text, 200)).toBe(text);
    expect(
      wrapHelp(text, 60)
        .split("\n")
        .map((line) => line.length),
    ).toEqual([59, 39, 0, 4]);
  });
});

/** Every command that does something, with the commands above it. */
function pathsOf(command: Command, above: string[] = []): string[][] {
  return [above, ...command.commands.flatMap((each) => pathsOf(each, [...above, each.name()]))];
}

describe("on a terminal of 60 columns", () => {
  test("no help breaks within a word", async () => {
    const program = await buildProgram(processIo({}), { write: () => {} });
    const env = { COLUMNS: String(WIDTH) };
    const broken = [];
    for (const path of pathsOf(program)) {
      const { stdout } = await formflag([...path, "--help"], { env });
      broken.push(...brokenLines(stdout));
    }
    expect(broken).toEqual([]);
  }, 60_000);

  test("no table, finding or error breaks within a word", async () => {
    const data = tempDirectory();
    const local = onData(data);
    await local.run(
      "projects",
      "create",
      "shop",
      "--name",
      "A shop with a name of many words, for people to read",
    );
    const description = "A description of many words, so that no terminal has a place for it";
    await local.run(
      "flags",
      "set",
      "sale",
      "-p",
      "shop",
      "-e",
      "develop",
      "--on",
      "--description",
      description,
    );
    const { key } = await local.json<{ key: string }>("forms", "create", "contact");
    const server = await startServer([], { data });
    await fetch(`${server.url}/v1/s/${key}`, {
      method: "POST",
      body: new URLSearchParams({ note: description }),
    });
    await server.stop();
    for (const args of [
      ["projects", "list"],
      ["projects", "get", "shop"],
      ["flags", "list", "-p", "shop", "-e", "develop"],
      ["flags", "get", "sale", "-p", "shop", "-e", "develop"],
      ["forms", "get", "contact"],
      ["submissions", "list", "contact"],
      ["doctor", "--listen", "127.0.0.1:0"],
      ["config", "show"],
      ["flags", "get", "nope", "-p", "shop", "-e", "develop"],
      ["flags", "set", "x y", "-p", "shop", "-e", "develop"],
    ]) {
      const { screen } = await atTerminal([...args, "--data", data, "--no-input"], {}, WIDTH).ends();
      expect(screen).not.toBe("");
      expect(brokenLines(screen)).toEqual([]);
    }
    const { stdout } = await local.run("flags", "list", "-p", "shop", "-e", "develop");
    expect(stdout).toContain(description.slice(0, 40));
  }, 60_000);
});

test("a log for people fits the terminal, and one of JSON stays as it is", () => {
  const written: string[] = [];
  const note = (text: string) => void written.push(`note ${text}`);
  const err = (text: string) => void written.push(`err ${text}`);
  const io = { note, err, errIsTerminal: true, describeDropped: () => {} } as unknown as Io;
  for (const format of ["text", "json"] as const) createLog(io, { format, level: "info" }).line("info", "up");
  expect(written).toEqual(["note up\n", expect.stringMatching(/^err \{.*"up"\}\n$/)]);
});

test("a download of something else than text to a terminal is exit 2 and asks for -o", async () => {
  const data = tempDirectory();
  const { key } = await onData(data).json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const server = await startServer([], { data });
  const body = new FormData();
  body.append("photo", new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])], "a.png"));
  body.append("text", new File(["Grüße\n"], "a.txt"));
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
  const { id } = (await answer.json()) as { id: string };
  const download = ["submissions", "download", id];
  const photo = await atTerminal([...download, "1", "--data", data]).ends();
  expect(photo.code).toBe(2);
  expect(photo.screen).toContain("-o FILE");
  expect(photo.screen).not.toContain("PNG");
  expect((await atTerminal([...download, "2", "--data", data]).ends()).screen).toBe("Grüße\r\n");
  const file = join(tempDirectory(), "a.png");
  expect((await atTerminal([...download, "1", "-o", file, "--data", data]).ends()).code).toBe(0);
  expect(await Bun.file(file).bytes()).toHaveLength(7);
});
