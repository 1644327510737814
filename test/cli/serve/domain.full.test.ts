import { X509Certificate } from "node:crypto";
import { globSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, describe, expect, test } from "bun:test";
import { loadSelfSigned } from "../../../src/send/acme/load.ts";
import { onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { type RunningServer, runExecutable, startServer } from "../../support/executable.ts";
import { programAt } from "../../support/needs.ts";
import { BINDING, type Pebble, hasPebble, startPebble } from "../../support/peers/pebble.ts";
import { freePort } from "../../support/peers/ports.ts";
import { tempDirectory } from "../../support/temp.ts";

const NAMES = ["forms.example.com", "www.example.com"];

/** Starts a server for the names with certificates of an authority. */
async function start(
  { directory, ca, httpPort }: Pebble,
  {
    data = tempDirectory(),
    names = NAMES,
    port = httpPort,
    more = [],
    spawned,
  }: {
    data?: string;
    names?: string[];
    port?: number;
    more?: string[];
    spawned?: (pid: number) => void;
  } = {},
): Promise<RunningServer> {
  const args = [
    ...names.flatMap((name) => ["--domain", name]),
    "--acme-url",
    directory,
    "--acme-ca",
    ca,
    "--http-listen",
    `127.0.0.1:${port}`,
    ...more,
  ];
  const server = await startServer(args, { data, addresses: 2, ...(spawned && { spawned }) });
  started.push(server);
  return server;
}

/** Servers that the next test would find at the port to which the authority comes. */
const started: RunningServer[] = [];

/** The certificate that a new connection gets. */
function certificateAt(url: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false },
      () => {
        resolve(new X509Certificate(socket.getPeerCertificate().raw));
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

/** A certificate of another authority, with its key. */
async function own(): Promise<{ cert: string; key: string }> {
  return (await loadSelfSigned()).selfSigned(NAMES);
}

const GARBAGE = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const KEY_IN = /^[^]*END PRIVATE KEY-----\n/;

/** The head of the answer to a request as it is written. */
function rawAnswer(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: "127.0.0.1" }, () => socket.write(request));
    socket.on("data", (bytes) => {
      resolve(bytes.toString());
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

const isIssued = async ({ url }: RunningServer) => (await certificateAt(url)).issuer.includes("Pebble");
const issued = (server: RunningServer) => eventually("a certificate is served", () => isIssued(server));

/** What the server says of the order that failed. */
const refusal = (server: RunningServer) =>
  eventually(
    "the order failed",
    () => /"message":"(No new certificate: [^]*?)"}\n/.exec(server.stderr())?.[1],
  );

/** What plain HTTP answers. */
async function plain({ urls }: RunningServer, path: string, host = NAMES[0]!) {
  return fetch(`${urls[1]}${path}`, { headers: { host }, redirect: "manual" });
}

const closed = freePort();
const authority = hasPebble ? await startPebble() : (null as never);

describe.skipIf(!hasPebble)("serve --domain", () => {
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop("SIGKILL")));
    authority.intercept = () => null;
    authority.window = null;
    await authority.resolve("127.0.0.1");
  });

  test("serves HTTPS with a certificate of the authority that curl trusts, and sends HTTP there", async () => {
    const server = await start(authority);
    await issued(server);
    const root = join(tempDirectory(), "root.pem");
    writeFileSync(root, await authority.root());
    const { port } = new URL(server.url);
    for (const name of NAMES) {
      const at = ["--resolve", `${name}:${port}:127.0.0.1`, `https://${name}:${port}/healthz`];
      const curl = Bun.spawn(["curl", "-sS", "--cacert", root, ...at], { stdout: "pipe", stderr: "inherit" });
      expect(await new Response(curl.stdout).json()).toEqual({ status: "ok" });
    }
    const redirected = await plain(server, "/v1/s/key?mode=rest", NAMES[1]);
    expect([redirected.status, redirected.headers.get("Location")]).toEqual([
      308,
      `https://${NAMES[1]}/v1/s/key?mode=rest`,
    ]);
    const unknown = await plain(server, "/dashboard", "192.0.2.1");
    expect(unknown.headers.get("Location")).toBe(`https://${NAMES[0]}/dashboard`);
    expect((await plain(server, "/.well-known/acme-challenge/none")).status).toBe(404);
  }, 60_000);

  test.each([
    ["GET /x?y HTTP/1.0\r\n\r\n", "308", `https://${NAMES[0]}/x?y`],
    ["GET //evil.example/x HTTP/1.1\r\nHost: a\r\n\r\n", "308", `https://${NAMES[0]}//evil.example/x`],
    ["GET http://evil.example/x HTTP/1.1\r\nHost: evil.example\r\n\r\n", "308", `https://${NAMES[0]}/x`],
    ["CONNECT a:.evil.example HTTP/1.1\r\nHost: a\r\n\r\n", "400", undefined],
    ["GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "308", `https://${NAMES[0]}/`],
    [`GET / HTTP/1.1\r\nHost: ${NAMES[0]}:99999\r\n\r\n`, "400", undefined],
    [`GET / HTTP/1.1\r\nHost: ${NAMES[0]}/@evil.example\r\n\r\n`, "308", `https://${NAMES[0]}/`],
  ])(
    "on plain HTTP answers %j with %s, and logs no error",
    async (request, status, location) => {
      // It is not answered yet, so that there is neither a certificate nor a failure.
      authority.intercept = () => new Promise(() => {});
      const server = await start(authority);
      const answer = await rawAnswer(Number(new URL(server.urls[1]!).port), request);
      expect(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]).toBe(status);
      expect(/^Location: (.*)\r$/m.exec(answer)?.[1]).toBe(location);
      expect(server.stderr()).not.toContain("error");
      await server.stop();
    },
    60_000,
  );

  test("has its public address and its certificate, or why there is none, in status", async () => {
    const [refused, server] = await Promise.all([
      start({ ...authority, directory: `https://127.0.0.1:${closed}/dir` }, { port: freePort() }),
      start(authority),
    ]);
    await Promise.all([refusal(refused), issued(server)]);
    const status = async ({ data }: RunningServer) => (await onData(data).run("status")).stdout;
    expect(await status(server)).toMatch(
      /^certificate +for forms\.example\.com, www\.example\.com, valid until 2\S+Z$/m,
    );
    expect(await status(server)).toMatch(/^address +https:\/\/forms\.example\.com$/m);
    expect(await status(refused)).toMatch(
      /^certificate +none yet for forms\S+ \S+; no new one: .* does not answer: see formflag doctor$/m,
    );
  }, 60_000);

  test("keeps key and certificate for its owner alone, and orders none after a restart", async () => {
    const server = await start(authority);
    await issued(server);
    const before = (await certificateAt(server.url)).fingerprint256;
    await server.stop();
    const files = globSync(join(server.data, "certificates/*/*"));
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600));
    authority.requests = [];
    const again = await start(authority, { data: server.data });
    expect((await certificateAt(again.url)).fingerprint256).toBe(before);
    await again.stop();
    expect(authority.requests.filter((path) => !path.startsWith("/dir"))).toEqual([]);
  }, 60_000);

  test.each([
    [
      "certificate.pem",
      "with the key of another",
      async (text: string) => text.replace(KEY_IN, (await own()).key),
    ],
    ["certificate.pem", "with garbage after it", async (text: string) => text + GARBAGE],
    ["certificate.pem", "cut off", async (text: string) => text.slice(0, 300)],
    ["account.pem", "cut off", async (text: string) => text.slice(0, 100)],
  ])(
    "has another certificate after a start with a %s %s",
    async (name, _, change) => {
      const server = await start(authority, { names: [NAMES[0]!] });
      await issued(server);
      await server.stop();
      const [file] = globSync(join(server.data, "certificates/*", name));
      writeFileSync(file!, await change(readFileSync(file!, "utf8")));
      const again = await start(authority, { data: server.data });
      await eventually(
        "both names",
        async () =>
          (await certificateAt(again.url)).subjectAltName?.includes(NAMES[1]!) && (await isIssued(again)),
      );
      await again.stop();
    },
    60_000,
  );

  test("with another name orders a certificate for all of them, and serves the kept one until then", async () => {
    const server = await start(authority, { names: [NAMES[0]!] });
    await issued(server);
    await server.stop();
    const again = await start(authority, { data: server.data });
    expect(await isIssued(again)).toBe(true);
    await eventually("both names", async () =>
      (await certificateAt(again.url)).subjectAltName?.includes(NAMES[1]!),
    );
  }, 60_000);

  test("serves the kept certificate while the authority is away", async () => {
    const server = await start(authority);
    await issued(server);
    await server.stop();
    const away = { ...authority, directory: `https://127.0.0.1:${freePort()}/dir` };
    const other = await start(away, { data: server.data });
    expect(await refusal(other)).toContain("does not answer");
    await other.stop();
    authority.intercept = () => new Response(null, { status: 503 });
    const again = await start(authority, { data: server.data });
    expect(await isIssued(again)).toBe(true);
  }, 60_000);

  test.each([
    {
      what: "a name without an address",
      prepare: () => authority.resolve(""),
      said: ["the authority finds no address of forms.example.com", "create a record of type A"],
    },
    {
      what: "a port that leads nowhere",
      port: freePort(),
      said: ["the authority does not reach port 80 of forms.example.com", "open port 80 in the firewall"],
    },
    {
      what: "an authority that this machine does not trust",
      at: { ca: join(import.meta.dir, "../../support/tls/two.cert.pem") },
      said: ["is not trusted", "--acme-ca <file>, or FORMFLAG_ACME_CA"],
    },
    {
      what: "an address that is not that of its directory",
      at: { directory: new URL("/", authority?.directory ?? "https://a.example").href },
      said: ["is not the address of the directory", "it answered 404", "ends in /directory or /dir"],
    },
    {
      what: "an authority that is away",
      at: { directory: `https://127.0.0.1:${closed}/dir` },
      said: ["does not answer", `may it open connections to port ${closed}?`],
    },
    {
      what: "an authority that has enough",
      intercept: (request: Request) =>
        request.url.endsWith("/order-plz")
          ? Response.json(
              { type: "urn:ietf:params:acme:error:rateLimited", detail: "too many certificates" },
              { status: 429, headers: { "Retry-After": "86400" } },
            )
          : null,
      said: ["the authority takes no more orders for now: too many certificates"],
      waits: 21_600,
    },
    {
      what: "an authority that writes what terminals obey",
      intercept: (request: Request) =>
        request.url.endsWith("/order-plz")
          ? Response.json({ type: "x", detail: "no\u001b[31m\u0007 \u202eway" }, { status: 403 })
          : null,
      said: ["the authority issued no certificate: no [31m way"],
    },
    {
      what: "a record that forbids it",
      intercept: (request: Request) =>
        request.url.endsWith("/order-plz")
          ? Response.json({ type: "urn:ietf:params:acme:error:caa", detail: "CAA" }, { status: 403 })
          : null,
      said: ["a CAA record forbids the authority to issue a certificate for forms.example.com: CAA"],
    },
  ])(
    "says on port 80 and in the log what is wrong with $what, and when it tries again",
    async ({ prepare, port, at, intercept, said, waits = 55 }) => {
      await prepare?.();
      if (intercept) authority.intercept = intercept;
      const server = await start({ ...authority, ...at }, { names: [NAMES[0]!], ...(port && { port }) });
      const message = await refusal(server);
      const answer = await plain(server, "/");
      const text = await answer.text();
      expect(answer.status).toBe(503);
      for (const part of said) {
        expect(message.toLowerCase()).toInclude(part.toLowerCase());
        expect(text.toLowerCase()).toInclude(part.toLowerCase());
      }
      const next = Date.parse(/Next try: (\S+)/.exec(text)![1]!);
      expect(next).toBeGreaterThan(Date.now() + (waits - 30) * 1000);
      expect((await certificateAt(server.url)).subject).toContain("no certificate yet");
      await server.stop();
    },
    60_000,
  );

  test("says that a name leads to another server", async () => {
    using other = Bun.serve({
      hostname: "127.0.0.1",
      port: authority.httpPort,
      fetch: () => new Response("other"),
    });
    expect(other.port).toBe(authority.httpPort);
    const server = await start(authority, { names: [NAMES[0]!], port: freePort() });
    expect(await refusal(server)).toContain("forms.example.com does not lead to this server");
  }, 60_000);

  test("orders at most five times an hour, however often it starts", async () => {
    const data = tempDirectory();
    authority.intercept = (request) =>
      request.url.endsWith("/order-plz") ? new Response(null, { status: 503 }) : null;
    for (let starts = 0; starts < 5; starts += 1) {
      const server = await start(authority, { data });
      await refusal(server);
      await server.stop();
    }
    authority.requests = [];
    const server = await start(authority, { data });
    await eventually("the next try is in an hour", async () => {
      const next = /Next try: (\S+)/.exec(await (await plain(server, "/")).text())?.[1] ?? "";
      return Date.parse(next) > Date.now() + 3_300_000;
    });
    await server.stop();
    expect(authority.requests).toEqual([]);
  }, 60_000);

  test("a server that is killed at any request of an order has a certificate after its next start", async () => {
    authority.requests = [];
    const whole = await start(authority);
    await issued(whole);
    await whole.stop();
    const steps = authority.requests.length;
    expect(steps).toBeGreaterThan(10);
    for (let step = 1; step <= steps; step += 1) {
      const data = tempDirectory();
      let [seen, pid] = [0, 0];
      authority.intercept = () => {
        seen += 1;
        if (seen === step) process.kill(pid, "SIGKILL");
        return null;
      };
      const server = await start(authority, { data, spawned: (id) => void (pid = id) });
      // It waits a little less often than the one that was counted.
      await Promise.race([server.exited, issued(server).catch(() => server.exited)]);
      await server.stop("SIGKILL");
      authority.intercept = () => null;
      const again = await start(authority, { data });
      await issued(again);
      await again.stop();
    }
  }, 300_000);

  test("stops at once while the authority is thinking", async () => {
    const asked = Promise.withResolvers<void>();
    authority.intercept = (request) => {
      if (!request.url.endsWith("/order-plz")) return null;
      asked.resolve();
      return new Promise(() => {});
    };
    const server = await start(authority);
    await asked.promise;
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).not.toContain("not everything closed");
  }, 60_000);

  test.each([
    ["no certificate", async () => "garbage", "what it sent is not a chain of certificates"],
    ["one of another key", async () => (await own()).cert, "the certificate that it sent is for another key"],
    [
      "a chain with garbage",
      async (chain: string) => chain + GARBAGE,
      "what it sent is not a chain of certificates",
    ],
  ])(
    "keeps and serves its certificate if the authority issues %s",
    async (_, instead, said) => {
      const server = await start(authority, { names: [NAMES[0]!] });
      await issued(server);
      await server.stop();
      const [file] = globSync(join(server.data, "certificates/*/certificate.pem"));
      const before = readFileSync(file!, "utf8");
      const chain = before.replace(KEY_IN, "");
      authority.intercept = async (request) =>
        request.url.includes("/certZ/") ? new Response(await instead(chain)) : null;
      const other = await start(authority, { data: server.data });
      expect(await refusal(other)).toContain(said);
      expect(await isIssued(other)).toBe(true);
      await other.stop();
      expect(readFileSync(file!, "utf8")).toBe(before);
    },
    60_000,
  );

  test("does not renew later than after two thirds of the life, whatever the authority suggests", async () => {
    const brief = await startPebble({ valid: 12 });
    brief.window = { start: "9000-01-01T00:00:00Z", end: "9999-01-01T00:00:00Z" };
    const server = await start(brief);
    await issued(server);
    const first = (await certificateAt(server.url)).fingerprint256;
    await eventually(
      "another certificate",
      async () => (await certificateAt(server.url)).fingerprint256 !== first,
    );
  }, 60_000);

  test("orders once if the authority suggests to renew each certificate before it is issued", async () => {
    authority.window = { start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" };
    authority.requests = [];
    const server = await start(authority);
    await issued(server);
    await eventually("the order is over", () => /got a certificate/i.test(server.stderr()));
    await server.stop();
    expect(authority.requests.filter((path) => path === "/order-plz")).toHaveLength(1);
  }, 60_000);

  test.each([
    ["a file", "file:///etc/hostname"],
    ["plain HTTP", "http://127.0.0.1:1/"],
  ])(
    "asks no other addresses than those of HTTPS when the authority names %s",
    async (_, newNonce) => {
      authority.intercept = (request) => {
        const { host, pathname } = new URL(request.url);
        if (pathname !== "/dir") return null;
        return Response.json({ newAccount: `https://${host}/a`, newOrder: `https://${host}/o`, newNonce });
      };
      const server = await start(authority);
      expect(await refusal(server)).toContain("which does not begin with https://");
      await server.stop();
    },
    60_000,
  );

  test("orders nothing from an authority that wants more proofs than there are names", async () => {
    authority.intercept = ({ url }) => {
      const { host, pathname } = new URL(url);
      if (pathname !== "/order-plz") return null;
      const authorizations = Array.from({ length: 20_000 }, () => `https://${host}/proof`);
      const headers = { location: `https://${host}/order/1` };
      return Response.json({ status: "pending", authorizations }, { status: 201, headers });
    };
    authority.requests = [];
    const server = await start(authority);
    expect(await refusal(server)).toContain("it wants 20000 proofs for 2 names");
    expect(authority.requests).not.toContain("/proof");
    await server.stop();
  }, 60_000);

  test("says that a certificate cannot be stored, and orders none", async () => {
    const data = tempDirectory();
    symlinkSync("/nowhere/at/all", join(data, "certificates"));
    authority.requests = [];
    const server = await start(authority, { data });
    expect(await refusal(server)).toMatch(/certificates.* cannot be written: .* the folder has to belong/);
    expect(await (await plain(server, "/")).text()).toContain("cannot be written");
    expect(authority.requests).toEqual([]);
    await server.stop();
  }, 60_000);

  test("renews when the authority suggests it", async () => {
    authority.window = {
      start: new Date(Date.now() + 3000).toISOString(),
      end: new Date(Date.now() + 3001).toISOString(),
    };
    const server = await start(authority);
    await issued(server);
    const first = (await certificateAt(server.url)).fingerprint256;
    await eventually("another certificate", async () => {
      const { fingerprint256 } = await certificateAt(server.url);
      if (fingerprint256 !== first) authority.window = null;
      return fingerprint256 !== first;
    });
    await server.stop();
  }, 60_000);

  const lego = programAt("lego", "the same certificate as by another client");
  test.skipIf(lego === null)(
    "gets the kind of certificate that lego gets",
    async () => {
      const folder = tempDirectory();
      const at = [
        "--server",
        authority.directory,
        "--path",
        folder,
        "--email",
        "ann@example.com",
        "--accept-tos",
      ];
      const names = NAMES.flatMap((name) => ["--domains", name]);
      const http = ["--http", "--http.port", `127.0.0.1:${authority.httpPort}`, "--key-type", "ec256"];
      const env = { ...process.env, LEGO_CA_CERTIFICATES: authority.ca };
      const child = Bun.spawn([lego!, ...at, ...names, ...http, "run"], {
        env,
        stdout: "ignore",
        stderr: "pipe",
      });
      const said = await new Response(child.stderr).text();
      expect({ said, code: await child.exited }).toEqual({ said, code: 0 });
      const its = new X509Certificate(readFileSync(join(folder, `certificates/${NAMES[0]}.crt`)));
      const server = await start(authority);
      await issued(server);
      const ours = await certificateAt(server.url);
      expect(ours.subjectAltName).toBe(its.subjectAltName);
      expect(ours.publicKey.asymmetricKeyDetails).toEqual(its.publicKey.asymmetricKeyDetails);
      expect(
        ours.checkIssued(
          new X509Certificate(readFileSync(globSync(join(folder, "certificates/*.issuer.crt"))[0]!)),
        ),
      ).toBe(true);
    },
    60_000,
  );
});

describe.skipIf(!hasPebble)("serve --domain with certificates of 12 seconds", () => {
  test("renews them under load without a request that fails", async () => {
    const authority = await startPebble({ valid: 12 });
    const server = await start(authority, { more: ["--threads", "2"] });
    await issued(server);
    const seen = new Set<string>();
    const load = { isOver: false };
    let answered = 0;
    const failed: unknown[] = [];
    const sendMany = async (keepalive: boolean) => {
      while (!load.isOver) {
        const answer = await fetch(`${server.url}/healthz`, {
          tls: { rejectUnauthorized: false },
          ...(!keepalive && { headers: { Connection: "close" } }),
        }).catch((error: unknown) => error);
        if (answer instanceof Response && answer.ok) answered += 1;
        else failed.push(answer);
        await (answer as Response).text?.();
      }
    };
    const loads = [true, true, false, false].map(sendMany);
    await eventually("three certificates", async () => {
      seen.add((await certificateAt(server.url)).fingerprint256);
      return seen.size >= 3;
    });
    load.isOver = true;
    await Promise.all(loads);
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  }, 90_000);
});

describe.skipIf(!hasPebble)("serve --domain at an authority that binds accounts", () => {
  test("says so without the key of an account, and gets a certificate with it", async () => {
    const authority = await startPebble({ binds: true });
    const server = await start(authority);
    expect(await refusal(server)).toMatch(
      /wants the key of an account that you have with it.*--acme-eab <file>/,
    );
    await server.stop();
    const file = join(tempDirectory(), "binding");
    writeFileSync(file, `${BINDING.id}\n${BINDING.key}\n`, { mode: 0o600 });
    await issued(await start(authority, { more: ["--acme-eab", file] }));
  }, 60_000);
});

describe("serve --domain refuses", () => {
  test.each([
    [["--domain", "https://forms.example.com"], "write the name alone: --domain forms.example.com"],
    [["--domain", "*.example.com"], "need a proof in DNS"],
    [["--domain", "192.0.2.1"], "certificates are for names"],
    [["--domain", "localhost"], "is not the name of a domain"],
    [["--domain", "Forms.example.com:443"], "write the name alone: --domain Forms.example.com"],
    [["--domain", "forms.example.com."], "write the name alone: --domain forms.example.com"],
    [["--domain", "a.example", "--acme-ca", "/nowhere"], "--acme-ca: the file /nowhere cannot be read"],
    [["--domain", "a.example", "--acme-eab", "/"], "--acme-eab: the file / cannot be read"],
    [["--domain", "a.example", "--acme-ca", "/dev/null"], "--acme-ca /dev/null holds no certificate"],
    [["--domain", "a.example", "--acme-url", "https://a:b@a.example/dir"], "holds a user or a password"],
    [["--domain", "a.example", "--tls-cert", "c", "--tls-key", "k"], "leave one of them out"],
    [["--acme-email", "ann@example.com"], "--acme-email needs --domain"],
    [["--domain", "a.example", "--acme-url", "http://a.example/dir"], "begins with https://"],
    [["--domain", "a.example", "--acme-email", "ann"], "is not an address"],
  ])("%p, and says what to do", async (args, said) => {
    const { code, stderr } = await runExecutable(["serve", ...args]);
    expect([2, 4, 5]).toContain(code);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("internal error");
  });

  test("an address of plain HTTP that is taken, with its own option", async () => {
    using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const data = tempDirectory();
    const at = ["--listen", "127.0.0.1:0", "--http-listen", `127.0.0.1:${other.port}`];
    const { code, stderr } = await runExecutable([
      "serve",
      "--domain",
      "a.example",
      "--acme-url",
      "https://127.0.0.1:1/dir",
      "--data",
      data,
      ...at,
    ]);
    expect(code).toBe(6);
    expect(stderr).toContain("choose another with --http-listen");
  });
});
