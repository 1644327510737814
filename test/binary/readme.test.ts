import { dirname, join } from "node:path";
import { expect, test } from "bun:test";
import { EXECUTABLE, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { programAt } from "../support/needs.ts";

const README = await Bun.file(join(import.meta.dir, "../../README.md")).text();

type Step = { commands: string; output: string | null };

/** The commands of a section, each with the block of output that follows it. */
function stepsOf(title: string): Step[] {
  const section = README.split(/^## /m).find((section) => section.startsWith(`${title}\n`))!;
  const steps: Step[] = [];
  for (const [, language, text] of section.matchAll(/^```(\w*)\n([^]*?)^```$/gm)) {
    if (language === "sh") steps.push({ commands: text!, output: null });
    else if (language === "" || language === "json") steps.at(-1)!.output = text!;
  }
  return steps;
}

/** Runs the steps in one shell beside a server, as a reader does. Returns what each printed. */
async function runAll(steps: Step[]): Promise<string[]> {
  const server = await startServer();
  const mark = "--- next step ---";
  const script = steps.map(({ commands }) => `${commands}\necho; echo '${mark}'`).join("\n");
  const cwd = tempDirectory();
  const shell = Bun.spawn(
    ["bash", "-euo", "pipefail", "-c", script.replaceAll("http://127.0.0.1:8787", server.url)],
    {
      cwd,
      env: {
        PATH: `${dirname(EXECUTABLE)}:${process.env["PATH"]}`,
        HOME: cwd,
        FORMFLAG_DATA: server.data,
      },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stdout, stderr, code] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split(`\n${mark}\n`).slice(0, -1);
}

/** Without what is different each time: ids and times. */
function masked(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .trim();
}

test
  .skipIf(["bash", "curl"].some((name) => !programAt(name, "the commands of the README")))
  .each(["A form in a minute", "A flag in a minute"])(
  "the commands of the README's %j run, and print what it shows",
  async (title) => {
    const steps = stepsOf(title);
    const printed = await runAll(steps);
    const shown = steps.filter(({ output }) => output !== null);
    expect(shown.length).toBeGreaterThan(1);
    for (const [index, { output }] of steps.entries()) {
      if (output !== null) expect(masked(printed[index]!)).toEndWith(masked(output));
    }
  },
);
