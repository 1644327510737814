import { afterAll } from "bun:test";
import { existsSync, readFileSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { type RunResult, environment } from "../commands.ts";
import { eventually } from "../eventually.ts";
import { EXECUTABLE } from "../executable.ts";
import { need, programAt } from "../needs.ts";
import { tempDirectory } from "../temp.ts";

/** A machine of its own on which systemd is process 1, with a copy of the files of this one, and on its network. */
export type Machine = {
  /** What stands before a program of it, with no variables. */
  inside: string[];
  /** Runs a program on it as root. */
  run: (...command: string[]) => Promise<RunResult>;
  /** As `run`; throws if the program fails. Returns what it prints. */
  must: (...command: string[]) => Promise<string>;
  /** The path here of a file there. */
  path: (file: string) => string;
};

/** The executable on such a machine before it is installed. */
export const INSTALLER = "/srv/formflag";

const SYSTEMD = "/lib/systemd/systemd";

/** Boots a machine that ends with the test file. Null where this machine lets nobody do that, with the reason reported. */
export async function bootMachine(): Promise<Machine | null> {
  const tests = "the service under systemd";
  const missing = (why: string) => (need(false, `${tests}: ${why}`), null);
  if (process.getuid?.() !== 0) return missing("the tests do not run as root");
  if (!existsSync(SYSTEMD)) return missing("systemd is not installed");
  if (!["unshare", "nsenter", "setpriv"].every((name) => programAt(name, tests))) return null;
  const boot = Bun.spawn(
    // It ends with this process, whatever ends that.
    [
      "setpriv",
      "--pdeathsig",
      "KILL",
      "unshare",
      "--mount",
      join(import.meta.dir, "boot.sh"),
      tempDirectory(),
      EXECUTABLE,
    ],
    { env: environment(), stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const stderr = new Response(boot.stderr).text();
  const pid = await eventually("systemd has started, or the boot has failed", () =>
    boot.exitCode === null ? systemdBelow(boot.pid) : -1,
  );
  if (pid === -1) return missing((await stderr).trim());
  afterAll(async () => {
    const group = groupOf(boot.pid);
    boot.kill("SIGKILL");
    await boot.exited;
    await eventually("the machine is gone", () => removeGroup(group));
  });
  const inside = [
    "nsenter",
    "--target",
    String(pid),
    ..."-m -p -C -i -u -r -w".split(" "),
    "--",
    "env",
    "-i",
  ];
  const run = async (...command: string[]) => {
    const child = Bun.spawn([...inside, `PATH=${process.env["PATH"]}`, "HOME=/root", ...command], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    const [stdout, stderr] = (await Promise.all(texts)) as [string, string];
    return { code: await child.exited, stdout, stderr };
  };
  const must = async (...command: string[]) => {
    const { code, stdout, stderr } = await run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")} exited ${code}: ${stderr}`);
    return stdout;
  };
  await eventually("the machine is up", async () =>
    /running|degraded/.test((await run("systemctl", "is-system-running")).stdout),
  );
  return { inside, run, must, path: (file) => join(`/proc/${pid}/root`, file) };
}

/** The id here of the process 1 that a process has started; null before. */
function systemdBelow(pid: number): number | null {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    return readFileSync(`/proc/${child}/comm`, "utf8") === "systemd\n" ? Number(child) : null;
  } catch {
    // There is no child yet, or one that prepares the machine and has ended meanwhile.
    return null;
  }
}

/** The folder of the control group of a machine. */
function groupOf(pid: number): string {
  const [, mount] = /^\S+ (\S+) cgroup2 /m.exec(readFileSync("/proc/mounts", "utf8")) ?? [];
  const [, group] = /^0::(.*\/formflag-test-\d+)/m.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8")) ?? [];
  if (mount === undefined || group === undefined) throw new Error(`the control group of ${pid} is not known`);
  return join(mount, group);
}

/** Removes an empty control group with those below it. Whether it is gone. */
function removeGroup(group: string): boolean {
  if (!existsSync(group)) return true;
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(group, entry.name));
  try {
    rmdirSync(group);
    return true;
  } catch {
    // A process in it has not ended yet.
    return false;
  }
}
