import { dirname, join } from "node:path";
import { expect, test } from "bun:test";
import { EXECUTABLE } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const README = await Bun.file(join(import.meta.dir, "..", "..", "README.md")).text();

/** The commands of the README that need no server or visitors, in their order: in blocks, and within sentences. */
function commandsIn(page: string): string[] {
  const parts = page.matchAll(/```sh\n([\s\S]*?)```|`(formflag (?:flags|experiments) [^`<]* [^`<]*)`/g);
  return [...parts]
    .flatMap(([, block, inline]) => inline ?? block!.replaceAll("\\\n", " ").split("\n"))
    .filter((line) =>
      /^(?:KEY=\$\()?formflag (?:projects|use|environments|flags|forms|experiments|submissions|segments) (?!ship)/.test(
        line,
      ),
    );
}

test("the commands of the README work one after another as they are written", async () => {
  const commands = commandsIn(README);
  expect(commands.length).toBeGreaterThan(12);
  const cwd = tempDirectory();
  const wrong: unknown[] = [];
  for (const command of commands) {
    const child = Bun.spawn(["bash", "-c", command], {
      cwd,
      env: { PATH: `${dirname(EXECUTABLE)}:${process.env["PATH"]}`, HOME: cwd },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const stderr = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) wrong.push({ command, stderr });
  }
  expect(wrong).toEqual([]);
}, 60_000);
