import { isoTime } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Download } from "../../../src/operations/deployment.ts";
import { RECORDED } from "../../data/backups.ts";
import { lowerPriority } from "../../data/priority.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** A process that makes or verifies a backup. */
type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** The commands of backups as processes of their own, with less priority, so that the server never waits for them. */
export type BackupCommands = {
  isRunning: () => boolean;
  /**
   * Runs `formflag backup` with these arguments to its end, with its temporary files in a folder, or with null where those of the
   * server are. Returns what it prints as JSON. Throws `unavailable` with its error, whose cause is what else the log should have.
   */
  run: (folder: string | null, ...args: string[]) => Promise<Record<string, unknown>>;
  /** Begins a backup that is downloaded. Throws `unavailable` if it fails before it writes anything. */
  download: (now: number) => Promise<Download>;
  /** Ends the running backups, and begins no more. */
  stop: () => void;
};

/** Creates the commands; in `env` they find the data of the server. `program` is the command line before them. */
export function createBackupCommands(
  env: Record<string, string | undefined>,
  program = ownCommand(),
): BackupCommands {
  const children = new Set<Child>();
  let isStopping = false;

  const start = (args: string[], more: Record<string, string> = {}): Child => {
    if (isStopping) throw new AppError("unavailable", "the server is about to stop");
    const child = Bun.spawn([...program, "backup", ...args], {
      // Options win over variables in a server, and its commands get what it uses.
      env: { ...env, FORMFLAG_BACKUP_RECIPIENT: undefined, [RECORDED]: "1", ...more },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    lowerPriority(child.pid);
    children.add(child);
    void child.exited.then(() => children.delete(child));
    return child;
  };

  return {
    isRunning: () => children.size > 0,
    async run(folder, ...args) {
      const child = start([...args, "--json"], folder === null ? {} : { TMPDIR: folder });
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      if (code !== 0) throw failed(err, code);
      return JSON.parse(out) as Record<string, unknown>;
    },
    async download(now) {
      const child = start(["create", "--output", "-"]);
      const reader = child.stdout.getReader();
      const first = await reader.read();
      if (first.done) throw failed(await new Response(child.stderr).text(), await child.exited);
      const time = isoTime(now).slice(0, 19).replaceAll(/[-:]/g, "");
      return {
        name: `formflag-backup-${time}Z.tar`,
        type: "application/x-tar",
        size: null,
        rows: null,
        content: archiveOf(child, reader, first.value),
      };
    },
    stop() {
      isStopping = true;
      for (const child of children) child.kill();
    },
  };
}

/** The output of a process. An error breaks the download off: its end would look as if it was whole. */
async function* archiveOf(
  child: Child,
  reader: { read: () => Promise<{ value?: Uint8Array | undefined }> },
  first: Uint8Array,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await reader.read(); next.value; next = await reader.read()) yield next.value;
    const code = await child.exited;
    if (code !== 0) throw failed(await new Response(child.stderr).text(), code);
  } finally {
    // No effect on one that has ended.
    child.kill();
  }
}

/** The error of a command that failed, by its standard error, with the stack of a bug as the cause. */
function failed(stderr: string, exitCode: number): AppError {
  const lastLine = stderr.trimEnd().split("\n").at(-1)!;
  try {
    const { code, message, hint } = (JSON.parse(lastLine) as { error: Record<string, string> }).error;
    return new AppError("unavailable", message!, { cause: code === "internal" ? hint : undefined });
  } catch {
    const [, message, more] = /^error: (.+)\n?([^]*)$/m.exec(stderr) ?? [];
    return new AppError("unavailable", message ?? `the backup ended with exit code ${exitCode}`, {
      cause: (more ?? stderr).trim() || undefined,
    });
  }
}

/** The command line that starts this program: the executable, which has no files beside it, or its source. */
function ownCommand(): string[] {
  const source = join(import.meta.dir, "../..", "main.ts");
  return existsSync(source) ? [process.execPath, source] : [process.execPath];
}
