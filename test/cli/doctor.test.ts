import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { inodeFinding, spaceFinding, fileSystemFinding } from "../../src/maintenance/doctor/disk.ts";
import type { Finding } from "../../src/maintenance/finding.ts";
import { clockFinding } from "../../src/maintenance/doctor/checks.ts";
import { loadSelfSigned } from "../../src/send/acme/load.ts";
import { openUnchanged } from "../../src/store/sqlite/inspect.ts";
import { formflag, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { openMailSink, reply } from "../support/peers/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";
import { isRoot } from "../support/needs.ts";

type Report = { code: number; of: (check: string) => Finding | undefined; findings: Finding[] };

/** What doctor finds of a data directory. Port 0: no address is checked unless it is given. */
async function doctor(data: string, args: string[] = [], env: Record<string, string> = {}): Promise<Report> {
  const all = ["doctor", "--data", data, "--listen", "127.0.0.1:0", "--json", ...args];
  const { code, stdout, stderr } = await formflag(all, { env });
  expect(stderr).toBe("");
  const findings = JSON.parse(stdout) as Finding[];
  return { code, findings, of: (check) => findings.find((finding) => finding.check === check) };
}

async function dataWithProject(): Promise<string> {
  const data = tempDirectory();
  await onData(data).run("projects", "create", "shop");
  return data;
}

/** Every file in a directory, with its size and when it was last changed. */
function contentsOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => ({ name, stats: statSync(join(directory, name)) }))
    .map(({ name, stats }) => (stats.isFile() ? `${name} ${stats.size} ${stats.mtimeMs}` : name));
}

type Answer = (request: Request) => Response | Promise<Response>;

function openOther(
  answer: Answer,
  more: { hostname?: string; tls?: { cert: string; key: string } } = {},
): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer, ...more });
  afterAll(() => server.stop(true));
  return server.url.origin;
}

describe("doctor", () => {
  test("finds nothing broken in a data directory of ours, and leaves it as it is", async () => {
    const data = await dataWithProject();
    const before = contentsOf(data);
    const { code, findings } = await doctor(data);
    expect(findings.filter(({ status }) => status === "problem")).toEqual([]);
    expect(code).toBe(0);
    expect(contentsOf(data)).toEqual(before);
    for (const { status, hint } of findings) expect(hint === null).toBe(status === "ok");
  });

  test("prints one row a check in words, with what to do", async () => {
    const data = join(tempDirectory(), "not there");
    const { code, stdout } = await formflag(["doctor", "--data", data, "--listen", "127.0.0.1:0"]);
    expect(code).toBe(1);
    expect(stdout).toContain(`problem  directory    ${data} does not exist\n`);
    expect(stdout).toContain(`→ name it with --data, or create one: formflag serve --data '${data}'\n`);
    expect(stdout).toEndWith("\n\nproblems: 1, warnings: 0\n");
    expect(existsSync(data)).toBe(false);
  });

  test.skipIf(process.platform === "win32")("tells what other users may read and write", async () => {
    const data = await dataWithProject();
    chmodSync(data, 0o755);
    expect((await doctor(data)).of("permissions")).toMatchObject({ status: "warning" });
    chmodSync(join(data, "formflag.db"), 0o660);
    const { code, of } = await doctor(data);
    expect(of("permissions")).toMatchObject({
      status: "problem",
      message: "other users may write to formflag.db",
      hint: `let only its owner in: chmod -R go= ${data}`,
    });
    expect(code).toBe(1);
    chmodSync(data, 0o700);
    expect((await doctor(data)).of("permissions")).toMatchObject({ status: "ok" });
  });

  // Nothing is closed to root.
  test.skipIf(isRoot())("looks no further in a directory that is closed to it", async () => {
    const data = await dataWithProject();
    chmodSync(data, 0);
    const { code, of } = await doctor(data);
    chmodSync(data, 0o700);
    expect(code).toBe(1);
    expect(of("access")).toMatchObject({ status: "problem", message: expect.stringContaining("EACCES") });
    expect([of("database"), of("server")]).toEqual([undefined, undefined]);
  });

  test("tells a database that is damaged, another program's, or newer, and leaves it", async () => {
    const data = await dataWithProject();
    const file = join(data, "formflag.db");
    const sound = Buffer.from(await Bun.file(file).arrayBuffer());
    using db = openUnchanged(file);
    const page = Number(
      db.query("SELECT rootpage FROM sqlite_schema WHERE name = 'tokens_by_project'").values()[0]![0],
    );
    const cases: [change: (bytes: Buffer) => void, said: string][] = [
      [(bytes) => bytes.fill(0x5a, page * 4096 - 4096, page * 4096), "it is damaged"],
      [(bytes) => bytes.fill(0x5a, 0, 100), "is not a database"],
      // The application id, and the version of the schema: https://www.sqlite.org/fileformat.html
      [(bytes) => bytes.writeUInt32BE(7, 68), `${file} is a database of another program`],
      [(bytes) => bytes.writeUInt32BE(99, 60), "was written by a newer formflag"],
    ];
    for (const [change, said] of cases) {
      const bytes = Buffer.from(sound);
      change(bytes);
      writeFileSync(file, bytes);
      const { code, of } = await doctor(data);
      expect(of("database")).toMatchObject({ status: "problem", message: expect.stringContaining(said) });
      expect(code).toBe(1);
      expect(await Bun.file(file).bytes()).toEqual(new Uint8Array(bytes));
    }
  });

  test("warns of a missing database beside what belongs to one, and not of a new directory", async () => {
    const data = await dataWithProject();
    rmSync(join(data, "formflag.db"));
    const { code, of } = await doctor(data);
    expect([code, of("database")]).toEqual([
      0,
      expect.objectContaining({ status: "warning", message: expect.stringContaining("beside uploads") }),
    ]);
    expect((await doctor(tempDirectory())).of("database")?.status).toBe("ok");
  });

  test("reports what keeps every other command from the data, and changes nothing", async () => {
    const { url, data, stop } = await startServer();
    const { key } = await onData(data).json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
    const body = new FormData();
    body.append("file", new File(["of a sender"], "a.txt"));
    expect((await fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body })).status).toBe(200);
    await stop();
    const cases: ((file: string, uploads: string) => void)[] = [
      (file) => truncateSync(file),
      (_, uploads) => rmSync(uploads, { recursive: true }),
      (file) => writeFileSync(file, "Dear diary"),
      (file) => writeFileSync(join(file, "..", "moved.json"), '{"database":"postgres://db","finished":true}'),
    ];
    for (const make of cases) {
      const copy = join(tempDirectory(), "data");
      cpSync(data, copy, { recursive: true });
      make(join(copy, "formflag.db"), join(copy, "uploads"));
      const before = contentsOf(copy);
      const { code, findings } = await doctor(copy);
      const broken = findings.find(({ status }) => status === "problem");
      expect(code).toBe(1);
      expect(contentsOf(copy)).toEqual(before);
      const { stderr } = await formflag(["projects", "list", "--data", copy]);
      expect(stderr).toStartWith(`error: ${broken!.message}\n`);
    }
  });

  test("says of mail what is missing, and what the mail server answers", async () => {
    const data = await dataWithProject();
    const { of: empty } = await doctor(data);
    expect(empty("mail")).toMatchObject({ status: "ok", message: "no mail server is configured" });
    expect(empty("links")).toBeUndefined();
    await onData(data).run("forms", "create", "contact", "--notify", "ops@example.com");
    await onData(data).run("forms", "create", "order", "--autoreply", "on");
    const { of, code } = await doctor(data);
    expect(code).toBe(0);
    expect(of("mail")).toMatchObject({
      status: "warning",
      message: "no mail server is configured, and the forms contact and order would send mail",
      hint: expect.stringContaining("--smtp-url"),
    });
    expect(of("links")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("links in mail and webhooks of the form contact are paths"),
      hint: expect.stringContaining("--public-url"),
    });
    await onData(data).run("forms", "create", "news", "--opt-in", "email", "--autoreply", "off");
    const asking = (await doctor(data)).findings.filter(({ check }) => ["mail", "links"].includes(check));
    expect(asking.map(({ message }) => message)).toEqual([
      "no mail server is configured, and the forms contact, news and order would send mail",
      "links in mail and webhooks of the form contact are paths, which lead nowhere from outside",
      "no mail asks senders of the form news to confirm",
    ]);

    const sink = await openMailSink({
      authMethods: ["PLAIN"],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === "hunter2" ? done(null, { user: username! }) : done(reply("535 5.7.8 Wrong password")),
    });
    const mail = ["--smtp-url", `smtp://me@127.0.0.1:${sink.port}`, "--mail-from", "forms@example.com"];
    const right = await doctor(data, [...mail, "--public-url", "http://127.0.0.1:9"], {
      FORMFLAG_SMTP_PASSWORD: "hunter2",
    });
    expect(right.of("mail")).toMatchObject({ status: "ok", message: expect.stringContaining("login of me") });
    expect(right.of("links")).toBeUndefined();
    const wrong = await doctor(data, mail, { FORMFLAG_SMTP_PASSWORD: "wrong-secret" });
    expect([wrong.code, wrong.of("mail")]).toEqual([
      1,
      expect.objectContaining({
        status: "problem",
        message: expect.stringContaining("535 5.7.8 Wrong password"),
      }),
    ]);
    expect(JSON.stringify(wrong.findings)).not.toContain("wrong-secret");
    expect(sink.received).toEqual([]);
    expect((await doctor(data, mail)).of("mail")).toMatchObject({
      status: "problem",
      message: 'the SMTP user "me" has no password',
      hint: expect.stringContaining("FORMFLAG_SMTP_PASSWORD"),
    });
  });

  test("warns of target networks that permit everything", async () => {
    const data = await dataWithProject();
    const targets = async (...networks: string[]) => {
      const { of } = await doctor(
        data,
        networks.flatMap((network) => ["--target-network", network]),
      );
      return of("targets");
    };
    expect(await targets()).toMatchObject({ status: "ok", message: "webhooks reach public addresses" });
    expect(await targets("192.168.1.0/24", "10.0.0.0/8")).toMatchObject({
      status: "ok",
      message: "webhooks reach public addresses and addresses in 192.168.1.0/24, 10.0.0.0/8",
    });
    for (const networks of [["0.0.0.0/0"], ["0.0.0.0/1", "128.0.0.0/1"], ["::/0"]]) {
      expect(await targets(...networks)).toMatchObject({ status: "warning" });
    }
  });

  test("tells a large log, uploads that were cut off, and a clock that stands back", async () => {
    const data = await dataWithProject();
    writeFileSync(join(data, "formflag.db-wal"), "");
    truncateSync(join(data, "formflag.db-wal"), 65 * 1024 ** 2);
    const staging = join(data, "uploads", "staging");
    mkdirSync(staging, { recursive: true });
    writeFileSync(join(staging, "cut-off"), "");
    writeFileSync(join(staging, "under-way"), "");
    utimesSync(join(staging, "cut-off"), 0, 0);
    utimesSync(join(data, "formflag.db"), new Date(), new Date(Date.now() + 600_000));
    const { of } = await doctor(data);
    expect(of("log")).toMatchObject({ status: "warning", message: "65 MB of write-ahead log" });
    expect(of("leftovers")).toMatchObject({
      status: "warning",
      message: "1 file of uploads that were cut off",
    });
    expect(of("clock")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("was stored at"),
    });
  });

  test("tells a submission that is dated ahead, though others were stored after it", async () => {
    const data = await dataWithProject();
    await onData(data).run("forms", "create", "contact");
    for (const year of [2090, 2020]) {
      const row = `{"createdAt":"${year}-01-01T00:00:00Z","data":{"a":"1"}}\n`;
      await formflag(["submissions", "import", "contact", "-", "--data", data], { stdin: row });
    }
    expect((await doctor(data)).of("clock")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("was stored at 2090-01-01"),
    });
  });

  test("knows the server on its data directory from another, and from another program", async () => {
    const { url, data, stop } = await startServer();
    const listen = ["--listen", url.replace("http://", "")];
    const own = await doctor(data, listen);
    expect(own.of("server")).toMatchObject({ message: "one runs on this data directory" });
    expect(own.of("address")).toMatchObject({ status: "ok", message: `formflag answers at ${url}` });
    const elsewhere = await doctor(data, ["--listen", "127.0.0.1:1"]);
    expect(elsewhere.of("address")).toMatchObject({ status: "warning" });
    const other = await doctor(await dataWithProject(), listen);
    expect(other.of("address")).toMatchObject({
      status: "warning",
      message: `a formflag on another data directory answers at ${url}`,
    });
    await stop();
    const free = await doctor(data, listen);
    expect(free.of("server")).toMatchObject({ message: "none runs on this data directory" });
    expect(free.of("address")).toMatchObject({ status: "ok", message: `${url} is free` });
    const taken = openOther(() => new Response("hello"));
    const { code, of } = await doctor(data, ["--listen", taken.replace("http://", "")]);
    expect([of("address")?.status, code]).toEqual(["problem", 1]);
  });

  test("tells a proxy that is not trusted, once requests came through it", async () => {
    const { url, data } = await startServer();
    const args = ["--listen", url.replace("http://", ""), "--public-url", url];
    const before = await doctor(data, args);
    expect(before.of("proxy")).toMatchObject({ status: "ok" });
    expect(before.of("public URL")).toMatchObject({ status: "ok" });
    await fetch(`${url}/v1/thanks`, { headers: { "X-Forwarded-For": "203.0.113.7" } });
    expect((await doctor(data, args)).of("proxy")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("not trusted (1 so far)"),
      hint: expect.stringContaining("--trusted-proxy"),
    });
  });

  test("finds a proxy in front before anybody sends through it", async () => {
    const data = await dataWithProject();
    const place = { listen: "", url: "" };
    const proxy = (headers: Record<string, string>) =>
      openOther((request) =>
        fetch(request.url.replace(request.headers.get("host")!, place.listen), { headers }),
      );
    const named = proxy({ "X-Forwarded-For": "203.0.113.7" });
    const found = async (...args: string[]) => {
      const server = await startServer(["--public-url", named, ...args], { data });
      Object.assign(place, { listen: server.url.replace("http://", "") });
      const { of } = await doctor(data, ["--listen", place.listen, "--public-url", named, ...args]);
      await server.stop();
      return of("proxy");
    };
    expect(await found()).toMatchObject({
      status: "warning",
      message: `${named} leads through a proxy that is not trusted: each sender looks like that proxy`,
      hint: expect.stringContaining("--trusted-proxy"),
    });
    expect(await found("--trusted-proxy", "127.0.0.1")).toMatchObject({
      status: "ok",
      message: `trusts 127.0.0.1; ${named} leads through one of them`,
    });
  });

  test("says that it cannot know of a proxy where no request can come through it yet", async () => {
    const data = await dataWithProject();
    expect((await doctor(data)).of("proxy")).toMatchObject({
      status: "ok",
      message: "none is trusted; whether one is in front is not known before a request comes through it",
    });
    expect((await doctor(data, ["--public-url", "http://127.0.0.1:9"])).of("proxy")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("not known: http://127.0.0.1:9 does not lead to the server"),
    });
  });

  test("tells what a public URL answers instead of formflag", async () => {
    const data = await dataWithProject();
    const found = async (answer: () => Response) =>
      (await doctor(data, ["--public-url", openOther(answer)])).of("public URL");
    expect(await found(() => new Response("Bad Gateway", { status: 502 }))).toMatchObject({
      status: "problem",
    });
    expect(await found(() => new Response("hello"))).toMatchObject({ status: "warning" });
    expect(await found(() => Response.redirect("https://forms.example.com/"))).toMatchObject({
      status: "warning",
      message: expect.stringContaining("redirects to https://forms.example.com/"),
    });
  });

  test("says that formflag answers at a public URL whose certificate this machine does not trust", async () => {
    const data = await dataWithProject();
    const tls = await (await loadSelfSigned()).selfSigned([hostname()]);
    const origin = openOther(() => Response.json({ status: "ok" }), { hostname: "0.0.0.0", tls });
    const url = `https://${hostname()}:${new URL(origin).port}`;
    const { of } = await doctor(data, ["--public-url", url]);
    expect(of("public URL")).toMatchObject({
      status: "warning",
      message: `${url}/healthz is answered by formflag, but has a certificate that is not trusted: it signed itself`,
      hint: expect.stringContaining("--ca-file"),
    });
    expect(of("proxy")?.message).not.toContain("does not lead to the server");
    const file = join(data, "root.pem");
    writeFileSync(file, tls.cert);
    const { of: known } = await doctor(data, ["--public-url", url, "--ca-file", file]);
    expect(known("public URL")).toMatchObject({ status: "ok" });
  });

  test("asks the authority of the certificate before the first start, and says what has to be given", async () => {
    const data = await dataWithProject();
    const tls = await (await loadSelfSigned()).selfSigned(["localhost"]);
    const { port } = new URL(
      openOther(
        ({ url }) =>
          url.endsWith("/dir") ? Response.json({ newOrder: url }) : new Response("", { status: 404 }),
        { tls },
      ),
    );
    const ca = join(data, "ca.pem");
    writeFileSync(ca, tls.cert);
    const found = async (path: string, ...args: string[]) => {
      const url = ["--domain", "forms.test", "--acme-url", `https://localhost:${path}`];
      const { of } = await doctor(data, [...url, ...args]);
      expect(of("proxy")).toMatchObject({ status: "ok", message: "none is trusted" });
      expect(of("public URL")?.hint).toBe("does the name lead to this machine, and is its port open?");
      return of("certificate");
    };
    expect(await found(`${port}/dir`)).toMatchObject({
      status: "problem",
      message: expect.stringContaining("is not trusted"),
      hint: expect.stringContaining("--acme-ca <file>, or FORMFLAG_ACME_CA"),
    });
    expect(await found(`${port}/`, "--acme-ca", ca)).toMatchObject({
      status: "problem",
      message: expect.stringContaining("it answered 404"),
      hint: expect.stringContaining("ends in /directory or /dir"),
    });
    expect(await found("1/dir", "--acme-ca", ca)).toMatchObject({
      status: "problem",
      hint: expect.stringContaining("connections to port 1?"),
    });
    expect(await found(`${port}/dir`, "--acme-ca", ca)).toMatchObject({
      status: "ok",
      message: "none yet for forms.test; the server orders it after its start",
    });
  });

  test("refuses options that serve would refuse", async () => {
    const { code, stderr } = await formflag(["doctor", "--trusted-proxy", "nonsense"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--trusted-proxy nonsense is not an address range");
  });
});

test.each([
  [0xef53, "ok"],
  [0x6969, "problem"],
  [0xff534d42, "problem"],
  [0xff534d42 | 0, "problem"],
  [0x65735546, "warning"],
  [0x01021997, "warning"],
  [0x794c7630, "warning"],
  [0x01021994, "warning"],
  [0x12345678, "ok"],
] as const)("file system number %d is found %s", (type, status) => {
  expect(fileSystemFinding("file system", type).status).toBe(status);
});

const GB = 1024 ** 3;

test.each([
  [10 * GB, 100 * GB, "ok"],
  [4 * GB, 100 * GB, "warning"],
  [GB / 2, 2 * GB, "warning"],
  [1024, 100 * GB, "problem"],
] as const)("with %d of %d bytes free, space is found %s", (free, total, status) => {
  expect(spaceFinding("disk space", free, total).status).toBe(status);
});

test.each([
  [500, 1000, "ok"],
  [49, 1000, "warning"],
  [0, 1000, "problem"],
] as const)("with %d of %d inodes free, they are found %s", (free, total, status) => {
  expect(inodeFinding("inodes", free, total).status).toBe(status);
});

test.each([
  ["2027-01-01T00:00:00Z", 0, "ok"],
  ["2027-01-01T00:00:00Z", Date.parse("2027-01-01T00:00:30Z"), "ok"],
  ["2027-01-01T00:00:00Z", Date.parse("2027-01-01T00:02:00Z"), "warning"],
  ["1970-01-01T00:03:00Z", 0, "problem"],
] as const)("a clock of %s, with something stored at %d, is found %s", (now, newest, status) => {
  expect(clockFinding(Date.parse(now), newest, false).status).toBe(status);
});
