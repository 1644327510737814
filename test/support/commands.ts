import { run } from "../../cli/main.ts";
import { createIo } from "../../cli/output/terminal.ts";
import { newDatabase } from "./database.ts";
import { tempDirectory } from "./temp.ts";

/** Commands in this process, on real data: a tenth of the time of starting the executable. */

export type RunOptions = {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array<ArrayBuffer>;
  /** Whether standard output is a file on a disk that is full. */
  isFull?: boolean;
};

export type RunResult = { code: number; stdout: string; stderr: string };

/** The only variables that a command sees, so that nothing of the machine's own settings reaches a test. */
export function environment(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...env };
}

/** Runs a command line to its end, as the executable does without a terminal. */
export async function formflag(
  args: string[],
  { cwd, env, stdin, isFull }: RunOptions = {},
): Promise<RunResult> {
  const stdout: Buffer[] = [];
  let stderr = "";
  const io = createIo(
    {
      async writeOut(text) {
        if (isFull) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        stdout.push(Buffer.from(text));
      },
      writeErr: async (text) => void (stderr += text),
      stdin: () => new Blob([stdin ?? ""]).stream(),
      isTerminal: () => false,
      columns: () => 80,
    },
    env ?? {},
  );
  const leave = await enter({
    cwd: cwd ?? (namesData(args) ? null : tempDirectory()),
    env: environment(env),
  });
  try {
    const code = await run(args, io);
    return { code, stdout: Buffer.concat(stdout).toString(), stderr };
  } finally {
    leave();
  }
}

/** Whether a command line says where its data is, so that it leaves the current directory alone. */
function namesData(args: string[]): boolean {
  return args.some((each) => /^--(data|server|database)\b/.test(each));
}

/** What a command finds around it, which belongs to the whole process. */
type Surroundings = { cwd: string | null; env: Record<string, string> };

/** The surroundings that commands run in now, how many do, and what fulfils once none does. */
let current: { key: string; users: number; restore: () => void; left: PromiseWithResolvers<void> } | null =
  null;

/** Waits until no command runs in other surroundings, and returns what ends the stay in these. */
async function enter(wanted: Surroundings): Promise<() => void> {
  const key = JSON.stringify(wanted);
  for (let other = current; other !== null && other.key !== key; other = current) await other.left.promise;
  current ??= { key, users: 0, restore: surround(wanted), left: Promise.withResolvers() };
  const mine = current;
  mine.users += 1;
  return () => {
    mine.users -= 1;
    if (mine.users > 0) return;
    mine.restore();
    current = null;
    mine.left.resolve();
  };
}

/** Returns what puts back the surroundings that were before. */
function surround({ cwd, env }: Surroundings): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, umask: process.umask(0o077) };
  setEnvironment(env);
  if (cwd !== null) process.chdir(cwd);
  return () => {
    process.chdir(before.cwd);
    setEnvironment(before.env);
    process.umask(before.umask);
  };
}

function setEnvironment(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** A data directory whose database holds nothing. */
export function emptyData(): string {
  const data = tempDirectory();
  newDatabase(data);
  return data;
}

/** Commands on one data directory; with `runExecutable` as `runCommand` each is a process of its own. */
export function onData(data: string, runCommand: (args: string[]) => Promise<RunResult> = formflag) {
  return {
    run: (...args: string[]) => runCommand([...args, "--data", data]),
    /** The parsed output of a command that has to succeed. */
    async json<T>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await runCommand([...args, "--data", data, "--json"]);
      if (code !== 0) throw new Error(`formflag ${args.join(" ")} exited ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
}
