import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { eventually } from "../eventually.ts";
import { canConnect, freePort } from "../peers/ports.ts";

const PROGRAM = Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` });

/** Whether pgbouncer is installed. */
export const HAS_POOLER = PROGRAM !== null;

/** It refuses root. */
const NOBODY = 65534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Starts a pgbouncer in transaction mode before a PostgreSQL of this machine, and returns its port. It ends after the test file. */
export async function startPooler(to: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "formflag-pgbouncer-"));
  chmodSync(directory, 0o755);
  const port = freePort();
  const users = join(directory, "users.txt");
  writeFileSync(users, '"postgres" ""\n');
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: users,
    pool_mode: "transaction",
    default_pool_size: 30,
    max_client_conn: 500,
    // A database that is started again is tried at once.
    server_login_retry: 0.1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${to}\n[pgbouncer]\n${lines.join("\n")}\n`);
  const child = Bun.spawn([PROGRAM!, "-q", file], { ...user, stdio: ["ignore", "ignore", "ignore"] });
  afterAll(() => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true });
  });
  await eventually("pgbouncer", () => canConnect(port));
  return port;
}
