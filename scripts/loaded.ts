import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs a command line from its source, and writes how many modules it has loaded, and their bytes, to the file of the first
 * argument: of a server those until it listens, and with `.jobs` behind the name those a second later, when it is stopped.
 */

const ROOT = join(import.meta.dir, "..");

const [file, ...args] = process.argv.slice(2);
const { run } = await import("../cli/main.ts");
const { processIo } = await import("../cli/output/terminal.ts");

function note(file: string): void {
  // The runtime lists modules here too.
  const modules = Object.keys(require.cache).filter((path) =>
    /^\/(?:src|cli|node_modules)\//.test(path.replace(ROOT, "")),
  );
  writeFileSync(
    file,
    JSON.stringify([modules.length, modules.reduce((sum, path) => sum + statSync(path).size, 0)]),
  );
}

const io = processIo(process.env);
const err = io.err.bind(io);
io.err = (text) => {
  if (!text.startsWith("listening on")) return err(text);
  note(file!);
  setTimeout(() => {
    note(`${file}.jobs`);
    process.kill(process.pid, "SIGTERM");
  }, 1000);
};
process.exitCode = await run(args, io);
note(file!);
