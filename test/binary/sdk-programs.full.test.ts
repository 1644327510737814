import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const ROOT = join(import.meta.dir, "../..");
const ON = "the new checkout, in green\n";
const OFF = "the old checkout\n";

const server = await startServer(["--flagd-listen", "127.0.0.1:0"], { addresses: 2 });
const cli = onData(server.data);
await cli.json("projects", "create", "shop");
const place = ["-p", "shop", "-e", "production"];
const set = (...options: string[]) => cli.json("flags", "set", "new-checkout", ...place, ...options);
const tokenFor = async (name: string, scope: string) =>
  (await cli.json<{ token: string }>("tokens", "create", name, "--scope", scope, ...place)).token;

await set("--on", "--payload", '{"color":"green"}');
const evaluate = await tokenFor("web-shop", "flags:evaluate");
const rules = await tokenFor("web-shop-rules", "flags:sync");

/** The programs of a section of docs/guides/sdks.md, each in a folder where it finds the packages. */
function programOf(heading: string, fill: (program: string) => string = (program) => program): string {
  const page = readFileSync(join(ROOT, "docs/guides/sdks.md"), "utf8");
  const section = page.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
  const folder = tempDirectory();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, "app.mjs");
  writeFileSync(file, fill(/```js\n([^]*?)```/.exec(section)![1]!));
  return file;
}

function start(command: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(["node", ...command], {
    env: { PATH: process.env["PATH"], ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  let stdout = "";
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) stdout += text;
  })();
  return { child, reading, stdout: () => stdout };
}

async function run(file: string, env: Record<string, string>): Promise<string> {
  const { child, reading, stdout } = start([file], env);
  const errors = await new Response(child.stderr).text();
  await reading;
  return (await child.exited) === 0 ? stdout() : errors;
}

describe("the programs of docs/guides/sdks.md do as they say, on and off", () => {
  beforeAll(() => set("--on"));

  test.each([
    ["JavaScript on a server", () => ({ FLAGS_URL: server.url, FLAGS_TOKEN: evaluate })],
    [
      "JavaScript on a server, evaluated in the process",
      () => {
        const { hostname, port } = new URL(server.urls[1]!);
        return { FLAGD_HOST: hostname, FLAGD_PORT: port, FLAGS_TOKEN: rules };
      },
    ],
  ])("%s", async (heading, env) => {
    const file = programOf(heading);
    expect(await run(file, env())).toBe(ON);
    await set("--off");
    expect(await run(file, env())).toBe(OFF);
    await set("--on");
  });

  test("JavaScript in a browser", async () => {
    const file = programOf("JavaScript in a browser", (program) =>
      program.replace("http://127.0.0.1:8787", server.url).replace("YOUR_TOKEN", evaluate),
    );
    const page = join(file, "../page.mjs");
    writeFileSync(
      page,
      `import { EventSource } from "eventsource";
globalThis.EventSource = EventSource;
const body = { set textContent(text) { console.log(text); } };
globalThis.document = Object.assign(new EventTarget(), { body, visibilityState: "visible" });`,
    );
    const { child, stdout } = start(["--import", page, file]);
    await eventually("the page", () => stdout() === ON);
    await set("--off");
    await eventually("the change", () => stdout().endsWith(OFF));
    await set("--on");
    await eventually("the next", () => stdout().endsWith(ON));
    child.kill();
  });
});
