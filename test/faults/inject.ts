import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { need, programAt } from "../support/needs.ts";
import { DISK, tempDirectory } from "../support/temp.ts";

const STRACE = programAt("strace", "failing system calls");

/**
 * Makes system calls of a running process, in all of its threads, fail with `error` until it is disposed of; with
 * `path` only those on that file.
 */
export function inject(pid: number, calls: string, error: string, path?: string): Promise<AsyncDisposable> {
  return attach(pid, calls, `error=${error}`, path);
}

/** Makes system calls of a running process, in all of its threads, take so long before they begin, in microseconds. */
export function delay(pid: number, calls: string, us: number): Promise<AsyncDisposable> {
  return attach(pid, calls, `delay_enter=${us}`);
}

/** Kills a process before one of its threads makes the n-th of such system calls, unless this is disposed of before. */
export function killAt(pid: number, calls: string, n: number): Promise<AsyncDisposable> {
  return attach(pid, calls, `signal=SIGKILL:when=${n}`);
}

async function attach(pid: number, calls: string, what: string, path?: string): Promise<AsyncDisposable> {
  const filter = ["-e", `trace=${calls}`, "-e", `inject=${calls}:${what}`, ...(path ? ["-P", path] : [])];
  const strace = Bun.spawn([STRACE!, "-f", "-p", String(pid), "-o", "/dev/null", ...filter], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let said = "";
  const read = async () => {
    for await (const chunk of strace.stderr.pipeThrough(new TextDecoderStream())) said += chunk;
  };
  const ended = read();
  await eventually(
    "strace is attached or has ended",
    () => said.includes(" attached") || strace.exitCode !== null,
  );
  if (!said.includes(" attached")) throw new Error(`strace could not attach: ${said}`);
  return {
    async [Symbol.asyncDispose]() {
      strace.kill("SIGTERM");
      // Where the process is killed meanwhile, strace waits for its first thread, which ends after those that strace has not let go.
      const stuck = setTimeout(() => strace.kill("SIGKILL"), 2000);
      await Promise.all([strace.exited, ended]);
      clearTimeout(stuck);
    },
  };
}

/** Whether there is an strace, and it may look into processes that the tests start. */
export async function canInject(): Promise<boolean> {
  if (!STRACE) return false;
  const child = Bun.spawn(["sleep", "60"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  try {
    await using _ = await inject(child.pid, "fsync", "EIO");
    return true;
  } catch {
    return need(false, "failing system calls: strace may not attach to processes");
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** What tmpfs counts in. */
export const PAGE = 4096;

/**
 * A server on a copy of a data directory on a disk of 4 MB of its own, which only it sees; undefined if this
 * machine does not allow that. `data` is the way there from here.
 */
export async function startOnSmallDisk(data: string) {
  const disk = tempDirectory(DISK);
  const script =
    'mount -t tmpfs -o size=4m none "$2" || exit 77; cp -a "$1/." "$2" && exec "$3" serve --data "$2" --listen 127.0.0.1:0';
  const unshare = Bun.which("unshare");
  if (!unshare) return undefined;
  const child = Bun.spawn([unshare, "-rm", "sh", "-c", script, "sh", data, disk, EXECUTABLE], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  afterAll(() => child.kill("SIGKILL"));
  let said = "";
  const read = async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) said += chunk;
  };
  void read();
  const url = () => /^listening on (\S+)\n/m.exec(said)?.[1];
  await eventually("the server listens or has ended", () => url() !== undefined || child.exitCode !== null);
  if (url() === undefined) {
    if (child.exitCode === 77 || said.startsWith("unshare:")) return undefined;
    throw new Error(`the server on the small disk ended: ${said}`);
  }

  const seen = join("/proc", String(child.pid), "root", disk);
  const filler = join(seen, "filler");
  return {
    url: url()!,
    data: seen,
    stderr: () => said,
    /** Fills the disk but for so many pages. */
    fill(free: number) {
      rmSync(filler, { force: true });
      const file = openSync(filler, "w");
      let pages = 0;
      const page = new Uint8Array(PAGE);
      try {
        for (;;) pages += writeSync(file, page) / PAGE;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      }
      ftruncateSync(file, Math.max(0, pages - free) * PAGE);
      closeSync(file);
    },
    empty: () => rmSync(filler, { force: true }),
  };
}
