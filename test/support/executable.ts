import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { type RunOptions, type RunResult, environment } from "./commands.ts";
import { tempDirectory } from "./temp.ts";

/** Made by `npm run build`, which `npm test` runs first. */
export const EXECUTABLE = join(import.meta.dir, "../../dist/formflag");

if (!existsSync(EXECUTABLE)) throw new Error("dist/formflag is missing: run npm run build");

/** The lines of a server's log that are errors. */
export const errorsIn = (log: string) => log.split("\n").filter((line) => line.includes('"level":"error"'));

/** `under` is what stands before the executable on the command line. */
type ExecutableOptions = RunOptions & { under?: string[] };

/** Runs the executable to its end. What needs no process of its own runs in this one: `commands.ts`. */
export async function runExecutable(
  args: string[],
  { cwd, env, stdin, under = [] }: ExecutableOptions = {},
): Promise<RunResult> {
  const child = Bun.spawn([...under, EXECUTABLE, ...args], {
    cwd: cwd ?? tempDirectory(),
    env: environment(env),
    stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

export type RunningServer = {
  /** `http://127.0.0.1:PORT`, one for each address, in the order they were announced. */
  urls: string[];
  url: string;
  data: string;
  pid: number;
  stderr: () => string;
  /** The exit code, once it has ended. */
  exited: Promise<number>;
  /** Sends the signal and returns the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number>;
};

/** Starts `formflag serve` on free ports, unless `args` name one, and waits until it listens at `addresses` of them. `data` may be none. */
export async function startServer(
  args: string[] = [],
  {
    data = tempDirectory(),
    env,
    addresses = 1,
    under = [],
    spawned = () => {},
  }: {
    data?: string | null;
    env?: Record<string, string>;
    addresses?: number;
    under?: string[];
    /** Called with the id of the process as soon as there is one. */
    spawned?: (pid: number) => void;
  } = {},
): Promise<RunningServer> {
  const command = [
    ...under,
    EXECUTABLE,
    "serve",
    ...(data === null ? [] : ["--data", data]),
    ...(args.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"]),
    ...args,
  ];
  const child = Bun.spawn(command, {
    cwd: tempDirectory(),
    env: environment(env),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  spawned(child.pid);
  afterAll(() => child.kill("SIGKILL"));
  let stderr = "";
  const listening = Promise.withResolvers<string[]>();
  const read = async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      stderr += chunk;
      const urls = [...stderr.matchAll(/^listening on (\S+)\n/gm)].map((match) => match[1]!);
      if (urls.length === addresses) listening.resolve(urls);
    }
    listening.reject(new Error(`the server ended: ${stderr}`));
  };
  void read();
  const urls = await listening.promise;
  return {
    urls,
    url: urls[0]!,
    data: data ?? "",
    pid: child.pid,
    exited: child.exited,
    stderr: () => stderr,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return child.exited;
    },
  };
}
