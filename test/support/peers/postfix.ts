import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { eventually } from "../eventually.ts";
import { need } from "../needs.ts";
import { tempDirectory } from "../temp.ts";
import { freePort } from "./ports.ts";

const DAEMONS = "/usr/lib/postfix/sbin";

/** The users and the group of Debian that stand apart from each other, as Postfix wants it; it adds its own when it is installed. */
const [OWNER, GROUP, OTHERS] = ["daemon", "games", "nobody"];
const OWNER_ID = 1;

/** Whether Postfix of Debian can run here: its master is started by root. */
export const IS_POSTFIX_HERE =
  need(existsSync(`${DAEMONS}/master`), "mail through Postfix: postfix is not installed") &&
  need(process.getuid?.() === 0, "mail through Postfix: its master needs root");

const SERVICES = `cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

const QUEUES = "active bounce corrupt defer deferred flush hold incoming maildrop private public saved trace";

/** A Postfix of its own on a free port, which discards what it takes. `refusals` are answers by the address of the recipient. */
export async function startPostfix(refusals: Readonly<Record<string, string>>) {
  const root = tempDirectory();
  const at = (name: string) => join(root, name);
  const queues = QUEUES.split(" ").map((queue) => `spool/${queue}`);
  for (const name of ["conf", "spool", "spool/pid", "lib", ...queues]) mkdirSync(at(name));
  for (const name of ["lib", ...queues]) chownSync(at(name), OWNER_ID, OWNER_ID);
  // Its processes run as another user.
  chmodSync(root, 0o755);
  const port = freePort();
  const table = Object.entries(refusals).map(([to, answer]) => `{${to}=${answer}}`);
  const settings = {
    compatibility_level: "3.6",
    queue_directory: at("spool"),
    data_directory: at("lib"),
    daemon_directory: DAEMONS,
    mail_owner: OWNER,
    setgid_group: GROUP,
    default_privs: OTHERS,
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    myhostname: "mail.example.net",
    mydestination: "",
    default_transport: "discard:",
    mynetworks: "127.0.0.0/8",
    alias_maps: "",
    alias_database: "",
    maillog_file: at("log"),
    maillog_file_prefixes: root,
    smtpd_recipient_restrictions: `check_recipient_access inline:{ ${table.join(", ")} }, permit_mynetworks, reject`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(at("conf/main.cf"), lines.join(""));
  writeFileSync(at("conf/master.cf"), `127.0.0.1:${port} inet n - n - - smtpd\n${SERVICES}`);
  const child = Bun.spawn([`${DAEMONS}/master`, "-c", at("conf"), "-d"], {
    stdout: "ignore",
    stderr: "ignore",
  });
  afterAll(async () => {
    child.kill();
    await child.exited;
  });
  const log = () => (existsSync(at("log")) ? readFileSync(at("log"), "utf8") : "");
  await eventually("Postfix to start", () => log().includes("daemon started"));
  return { port, log };
}
