import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Draws docs/pictures/terminal.svg from a real run of dist/formflag. */

const COMMANDS = [
  "formflag serve &",
  "KEY=$(formflag forms create contact --field key)",
  'curl -s "http://127.0.0.1:8787/v1/s/$KEY?mode=rest" -d name=Ann -d message="Hello there"',
  "formflag submissions list contact",
  "formflag projects create shop",
  'formflag flags set search -p shop -e production --on --if "email ends_with @example.com" --then on --rollout 10',
  `formflag flags evaluate search -p shop -e production --context '{"email":"ann@example.com"}'`,
];

const COLUMNS = 114;
const CHAR = 8;
const LINE = 19;
const PADDING = 18;
/** Above each command. */
const GAP = 6;

type Line = { text: string; isCommand: boolean };

/** One shell runs all commands; a mark between them divides what they print. */
async function record(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), "formflag-picture-"));
  const steps = COMMANDS.map(
    (command) => `${command}\nuntil formflag healthcheck -q 2>/dev/null; do :; done; echo; echo ---`,
  );
  const shell = Bun.spawn(["bash", "-c", `exec 2>&1\n${steps.join("\n")}\nkill $!`], {
    cwd: folder,
    env: {
      PATH: `${join(import.meta.dir, "../dist")}:${process.env["PATH"]}`,
      HOME: folder,
      FORMFLAG_LOG_LEVEL: "warn",
    },
  });
  const outputs = (await new Response(shell.stdout).text()).split("\n---\n");
  rmSync(folder, { recursive: true });
  return COMMANDS.flatMap((command, index) => [
    { text: `$ ${command}`, isCommand: true },
    ...linesOf(outputs[index]!).map((text) => ({ text, isCommand: false })),
  ]);
}

/** Lines as a terminal of `COLUMNS` columns breaks them. */
function linesOf(output: string): string[] {
  const lines = output.trim() === "" ? [] : output.trimEnd().split("\n");
  return lines.flatMap((line) => line.match(new RegExp(`.{1,${COLUMNS}}`, "g")) ?? [""]);
}

function draw(lines: Line[]): string {
  const width = COLUMNS * CHAR + 2 * PADDING;
  let y = PADDING - GAP - 5;
  const texts = lines.map(({ text, isCommand }) => {
    y += LINE + (isCommand ? GAP : 0);
    const shown = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const length = `textLength="${text.length * CHAR}" lengthAdjust="spacingAndGlyphs"`;
    return (
      text && `<text${isCommand ? ' class="command"' : ""} x="${PADDING}" y="${y}" ${length}>${shown}</text>`
    );
  });
  const height = y + PADDING + 5;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Commands of formflag and what they print">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #59636e; white-space: pre; }
.command { fill: #1f2328; font-weight: 600; }
.screen { fill: #f6f8fa; stroke: #d1d9e0; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .command { fill: #f0f6fc; }
  .screen { fill: #151b23; stroke: #3d444d; }
}
</style>
<rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.filter(Boolean).join("\n")}
</svg>
`;
}

await Bun.write("docs/pictures/terminal.svg", draw(await record()));
