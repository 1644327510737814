import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { openConnection, openRawInbox } from "../support/peers/raw.ts";

// Before what `openRawInbox` does at the end: that stops the server and removes its data.
afterAll(async () => {
  try {
    await expectNothingLeft(inbox);
  } finally {
    await inbox.server.stop("SIGKILL");
  }
});
const inbox = await openRawInbox();
const { url, path, commands, submissions, isHealthy } = inbox;
await commands.run("forms", "set", "contact", "--max-file-size", "20MB");
const token = (await commands.run("tokens", "create", "laptop")).stdout.trim();

const head = (headers: string, to = path) =>
  `POST ${to}?mode=rest HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`;
const URLENCODED = "Content-Type: application/x-www-form-urlencoded\r\n";
const CHUNKED = `${URLENCODED}Transfer-Encoding: chunked\r\n`;
const WHOLE = `${head(`${URLENCODED}Content-Length: 3\r\n`)}a=1`;

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

async function expectNothingLeft(of: typeof inbox): Promise<void> {
  await of.expectNoOtherFiles();
  await of.stopAndReadLog();
}

/** Sends in pieces of so many bytes; between two of them somebody else is answered. */
async function trickle(request: string, step: number) {
  const connection = await openConnection(url);
  for (let at = 0; at < request.length; at += step) {
    await connection.send(request.slice(at, at + step));
    expect(await isHealthy()).toBe(true);
  }
  return connection;
}

function fileBody(content: string, to = path): string {
  const part = `--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${content}\r\n--B--\r\n`;
  const type = "Content-Type: multipart/form-data; boundary=B\r\n";
  return head(`${type}Content-Length: ${part.length}\r\n`, to) + part;
}

describe("a slow sender is served, and keeps nobody waiting:", () => {
  test.each([
    ["a few bytes at a time, headers too", WHOLE, 5],
    ["in chunks that come in pieces", `${head(CHUNKED)}3\r\na=1\r\n0\r\n\r\n`, 7],
  ])("%s", async (_, request, step) => {
    const before = (await submissions()).length;
    const { closed, statuses } = await trickle(request, step);
    await closed();
    expect(statuses()).toEqual([200]);
    expect(await submissions()).toHaveLength(before + 1);
  });

  test("with a file", async () => {
    const content = "slowly\r\n--A".repeat(20_000);
    const { closed, statuses } = await trickle(fileBody(content), 2000);
    await closed();
    expect(statuses()).toEqual([200]);
    expect((await submissions())[0]!.files).toMatchObject([{ sha256: sha256(Buffer.from(content)) }]);
  });

  test("three hundred that stop, each at another point", async () => {
    const requests = [WHOLE, `${head(CHUNKED)}3\r\na=1\r\n`, fileBody("x".repeat(1000)).slice(0, -1)];
    const before = (await submissions()).length;
    const stopped = await Promise.all(Array.from({ length: 300 }, () => openConnection(url)));
    await Promise.all(
      stopped.map(({ send }, index) => {
        const request = requests[index % requests.length]!;
        return send(request.slice(0, Math.floor((index / stopped.length) * request.length)));
      }),
    );
    const others = Array.from({ length: 100 }, async () => {
      const { send, closed, statuses } = await openConnection(url);
      await send(WHOLE);
      await closed();
      return statuses();
    });
    expect(new Set((await Promise.all(others)).flat())).toEqual(new Set([200]));
    expect(stopped.filter(({ state }) => state.received !== "")).toEqual([]);
    expect(await submissions()).toHaveLength(before + 100);
    for (const { drop } of stopped) drop();
    expect(await isHealthy()).toBe(true);
  });
});

describe("a slow reader", () => {
  test("gets every byte of a file, while others are answered", async () => {
    const content = Buffer.alloc(12_000_000, "what was sent once is read slowly\n");
    const form = new FormData();
    form.append("f", new File([content], "large.txt"));
    const sent = await fetch(`${url}${path}?mode=rest`, { method: "POST", body: form });
    const { id } = (await sent.json()) as { id: string };

    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(
      `GET /api/admin/v1/submissions/${id}/files/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket) {
      chunks.push(chunk as Buffer);
      expect(await isHealthy()).toBe(true);
    }
    const answer = Buffer.concat(chunks);
    const body = answer.subarray(answer.indexOf("\r\n\r\n") + 4);
    expect(body.byteLength).toBe(content.byteLength);
    expect(sha256(body)).toBe(sha256(content));
  });
});

test("who gave up left no file and no failure in the log", async () => {
  const own = await openRawInbox();
  expect((await own.answersTo(fileBody("stored", own.path))).statuses).toEqual([200]);
  const clients = await Promise.all(Array.from({ length: 30 }, () => openConnection(own.url)));
  const request = fileBody("x".repeat(100_000), own.path);
  await Promise.all(
    clients.map(({ send }, index) => send(request.slice(0, ((index + 1) / 31) * request.length))),
  );
  const staged = () => readdirSync(join(own.server.data, "uploads", "staging"));
  await eventually("thirty staged files", () => staged().length === 30);
  for (const [index, client] of clients.entries()) client[index % 2 ? "end" : "drop"]();
  await expectNothingLeft(own);
});

test("a token revoked, or an environment locked, by a command while a body is on its way counts", async () => {
  const server = await startServer();
  const commands = onData(server.data);
  await commands.run("projects", "create", "shop");
  const { token } = await commands.json<{ token: string }>("tokens", "create", "ann");
  const sendSlowly = async (start: string, body: string, meanwhile: string[]) => {
    const { send, status, state } = await openConnection(server.url);
    const head = [
      `${start} HTTP/1.1`,
      "Host: a",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    await send(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 1)}`);
    // Answered after the half request is read.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await commands.run(...meanwhile)).code).toBe(0);
    expect(state.received).toBe("");
    await send(body.slice(1));
    return status();
  };
  const flag = "PATCH /api/admin/v1/projects/shop/environments/develop/flags/sale";
  const lock = ["environments", "lock", "develop", "-p", "shop"];
  expect(await sendSlowly(flag, '{"enabled":true}', lock)).toBe(428);
  const revoke = ["tokens", "revoke", "ann", "--yes"];
  expect(await sendSlowly("POST /api/admin/v1/tokens", '{"name":"escaped"}', revoke)).toBe(401);
  const tokens = await commands.json<{ name: string }[]>("tokens", "list");
  expect(tokens.map(({ name }) => name)).toEqual([]);
});
