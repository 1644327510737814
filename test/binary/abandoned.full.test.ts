import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { openConnection } from "../support/peers/raw.ts";

const server = await startServer();
const commands = onData(server.data);
const createForm = async (slug: string) => {
  const { key } = await commands.json<{ key: string }>("forms", "create", slug, "--uploads", "on");
  return `/v1/s/${key}?mode=rest`;
};
const submitPath = await createForm("contact");
const hostlessPath = await createForm("hostless");

function multipartHead(length: number | null, boundary = "B"): string {
  const size = length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  return (
    `POST ${submitPath} HTTP/1.1\r\nHost: localhost\r\n` +
    `Content-Type: multipart/form-data; boundary=${boundary}\r\n${size}\r\n\r\n`
  );
}

const filePart =
  '--B\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\nContent-Type: text/plain\r\n\r\n';

const staged = () => readdirSync(join(server.data, "uploads", "staging"));

async function expectNothingLeft(): Promise<void> {
  // A file may be staged a moment after the sender is gone: all of it is asked for together.
  await eventually("no file is left", () => {
    const entries = readdirSync(join(server.data, "uploads"), { recursive: true, withFileTypes: true });
    return !entries.some((entry) => entry.isFile());
  });
  expect(await commands.json<unknown[]>("submissions", "list", "contact")).toEqual([]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
}

describe("a client that goes away", () => {
  test.each([
    ["by closing", "end"],
    ["without a word", "drop"],
  ] as const)("half-way through a file, %s, leaves nothing", async (_, leave) => {
    const client = await openConnection(server.url);
    await client.send(multipartHead(900_000) + filePart + "x".repeat(400_000));
    await eventually("a staged file", () => staged().length === 1);
    client[leave]();
    await expectNothingLeft();
  });

  test("half-way through a chunked file leaves nothing", async () => {
    const client = await openConnection(server.url);
    const body = filePart + "x".repeat(100_000);
    await client.send(`${multipartHead(null)}${body.length.toString(16)}\r\n${body}\r\n`);
    await eventually("a staged file", () => staged().length === 1);
    client.drop();
    await expectNothingLeft();
  });

  test("after its second of two files began leaves neither", async () => {
    const client = await openConnection(server.url);
    await client.send(`${multipartHead(900_000)}${filePart}first\r\n${filePart}second`);
    await eventually("two staged files", () => staged().length === 2);
    client.drop();
    await expectNothingLeft();
  });

  test("twenty at once leave nothing", async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => openConnection(server.url)));
    await Promise.all(clients.map(({ send }) => send(`${multipartHead(900_000)}${filePart}some bytes`)));
    await eventually("twenty staged files", () => staged().length === 20);
    for (const client of clients) client.drop();
    await expectNothingLeft();
  });

  test("while its refused body is still being drained leaves nothing", async () => {
    const client = await openConnection(server.url);
    await client.send(multipartHead(20_000_000) + filePart + "x".repeat(2_000_000));
    client.drop();
    await expectNothingLeft();
  });

  test("half-way through JSON leaves nothing", async () => {
    const client = await openConnection(server.url);
    await client.send(
      `POST ${submitPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        'Content-Length: 100\r\n\r\n{"a":',
    );
    client.end();
    await expectNothingLeft();
  });

  test("before its headers end leaves nothing", async () => {
    const client = await openConnection(server.url);
    await client.send(`POST ${submitPath} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `);
    client.drop();
    await expectNothingLeft();
  });
});

describe("a broken body", () => {
  const send = async (body: string, boundary?: string) => {
    const client = await openConnection(server.url);
    await client.send(multipartHead(body.length, boundary) + body);
    const status = await client.status();
    client.drop();
    return status;
  };

  test.each([
    ["a boundary that never closes", `${filePart}some bytes`],
    ["a boundary that never comes", "x".repeat(1000)],
    ["more before the first boundary than any client sends", "x".repeat(100_000)],
    ["a part without a name", "--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--\r\n"],
    [
      "a file without a field name",
      '--B\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n--B--\r\n',
    ],
    ["a part without headers", "--B\r\n\r\nx\r\n--B--\r\n"],
    [
      "a part that is an attachment",
      '--B\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--B--\r\n',
    ],
    ["a header without a colon", '--B\r\nContent-Disposition form-data; name="a"\r\n\r\nx\r\n--B--\r\n'],
    ["no part at all", "--B--\r\n"],
    ["a part behind a good file that is broken", `${filePart}good\r\n--B\r\nbroken\r\n\r\nx\r\n--B--\r\n`],
    ["a body of no bytes", ""],
  ])("with %s is answered with 400 and leaves nothing", async (_, body) => {
    expect(await send(body)).toBe(400);
    await expectNothingLeft();
  });

  test("with headers of a part that never end is answered with 413 or 400 and leaves nothing", async () => {
    expect([400, 413]).toContain(await send(`--B\r\nX-Endless: ${"x".repeat(500_000)}`));
    await expectNothingLeft();
  });

  test("with a boundary of a regular expression's characters is only text", async () => {
    expect(
      await send('--(.*)+\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx', "(.*)+"),
    ).toBe(400);
    await expectNothingLeft();
  });
});

describe("request headers that never end", () => {
  test("are refused, and the server answers others meanwhile", async () => {
    const client = await openConnection(server.url);
    await client.send(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Endless: ${"x".repeat(100_000)}`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await eventually("a refusal", () => client.state.isClosed || client.state.received !== "");
    if (client.state.received !== "") expect(await client.status()).toBe(431);
    client.drop();
  });
});

describe("an odd path", () => {
  test.each([
    "/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd",
    "/%00",
    "/v1/s/%00",
    "/v1/s/%2e%2e%2f%2e%2e%2fformflag.db",
    "/v1/s/%E0%A4%A",
    "/v1/s/%ff?mode=rest",
    "/v1/s/",
    "/v1/s",
    "/v1/error?code=%00&message=%ff&signature=%E0",
    "/api/v1/flags/%00",
    "/api/v1/flags/%E0%A4%A",
    "/api/v1/flags/a/b",
    "/api/admin/v1/../../../healthz",
    "/api/admin/v1/forms/%E0%A4%A",
    "//evil.example/",
    "/\\evil.example",
    "http://evil.example/healthz",
    "http://evil.example/v1/s/nope",
    "*",
    "/?%",
    `/${"a/".repeat(3000)}`,
  ])("%s is never a failure of the server, and nothing is sent elsewhere", async (target) => {
    for (const method of ["GET", "POST", "OPTIONS", "PUT"]) {
      const client = await openConnection(server.url);
      await client.send(
        `${method} ${target} HTTP/1.1\r\nHost: evil.example\r\nx-project-key: a\r\nx-environment-key: b\r\n` +
          "Content-Length: 0\r\nConnection: close\r\n\r\n",
      );
      const status = await client.status();
      expect({ method, status, isError: status >= 500 }).toEqual({ method, status, isError: false });
      expect(client.state.received).not.toMatch(/^location: *(\/\/|\/\\|https?:)/im);
      client.drop();
    }
  });

  test.each(["GARBAGE\r\n\r\n", "GET\r\n\r\n", "\u0016\u0003\u0001\u0000", "GET / HTTP/9.9\r\n\r\n"])(
    "%p in place of a request ends that connection and nothing else",
    async (text) => {
      const client = await openConnection(server.url);
      await client.send(text);
      client.end();
      await eventually("the end of the connection", () => client.state.isClosed);
      expect(client.state.received).not.toMatch(/^HTTP\/1\.1 50[0-4]/);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    },
  );
});

describe("a request that names no usable host", () => {
  const body = "a=1";
  const rest = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test.each(["", "Host: \r\n", "Host: a b\r\n", "Host: [\r\n", "Host: <x>\r\n"])(
    "is no bug: HTTP/1.0 and %j",
    async (host) => {
      const connection = await openConnection(server.url);
      await connection.send(`POST ${hostlessPath} HTTP/1.0\r\n${host}${rest}`);
      expect(await connection.status()).toBeLessThan(500);
      expect(server.stderr()).not.toContain("TypeError");
    },
  );

  test("still learns that the server is well", async () => {
    const connection = await openConnection(server.url);
    await connection.send("GET /healthz HTTP/1.0\r\n\r\n");
    expect(await connection.status()).toBe(200);
  });
});
