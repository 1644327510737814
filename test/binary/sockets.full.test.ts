import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { openConnection, openRawInbox } from "../support/peers/raw.ts";

// Before what `openRawInbox` does at the end: that stops the server and removes its data.
afterAll(async () => {
  try {
    await expectNothingSmuggled(inbox);
  } finally {
    await inbox.server.stop("SIGKILL");
  }
});
const inbox = await openRawInbox(["--admin-listen", "127.0.0.1:0"], 2);
const { url, path, commands, answersTo, submissions, isHealthy } = inbox;
const adminUrl = inbox.server.urls[1]!;
const otherPath = await inbox.createForm("other");
const token = (await commands.run("tokens", "create", "laptop")).stdout.trim();
const authorization = `Authorization: Bearer ${token}\r\n`;

const post = (headers: string, body: string, to = path) =>
  `POST ${to}?mode=rest HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n${body}`;

/** What must never be taken for a request of its own. */
const SMUGGLED = post("Content-Length: 10\r\n", "smuggled=1");
const LONG = `Content-Length: ${SMUGGLED.length + 5}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const CHUNKS = "3\r\na=1\r\n0\r\n\r\n";
const CHUNK_SIZES = "0x3|-3|+3|3 | 3|g||3;\n|3\n|3;a=\r\n|10000000000000003|ffffffffffffffff".split("|");

/** Requests with their headers and bodies that are refused. */
const AMBIGUOUS = [
  ["a length and chunks", LONG + CHUNKED, `0\r\n\r\n${SMUGGLED}`],
  ["chunks and a length", `${CHUNKED}Content-Length: 3\r\n`, CHUNKS],
  ["two lengths", `Content-Length: 3\r\n${LONG}`, `a=1${SMUGGLED}`],
  ["two lengths, the longer one first", `${LONG}Content-Length: 3\r\n`, `a=1${SMUGGLED}`],
  ["a list of lengths", "Content-Length: 3, 30\r\n", `a=1${SMUGGLED}`],
  ...["+3", "-3", "0x3", "3 3", "3;", "", "18446744073709551619", "9".repeat(40)].map(
    (length) =>
      [`a length of ${length || "nothing"}`, `Content-Length: ${length}\r\n`, `a=1${SMUGGLED}`] as const,
  ),
  ["a folded length", "Content-Length:\r\n 3\r\n", `a=1${SMUGGLED}`],
  ["a folded encoding", `Transfer-Encoding:\r\n chunked\r\n${LONG}`, `0\r\n\r\n${SMUGGLED}`],
  ["a header folded around a length", "X-A: b\r\n Content-Length: 3\r\n", "a=1"],
  ["white space before a colon", "Content-Length : 3\r\n", `a=1${SMUGGLED}`],
  ["a tab before a colon", `Transfer-Encoding\t: chunked\r\n${LONG}`, `0\r\n\r\n${SMUGGLED}`],
  ["a bare line feed", `X-A: b\nContent-Length: 3\r\n${LONG}`, `a=1${SMUGGLED}`],
  ["a bare carriage return", `X-A: b\rContent-Length: 3\r\n${LONG}`, `a=1${SMUGGLED}`],
  ["a blank line of a line feed alone", `${LONG}\n`, `a=1${SMUGGLED}`],
  ["a NUL in a header", `X-A: b\u0000c\r\n${LONG}`, SMUGGLED],
  ["a NUL in a header's name", `X\u0000A: b\r\n${LONG}`, SMUGGLED],
  ["a header without a colon", `X-A\r\n${LONG}`, SMUGGLED],
  ["a header without a name", `: a\r\n${LONG}`, SMUGGLED],
  ...["xchunked", "identity", '"chunked"', "\u000bchunked", "chunked, identity", "gzip, chunked", ""].map(
    (encoding) =>
      [`the encoding ${JSON.stringify(encoding)}`, `Transfer-Encoding: ${encoding}\r\n`, CHUNKS] as const,
  ),
  ["two encodings", `${CHUNKED}Transfer-Encoding: identity\r\n`, CHUNKS],
  ...CHUNK_SIZES.map(
    (size) => [`the chunk size ${JSON.stringify(size)}`, CHUNKED, `${size}\r\n${CHUNKS.slice(3)}`] as const,
  ),
  ["a chunk that is longer than its size", CHUNKED, `3\r\na=12\r\n0\r\n\r\n${SMUGGLED}`],
  ["a chunk that does not end in a line end", CHUNKED, `3\r\na=1XX0\r\n\r\n${SMUGGLED}`],
] as const;

/** The same of requests that are stored. */
const CLEAR = [
  ["a chunk extension", CHUNKED, `3;a=b\r\n${CHUNKS.slice(3)}`],
  ["an encoding in upper case", "TRANSFER-ENCODING: CHUNKED\r\n", CHUNKS],
  ["a length and the same again", "Content-Length: 3\r\nContent-Length: 3\r\n", "a=1"],
  ["zeros before a length", "Content-Length: 003\r\n", "a=1"],
  ["zeros before a chunk size", CHUNKED, `0000${CHUNKS}`],
] as const;

async function expectNothingSmuggled(of: typeof inbox): Promise<void> {
  expect(await of.isHealthy()).toBe(true);
  await of.expectOnlyAcknowledged();
  expect((await of.submissions()).filter(({ data }) => "smuggled" in data)).toEqual([]);
  expect(await of.stopAndReadLog()).not.toMatch(/smuggled|evil|laptop/i);
}

describe("a request whose end two readers could see in two places", () => {
  test.each(AMBIGUOUS)("by %s gets one refusal, and the connection ends", async (_, headers, body) => {
    const { statuses, received } = await answersTo(post(headers, body));
    expect(statuses).toEqual([400]);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
  });

  test.each(CLEAR)("but does not, by %s, is stored once", async (_, headers, body) => {
    expect((await answersTo(post(headers, body))).statuses).toEqual([200, 404]);
  });

  test.each([
    ["GET", "/healthz", 200],
    ["GET", "/v1/thanks", 200],
    ["POST", "/nothing", 404],
    ["POST", "/v1/s/nothing?mode=rest", 404],
    ["GET", "/api/v1/flags", 400],
    ["GET", "/api/v1/flags/a", 400],
    ["OPTIONS", path, 204],
    ["PUT", `${path}?mode=rest`, 405],
  ])("in a body that nobody reads stays a body: %s %s", async (method, target, status) => {
    for (const [headers, body] of [
      [`Content-Length: ${SMUGGLED.length}\r\n`, SMUGGLED],
      [CHUNKED, `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`],
    ] as const) {
      const { statuses } = await answersTo(
        `${method} ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`,
      );
      expect(statuses).toEqual([status, 404]);
    }
  });

  // The runtime takes what follows such a body for the next request, and answers that one in place of ours.
  test.each([
    ["a trailer", CHUNKED, "3\r\na=1\r\n0\r\nX-Checksum: 1\r\n\r\n"],
    ["an empty line behind the body", "Content-Length: 3\r\n", "a=1\r\n"],
  ])("is refused, and nothing of it is stored, where it has %s", async (_, headers, body) => {
    const before = await submissions("other");
    expect((await answersTo(post(headers, body, otherPath))).statuses).toEqual([400]);
    expect(await submissions("other")).toEqual(before);
  });

  test.each([
    ["an empty line behind the body", "Content-Length: 3\r\n", "a=1\r\n"],
    ["another request behind it", "Content-Length: 3\r\n", "a=1GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])("is stored once where it has %s and asks for the end of the connection", async (_, headers, body) => {
    const before = await submissions("other");
    const closing = `${headers}Connection: close\r\n`;
    expect((await answersTo(post(closing, body, otherPath))).statuses).toEqual([200]);
    expect(await submissions("other")).toHaveLength(before.length + 1);
  });

  test("gets no answer, and neither is stored, where another one comes behind it before it is answered", async () => {
    const before = await submissions("other");
    const submission = post("Content-Length: 3\r\n", "a=1", otherPath);
    const { send, closed, statuses } = await openConnection(url);
    await send(submission + submission);
    await closed();
    expect(statuses()).toEqual([]);
    expect(await submissions("other")).toEqual(before);
  });

  test("of the admin API changes nothing where an empty line stands behind it", async () => {
    const body = '{"slug":"smuggled"}';
    const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const path = "/api/admin/v1/projects";
    const head = (line: string, headers = "") =>
      `${line} HTTP/1.1\r\nHost: a\r\n${authorization}${headers}\r\n`;
    for (const [request, status] of [
      [head(`POST ${path}`, json) + body, 201],
      [head(`DELETE ${path}/smuggled`), 204],
    ] as const) {
      const before = await commands.json("projects", "list");
      expect((await answersTo(`${request}\r\n`, adminUrl)).statuses).toEqual([400]);
      expect(await commands.json("projects", "list")).toEqual(before);
      expect((await answersTo(request, adminUrl)).statuses[0]).toBe(status);
    }
  });
});

describe("a request that is too large or odd", () => {
  test.each([
    ["a chunk extension of 10 MB", post(CHUNKED, `3;${"x".repeat(1e7)}`), 413],
    ["one header of 20 KB", `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${"b".repeat(20_000)}\r\n\r\n`, 431],
    ["a thousand headers", `GET /healthz HTTP/1.1\r\nHost: a\r\n${"X-A: b\r\n".repeat(1000)}\r\n`, 431],
    ["an address of 100 KB", `GET /${"b".repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ["a method that is none", "FOO<> /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["another protocol's first words", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ])("by %s is refused", async (_, request, status) => {
    const { statuses } = await answersTo(request);
    // Who still sends when the connection is closed may not see why.
    expect(request.length > 10_000 ? [[], [status]] : [[status]]).toContainEqual(statuses);
  });

  test.each([
    ["a NUL", "/healthz\u0000x HTTP/1.1\r\n"],
    ["a space", "/healthz x HTTP/1.1\r\n"],
    ["a line feed for a line end", "/healthz HTTP/1.1\n"],
  ])("by %s in its first line is refused, and the connection ends", async (_, line) => {
    const { statuses } = await answersTo(`GET ${line}Host: a\r\n\r\n`);
    // The runtime takes what stands behind the odd byte for a version of the protocol.
    expect([[400], [505]]).toContainEqual(statuses);
  });

  test.each([
    "/healthz/../api/admin/v1/tokens",
    "/v1/s/x/..%2f..%2f..%2fapi/admin/v1/tokens",
    "/v1/s/%2e%2e/%2e%2e/api/admin/v1/tokens",
    "/api%2fadmin%2fv1%2ftokens",
    "/%61pi/admin/v1/tokens",
    "/api/admin/v1/%74okens",
    "/api/admin/v1/tokens%00",
    "/api/admin/v1/tokens%2f",
    "/api/admin/v1/tokens;a=b",
    "/API/ADMIN/V1/tokens",
    "//api/admin/v1/tokens",
    "/api//admin/v1/tokens",
    "/api/admin/v1/tokens\u007f",
    "/api/admin/v1/tokens?operator=true",
    "http://localhost/api/admin/v1/tokens",
    `${adminUrl}/api/admin/v1/tokens`,
    "http://operator:operator@localhost/api/admin/v1/tokens",
  ])(
    "at %s opens no door: neither without a token nor at an address without the admin API",
    async (target) => {
      const request = (headers: string) =>
        `GET ${target} HTTP/1.1\r\nHost: ${new URL(adminUrl).host}\r\n${headers}\r\n`;
      for (const answers of [
        await answersTo(request(""), adminUrl),
        await answersTo(request(authorization)),
      ]) {
        expect([400, 401, 404]).toContain(answers.statuses[0]!);
        expect(answers.received).not.toContain("laptop");
      }
    },
  );
});

describe("a sender that leaves without its answer", () => {
  /** Writes that wait, or are being committed. */
  const queued = async () => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    return Number(/^formflag_write_queue_writes (\d+)$/m.exec(metrics)![1]);
  };

  // The runtime closes the whole connection of a sender that closed only its own side.
  test("is answered, and stored, at most once", async () => {
    const before = (await submissions("other")).length;
    for (const request of [
      "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
      post("Content-Length: 3\r\n", "a=1", otherPath),
    ]) {
      const { send, end, closed, statuses } = await openConnection(url);
      void send(request);
      end();
      await closed();
      expect([[], [200]]).toContainEqual(statuses());
    }
    expect((await submissions("other")).length - before).toBeLessThanOrEqual(1);
  });

  test.each(["end", "drop"] as const)(
    "while its submission waits for the disk stores nothing: %s",
    async (leave) => {
      const before = (await submissions("other")).length;
      const lock = new Database(join(inbox.server.data, "formflag.db"));
      lock.run("PRAGMA busy_timeout = 5000");
      lock.run("BEGIN EXCLUSIVE");
      const open = async (request: string) => {
        const connection = await openConnection(url);
        await connection.send(request);
        return connection;
      };
      const urlencoded = post("Content-Length: 3\r\n", "a=1", otherPath);
      const part = '--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx\r\n--B--\r\n';
      const multipart =
        `POST ${otherPath} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=B\r\n` +
        `Content-Length: ${part.length}\r\n\r\n${part}`;
      const first = await open(urlencoded);
      // Background work may wait too.
      await eventually("a commit", async () => (await queued()) >= 1);
      const leaving = [await open(urlencoded), await open(multipart)];
      await eventually("two that wait", async () => (await queued()) >= 3);
      for (const connection of leaving) connection[leave]();
      // Answered behind what came before it.
      expect(await isHealthy()).toBe(true);
      lock.close();
      expect(await first.status()).toBe(200);
      await eventually("an empty queue", async () => (await queued()) === 0);
      expect(await submissions("other")).toHaveLength(before + 1);
    },
  );
});

test("exactly what was acknowledged is stored, nothing was smuggled, and the log has no failure", async () => {
  const own = await openRawInbox();
  await own.commands.run("tokens", "create", "laptop");
  // All paths are of one length, so that lengths stay right.
  for (const [, headers, body] of [...AMBIGUOUS, ...CLEAR])
    await own.answersTo(post(headers, body.replaceAll(path, own.path), own.path));
  expect(await own.submissions()).toHaveLength(CLEAR.length);
  await expectNothingSmuggled(own);
});
