import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A short trial of an executable that was just built, also for another machine than this one. */

/** Names of processors in qemu and in Debian's cross libraries. */
const GNU: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };

/** How a loader that lacks a library ends a program. */
const NOT_LOADED = 127;

/** How a file of this `format` is started here: the words before its name; null if it cannot be. */
export function launcherOf(format: string, baseline: boolean): string[] | null {
  const [kind, machine = "", interpreter = ""] = format.split(" ");
  const isOwn = machine === process.arch;
  if (kind !== "ELF")
    return isOwn && { "Mach-O": "darwin", PE: "win32" }[kind!] === process.platform ? [] : null;
  if (process.platform !== "linux") return null;
  const qemu = Bun.which(`qemu-${GNU[machine]}`);
  // The oldest processor that has what the runtime asks for.
  if (baseline && isOwn && qemu) return [qemu, "-cpu", "Nehalem"];
  if (isOwn && existsSync(interpreter)) return [];
  const root = `/usr/${GNU[machine]}-linux-gnu`;
  return qemu && existsSync(root + interpreter) ? [qemu, "-L", root] : null;
}

/**
 * Sets and reads a flag, serves, and takes in a submission. Returns false if this machine lacks a library that the
 * executable needs; throws if anything else goes wrong.
 */
export async function tryOut(command: string[], version: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "formflag-trial-"));
  const data = join(folder, "data");
  // Without the settings of this machine.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("FORMFLAG_")),
  );
  const start = (...args: string[]) =>
    Bun.spawn([...command, ...args], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const run = async (...args: string[]) => {
    const child = start(...args);
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { out, err, code };
  };
  const succeed = async (...args: string[]) => {
    const { out, err, code } = await run(...args, "--data", data);
    if (code !== 0) throw new Error(`formflag ${args.join(" ")} exited ${code}: ${err}`);
    return out;
  };
  try {
    const { out, err, code } = await run("--version");
    if (code === NOT_LOADED) return false;
    if (out !== `${version}\n`)
      throw new Error(`--version exited ${code} with ${out || err}, not ${version}`);

    await succeed("projects", "create", "shop");
    await succeed("flags", "set", "trial", "-p", "shop", "-e", "production", "--on");
    const flag = JSON.parse(
      await succeed("flags", "get", "trial", "-p", "shop", "-e", "production", "--json"),
    );
    if (flag.enabled !== true) throw new Error(`the flag that was set reads ${JSON.stringify(flag)}`);

    const { key } = JSON.parse(await succeed("forms", "create", "trial", "--uploads", "on", "--json"));
    const server = start("serve", "--data", data, "--listen", "127.0.0.1:0");
    try {
      const url = await listening(server.stderr);
      const body = new FormData();
      body.set("name", "Ann");
      body.set("file", new File(["a file"], "file.txt"));
      const answer = await fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body });
      if (answer.status !== 200) throw new Error(`a submission was answered ${await answer.text()}`);
    } finally {
      server.kill();
      await server.exited;
    }
    const stored = JSON.parse(await succeed("submissions", "list", "trial", "--json"));
    if (stored[0]?.data.name !== "Ann") throw new Error(`what was submitted reads ${JSON.stringify(stored)}`);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let printed = "";
  const decoder = new TextDecoder();
  for await (const chunk of stderr) {
    printed += decoder.decode(chunk, { stream: true });
    const url = /^listening on (\S+)\n/m.exec(printed)?.[1];
    if (url) return url;
  }
  throw new Error(`serve ended: ${printed}`);
}
