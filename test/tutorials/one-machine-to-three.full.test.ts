import { appendFileSync, chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { programAt } from "../support/needs.ts";
import { createCertificates } from "../support/peers/mail-sink.ts";
import { hasPostgres, createPostgres } from "../support/postgres/postgres-server.ts";
import { startFakeS3 } from "../support/s3/s3.ts";
import { type Machine, bootMachine } from "../support/systemd/machine.ts";
import { hostsFile, isInNetwork, readPage } from "../support/tutorials/network.ts";
import { stepsOf } from "../support/tutorials/page.ts";
import type { Terminal } from "../support/tutorials/terminal.ts";
import { typePage } from "../support/tutorials/typist.ts";
import { createUser, openUserTerminal } from "../support/tutorials/user.ts";

const TITLE = "From one machine to three";
const HOSTS = {
  "10.0.0.5": "proxy forms.example.com",
  "10.0.0.11": "one",
  "10.0.0.12": "two",
  "10.0.0.13": "three",
  "10.0.0.20": "db.example.com",
  "10.0.0.30": "s3.example.com",
};
const NAMES = ["one", "two", "three", "proxy"];
const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

/** As psql, for the options of the page: prints the command tag of each statement. The executable is also a runtime. */
const PSQL = `#!/usr/bin/env -S BUN_BE_BUN=1 /usr/local/bin/formflag
const [, , h, host, u, user, f, file] = process.argv;
if (h !== "-h" || u !== "-U" || f !== "-f") throw new Error("other options");
const sql = new Bun.SQL({ adapter: "postgres", hostname: "127.0.0.1", port: 5432, username: user, database: "postgres" });
for (const statement of (await Bun.file(file).text()).split(";").filter((each) => each.trim() !== "")) {
  await sql.unsafe(statement);
  console.log(statement.trim().split(" ").slice(0, 2).join(" "));
}
await sql.close();
`;

type Certificates = Awaited<ReturnType<typeof createCertificates>>;

/** What each machine of the page has before its first step. */
async function prepare(name: string, machine: Machine, { ca, here }: Certificates): Promise<Terminal> {
  const { path, must } = machine;
  await must("hostname", name);
  writeFileSync(path("/etc/hosts"), hostsFile(HOSTS));
  appendFileSync(path(BUNDLE), ca);
  copyFileSync(EXECUTABLE, path("/usr/local/bin/formflag"));
  const unit = path("/etc/systemd/system/formflag.service.d");
  mkdirSync(unit, { recursive: true });
  writeFileSync(`${unit}/peers.conf`, `[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=${BUNDLE}\n`);
  if (name === "one") {
    writeFileSync(path("/usr/local/bin/psql"), PSQL);
    chmodSync(path("/usr/local/bin/psql"), 0o755);
    await must("formflag", "service", "install", "--listen", "10.0.0.11:8787");
    const form = ["contact", "--uploads", "on", "--field", "key"];
    const key = await must("env", "--chdir=/", "formflag", "forms", "create", ...form);
    const body = new FormData();
    body.append("message", "earlier");
    body.append("cv", new File(["hello"], "cv.txt"));
    const sent = await fetch(`http://10.0.0.11:8787/v1/s/${key.trim()}?mode=rest`, { method: "POST", body });
    expect(sent.status).toBe(200);
  }
  if (name === "proxy") {
    const folder = "/etc/letsencrypt/live/forms.example.com";
    mkdirSync(path(folder), { recursive: true });
    writeFileSync(path(`${folder}/fullchain.pem`), here.cert);
    writeFileSync(path(`${folder}/privkey.pem`), here.key);
  }
  await createUser(machine, "ann");
  return openUserTerminal(machine, "ann", { NODE_EXTRA_CA_CERTS: BUNDLE });
}

const isHere = programAt("nginx", TITLE) !== null && hasPostgres();

if (isInNetwork(import.meta.path, TITLE, HOSTS)) {
  const machines = isHere ? await Promise.all(NAMES.map(() => bootMachine())) : [];
  describe.skipIf(!machines.every(Boolean) || !isHere)(TITLE, () => {
    test("is typed by a user with sudo on each machine", async () => {
      const certificates = await createCertificates("DNS:forms.example.com,DNS:s3.example.com");
      await createPostgres({ port: 5432, settings: { listen_addresses: "127.0.0.1,10.0.0.20" } });
      const bucket = startFakeS3({ hostname: "10.0.0.30", port: 9000, tls: certificates.here });
      // What reaches formflag is from the proxy.
      for (const host of [11, 12, 13])
        await Bun.$`ip route replace local 10.0.0.${host} dev lo table local src 10.0.0.5`;
      const terminals = new Map<string, Terminal>();
      for (const [index, name] of NAMES.entries())
        terminals.set(name, await prepare(name, machines[index]!, certificates));
      const differences = await typePage(stepsOf(readPage("tutorials/one-machine-to-three.md")), {
        terminalsOf: ({ before }) => {
          const where = /\bOn (.*)/i.exec(before)?.[1] ?? "`one`";
          return NAMES.filter((name) => where.includes(`\`${name}\``)).map((name) => terminals.get(name)!);
        },
        after: {
          "start formflag": () =>
            eventually(
              "it listens",
              async () => (await fetch("http://10.0.0.11:8787/readyz").catch(() => null))?.ok,
            ),
        },
        stands: { "example.com:9000": "example.com:9000&region=eu-test-1" },
      });
      expect(differences).toEqual([]);
      expect(bucket.objects.size).toBe(1);
    });
  });
}
