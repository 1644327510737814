import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { openMailSink } from "../../support/peers/mail-sink.ts";
import { IS_POSTGRES_HERE, emptyDatabase } from "../../support/postgres/postgres.ts";
import { hasPebble, startPebble } from "../../support/peers/pebble.ts";
import { isReady, readAll, startSource } from "../../support/peers/source.ts";
import { INSTALLER, bootMachine } from "../../support/systemd/machine.ts";
import { sshKeyPair } from "../../support/records/ssh-key.ts";
import { CREDENTIALS } from "../../support/s3/s3-signature.ts";
import { startFakeS3 } from "../../support/s3/s3.ts";
import { tempDirectory } from "../../support/temp.ts";

const machine = await bootMachine();

const PAIRS = join(import.meta.dir, "../../support/tls");
const AUDIT = "/var/log/formflag/audit.jsonl";
const OVERRIDE = "/etc/systemd/system/formflag.service.d/test.conf";

/** A system call that the filter refuses ends the process. */
const LOUD = ["SystemCallErrorNumber=kill"];

/** Settings of the unit that a test changes. */
function override(...settings: string[]): void {
  const file = machine!.path(OVERRIDE);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, ["[Service]", ...settings, ""].join("\n"));
}

/** Installs the service, or changes it, as an administrator does. */
async function install(...options: string[]) {
  const { must } = machine!;
  const listen = options.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
  await must(INSTALLER, "service", "install", ...listen, ...options);
  const run = (await must("systemctl", "show", "-P", "InvocationID", "formflag")).trim();
  const log = () => must("journalctl", "-o", "cat", `_SYSTEMD_INVOCATION_ID=${run}`);
  const urls = await eventually("the addresses", async () => {
    const found = [...(await log()).matchAll(/^listening on (\S+)$/gm)].map((match) => match[1]!);
    return found.length > 0 ? found : null;
  });
  return { log, urls, url: urls[0]! };
}

/** Runs a command beside the service, as docs/guides/running.md says. */
async function beside<T>(...args: string[]): Promise<T> {
  const command = ["/usr/local/bin/formflag", ...args, "--data", "/var/lib/formflag", "--json"];
  const user = ["runuser", "-u", "formflag", "--", "env", "FORMFLAG_TARGET_NETWORK=127.0.0.0/8"];
  return JSON.parse(await machine!.must(...user, ...command)) as T;
}

/** Webhooks and a collector of telemetry that count what they get, by path. */
function openPeer() {
  const counts = new Map<string, number>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
      return Response.json({});
    },
  });
  const url = server.url.href.slice(0, -1);
  return { url, counts, [Symbol.dispose]: () => void server.stop(true) };
}

describe.skipIf(machine === null)("the installed service", () => {
  test("does all that a server does, and calls nothing that its sandbox refuses", async () => {
    using peer = openPeer();
    const sink = await openMailSink();
    override(...LOUD);
    const mail = `--smtp-url smtp://127.0.0.1:${sink.port}?starttls=off --mail-from f@example.com`;
    const places = "--flagd-listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 --target-network 127.0.0.0/8";
    const written = `--backup-dir /var/backups/formflag --audit-file ${AUDIT}`;
    const options = `--threads 2 --mcp ${places} ${mail} ${written} --otlp-endpoint ${peer.url}`;
    const { url, log, urls } = await install(...options.split(" "));
    expect(urls).toHaveLength(3);
    await eventually("a backup", async () => /made the backup \S+ and verified it/.test(await log()));

    const form = await beside<{ key: string }>(
      ..."forms create contact --uploads on --notify a@example.com --retention 90d".split(" "),
    );
    await beside("targets", "add", "contact", `${peer.url}/hook`);
    const body = new FormData();
    body.append("name", "Ann");
    body.append("cv", new File([new Uint8Array(300_000)], "cv.bin"));
    const sent = await fetch(`${url}/v1/s/${form.key}?mode=rest`, { method: "POST", body });
    expect(sent.status).toBe(200);
    await eventually(
      "mail, the webhook and a trace",
      () => sink.received.length === 1 && peer.counts.has("/hook") && peer.counts.has("/v1/traces"),
    );

    const { token } = await beside<{ token: string }>("tokens", "create", "here");
    const statusOf = async (path: string, init: RequestInit = {}) => {
      const headers = { Authorization: `Bearer ${token}`, Origin: url };
      const answer = await fetch(url + path, { ...init, headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    const statuses = await Promise.all(
      [
        "/api/admin/v1/forms/contact/submissions/export?format=csv",
        "/api/admin/v1/status",
        "/openapi.json",
        "/dashboard/sign-in",
        "/readyz",
      ].map(async (path) => [path, await statusOf(path)]),
    );
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
    expect(await statusOf("/api/admin/v1/backups", { method: "POST" })).toBe(200);
    // Its password is checked in a thread of its own.
    const signIn = { method: "POST", body: new URLSearchParams({ name: "ann", password: "x" }) };
    expect(await statusOf("/dashboard/sign-in", signIn)).toBe(401);

    const findings = await beside<{ status: string; message: string }[]>("doctor");
    expect(findings.filter(({ status }) => status === "problem")).toEqual([]);
    expect(await machine!.must("cat", AUDIT)).toContain('"action":"backup.create"');
    await machine!.must("systemctl", "stop", "formflag");
    expect(
      (await log()).split("\n").filter((line) => /"level":"(error|warn)"|SIGSYS|=sys|core/i.test(line)),
    ).toEqual([]);
    expect((await machine!.must("systemctl", "show", "-P", "Result", "formflag")).trim()).toBe("success");
  });

  test("follows another server, with a token in a file of its own", async () => {
    const source = await startSource();
    const { path, must } = machine!;
    mkdirSync(path("/etc/formflag"), { recursive: true });
    const file = path("/etc/formflag/environment");
    writeFileSync(file, `FORMFLAG_TOKEN=${source.tokens.relay}\n`, { mode: 0o600 });
    override(...LOUD);
    const { url, log } = await install("--follow", source.server.url, "--data", "/srv/of-relay");
    await eventually("the relay has flags", () => isReady(url));
    expect(await readAll(url, source)).toEqual(await readAll(source.server.url, source));
    await must("systemctl", "stop", "formflag");
    rmSync(file);
    expect(
      (await log()).split("\n").filter((line) => /"level":"(error|warn)"|SIGSYS|=sys/i.test(line)),
    ).toEqual([]);
  });

  test.skipIf(!IS_POSTGRES_HERE)(
    "backs up a shared database, whose URL is in a file of its own",
    async () => {
      const { path, must } = machine!;
      mkdirSync(path("/etc/formflag"), { recursive: true });
      const file = path("/etc/formflag/environment");
      writeFileSync(file, `FORMFLAG_DATABASE_URL=${await emptyDatabase()}\n`, { mode: 0o600 });
      override(...LOUD);
      const options = ["--data", "/srv/of-database", "--backup-dir", "/var/backups/postgres"];
      const { url, log } = await install("--threads", "2", ...options);
      // Commands of root find it, too.
      const status = await must("env", "--chdir=/", "/usr/local/bin/formflag", "status");
      expect(status).toMatch(/^server +running since .*\n(.*\n)*database +PostgreSQL,/m);
      await eventually("a backup", async () => /made the backup|"level":"error"/.test(await log()));
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      await must("systemctl", "stop", "formflag");
      // As long as data was not moved to it, the service and commands of root stay with the data.
      await must("install", "-d", "-o", "formflag", "-m", "700", "/srv/not-moved");
      await must(INSTALLER, "forms", "create", "first", "--data", "/srv/not-moved");
      await install("--data", "/srv/not-moved");
      expect(await must("env", "--chdir=/", "/usr/local/bin/formflag", "status")).toMatch(
        /^server +running since .*\n(.*\n)*database +SQLite,/m,
      );
      rmSync(file);
      expect((await log()).split("\n").filter((line) => /"level":"error"/.test(line))).toEqual([]);
    },
  );

  test("stores encrypted backups in a bucket, whose credentials are in a file of its own", async () => {
    const bucket = startFakeS3();
    const { path, must } = machine!;
    mkdirSync(path("/etc/formflag"), { recursive: true });
    const file = path("/etc/formflag/environment");
    const variables = Object.entries(CREDENTIALS).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(file, variables.join(""), { mode: 0o600 });
    override(...LOUD);
    const { publicKey } = sshKeyPair("ann, at home");
    const { log } = await install("--backup-to", bucket.url, "--backup-recipient", publicKey);
    await eventually("a backup", async () => /stored the backup|"level":"error"/.test(await log()));
    expect([...bucket.objects.keys()]).toEqual([expect.stringMatching(/formflag-auto-\w+\.tar\.age$/)]);
    const doctor = await must("env", "--chdir=/", "/usr/local/bin/formflag", "doctor", "--json");
    expect(JSON.parse(doctor)).toContainEqual(
      expect.objectContaining({ check: "backup bucket", status: "ok" }),
    );
    rmSync(file);
    expect((await log()).split("\n").filter((line) => /"level":"error"/.test(line))).toEqual([]);
  });

  test("makes backups under a filter that refuses them a lower priority, as units of earlier versions do", async () => {
    override("SystemCallFilter=~setpriority");
    const { log } = await install("--backup-dir", "/var/backups/earlier");
    await eventually("a backup", async () => /made the backup|"level":"error"/.test(await log()));
    expect(await log()).toContain("made the backup ");
  });

  test("finds its data and files in a home directory, and listens on a port under 1024", async () => {
    const { must, path } = machine!;
    override(...LOUD);
    mkdirSync(path("/home/ann"), { recursive: true, mode: 0o700 });
    for (const part of ["cert", "key"])
      copyFileSync(join(PAIRS, `one.${part}.pem`), path(`/home/ann/${part} 1.pem`));
    const files = ["--tls-cert", "/home/ann/cert 1.pem", "--tls-key", "/home/ann/key 1.pem"];
    const folders = ["--data", "/home/ann/da:ta 50%", "--backup-dir", "/home/ann/$HOME"];
    const { url, log } = await install("--listen", "127.0.0.9:80", ...files, ...folders);
    expect(url).toBe("https://127.0.0.9:80");
    expect((await fetch(`${url}/readyz`, { tls: { rejectUnauthorized: false } })).status).toBe(200);
    await eventually("a backup", async () => /made the backup|"level":"error"/.test(await log()));
    expect(await must("ls", "/home/ann/$HOME")).toMatch(/^formflag-auto-\w+\.tar\n/);
  });

  test("has data that commands of another user are told the owner of", async () => {
    const { must, run } = machine!;
    override();
    await install("--data", "/srv/data");
    await must("install", "-d", "-o", "formflag", "-m", "700", "/srv/closed", "/srv/closed/data");
    await must("install", "-d", "-o", "formflag", "-m", "755", "/srv/open");
    const commands = ["forms list", "serve --listen 0", "status", "backup create"];
    for (const [data, message] of [
      ["/srv/data", "open the data directory /srv/data"],
      ["/srv/closed/data", "enter the folder /srv/closed, in which the data directory is"],
      ["/srv/open", "write to the data directory /srv/open"],
    ] as const)
      for (const command of commands) {
        const args = [...command.split(" "), "--data", data];
        const answer = await run("runuser", "-u", "nobody", "--", "/usr/local/bin/formflag", ...args);
        if (data === "/srv/open" && /forms|status|create/.test(command))
          expect([command, answer.code]).toEqual([command, 3]);
        else
          expect([command, answer.stderr]).toEqual([
            command,
            `error: this user may not ${message}, which belongs to formflag\nhint: run this as formflag: put sudo -u formflag before the command\n`,
          ]);
      }
  });

  test("has data that commands of root find by themselves, and others are told the owner of", async () => {
    const { run } = machine!;
    override();
    await install("--data", "/srv/of service");
    const at = (user: string, ...args: string[]) =>
      run("runuser", "-u", user, "--", "env", "--chdir=/", "/usr/local/bin/formflag", ...args);
    for (const user of ["root", "formflag"]) {
      const created = await at(user, "forms", "create", `of-${user}`);
      expect([created.code, created.stderr]).toEqual([
        0,
        expect.stringContaining("using the service's data: /srv/of service\n"),
      ]);
    }
    expect((await at("root", "backup", "create", "-o", "/root/found.tar")).code).toBe(0);
    expect((await at("nobody", "forms", "list")).stderr).toContain("put sudo -u formflag before the command");
    const elsewhere = await run(
      "env",
      "--chdir=/srv",
      "/usr/local/bin/formflag",
      "forms",
      "list",
      "--data",
      "/srv/none",
    );
    expect([elsewhere.code, elsewhere.stderr.includes("using the service")]).toEqual([3, false]);
  });

  test("can use everything that commands of root have left in its data", async () => {
    const { must } = machine!;
    override();
    const data = ["--data", "/srv/shared"];
    // Creates the user.
    await install();
    await must("install", "-d", "-o", "formflag", "-m", "700", "/srv/shared");
    await must(INSTALLER, "forms", "create", "first", ...data);
    await install(...data);
    const form = ["forms", "create", "contact", "--uploads", "on", "--if-not-exists"];
    const ofRoot = (...args: string[]) => must("/usr/local/bin/formflag", ...args, ...data);
    await ofRoot(...form);
    await ofRoot("backup", "create", "-o", "/root/one.tar", "--yes");
    await must("systemctl", "stop", "formflag");
    await ofRoot("check");
    await ofRoot("projects", "create", "shop");
    await ofRoot("backup", "restore", "/root/one.tar", "--replace");
    await must("systemctl", "start", "formflag");
    await ofRoot("backup", "create", "-o", "/root/one.tar", "--yes");
    expect(await must("find", "/srv/shared", "!", "-user", "formflag")).toBe("");
    await must(
      "runuser",
      "-u",
      "formflag",
      "--",
      "/usr/local/bin/formflag",
      "backup",
      "create",
      "-o",
      "/tmp/two.tar",
      "--yes",
      ...data,
    );
  });

  test("goes on as it was where other options are refused, or do not work", async () => {
    const { must, run } = machine!;
    override();
    await install("--mcp");
    const idOf = () => must("systemctl", "show", "-P", "MainPID", "formflag");
    const before = await idOf();
    await must("mkdir", "-p", "/mnt/of-root");
    const refused = await run(INSTALLER, "service", "install", "--backup-dir", "/mnt/of-root");
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("or let it own this one: chown formflag: /mnt/of-root\n"),
    });
    expect(await idOf()).toBe(before);
    using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const failing = await run(INSTALLER, "service", "install", "--listen", `127.0.0.1:${taken.port}`);
    expect(failing).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("the service does not start with these options: it runs as before"),
    });
    expect(await must("systemctl", "show", "-P", "ExecStart", "formflag")).toContain("--mcp");
    expect((await must("systemctl", "is-active", "formflag")).trim()).toBe("active");
  });

  test.skipIf(!hasPebble)("gets a certificate for its domain on ports 80 and 443", async () => {
    override(...LOUD);
    const authority = await startPebble({ httpPort: 80 });
    copyFileSync(authority.ca, machine!.path("/root/authority.pem"));
    const domain = [
      "--domain",
      "forms.example.com",
      "--listen",
      "127.0.0.1:443",
      "--http-listen",
      "127.0.0.1:80",
    ];
    const { log, url } = await install(
      ...domain,
      "--acme-url",
      authority.directory,
      "--acme-ca",
      "/root/authority.pem",
    );
    expect(url).toBe("https://127.0.0.1:443");
    await eventually("a certificate", async () =>
      /got a certificate for forms.example.com/.test(await log()),
    );
    const root = join(tempDirectory(), "root.pem");
    writeFileSync(root, await authority.root());
    const curl = [
      "curl",
      "-sSL",
      "--cacert",
      root,
      "--resolve",
      "*:443:127.0.0.1",
      "--resolve",
      "*:80:127.0.0.1",
    ];
    const child = Bun.spawn([...curl, "http://forms.example.com/healthz"], {
      stdout: "pipe",
      stderr: "inherit",
    });
    expect(await new Response(child.stdout).json()).toEqual({ status: "ok" });
    expect(await beside("status")).toMatchObject({ address: "https://forms.example.com" });
    expect((await log()).split("\n").filter((line) => /"level":"(error|warn)"|SIGSYS/.test(line))).toEqual(
      [],
    );
  });

  test("reads its certificate again at systemctl reload", async () => {
    const { must, path } = machine!;
    override(...LOUD);
    const use = (name: string) => {
      for (const part of ["cert", "key"])
        copyFileSync(join(PAIRS, `${name}.${part}.pem`), path(`/etc/formflag/${part}.pem`));
    };
    mkdirSync(path("/etc/formflag"), { recursive: true });
    use("one");
    const options = ["--tls-cert", "/etc/formflag/cert.pem", "--tls-key", "/etc/formflag/key.pem"];
    const { url, log } = await install(...options);
    expect(url).toStartWith("https:");
    use("two");
    await must("systemctl", "reload", "formflag");
    await eventually("the certificate to be read", async () =>
      (await log()).includes("reloaded the certificate"),
    );
    expect((await fetch(`${url}/healthz`, { tls: { rejectUnauthorized: false } })).status).toBe(200);
  });
});
