import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Writes what the checkout in the current directory stores and backs up: its data directory and archive, as one file for
 * `test/cli/maintenance/schemas/`. Run it at the last commit of a schema: bun scripts/keep-schema.ts FILE.
 */

const file = Bun.argv[2];
if (file === undefined) throw new Error("usage: bun scripts/keep-schema.ts FILE");

const folder = mkdtempSync(join(tmpdir(), "keep-schema-"));
const data = join(folder, "data");
const formflag = (...args: string[]) =>
  Bun.spawnSync(["bun", "cli/main.ts", ...args, "--data", data], { stderr: "pipe" });

const server = Bun.spawn(["bun", "cli/main.ts", "serve", "--listen", "127.0.0.1:0", "--data", data], {
  stderr: "pipe",
});
const url = await addressOf(server.stderr);

// Older versions refuse options that they do not know.
for (const command of [
  "projects create shop",
  "flags set search -p shop -e develop --on --payload [1]",
  'flags set color -p shop -e develop --variants {"on":"red","off":"blue"} --default off --on',
  'segments set adults -p shop -e develop --rule {">=":[{"var":"age"},18]}',
  "forms create contact --uploads on",
  "tokens create ci --scope admin",
  "users create anna --role viewer",
])
  if (formflag(...command.split(" ")).exitCode !== 0) console.warn(`refused: ${command}`);

const form = JSON.parse(formflag("forms", "get", "contact", "--json").stdout.toString()) as { key: string };
for (const [text, ...files] of [["one", "file of one"], ["two", "first", "second"], ["three"]]) {
  const body = new FormData();
  body.append("text", text!);
  for (const [index, content] of files.entries()) body.append(`file${index}`, new File([content], "a.txt"));
  const { status } = await fetch(`${url}/v1/s/${form.key}?mode=rest`, { method: "POST", body });
  if (status !== 200) throw new Error(`a submission was answered ${status}`);
}
if (formflag("backup", "create", "-o", join(folder, "backup.tar")).exitCode !== 0)
  console.warn("refused: backup create");
server.kill();
await server.exited;

for (const name of readdirSync(data)) if (name.endsWith(".lock")) rmSync(join(data, name));
const tar = Bun.spawnSync([
  "tar",
  "-C",
  folder,
  "--owner=0",
  "--group=0",
  "--numeric-owner",
  "-cf",
  "-",
  ".",
]);
await Bun.write(resolve(file), Bun.zstdCompressSync(tar.stdout, { level: 19 }));
rmSync(folder, { recursive: true });

async function addressOf(stderr: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const chunk of stderr.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const address = /listening on (\S+)\n/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the server ended: ${text}`);
}
