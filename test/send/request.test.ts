import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../../src/delivery/attempt.ts";
import { createAddressPolicy } from "../../src/send/networks.ts";
import { parseRetryAfter, sendRequest } from "../../src/send/request.ts";
import { createSendPolicy, type SendPolicy } from "../../src/send/route.ts";
import { openReceiver } from "../support/peers/receiver.ts";
import { codeOf } from "../support/refusals.ts";

const NOW = Date.parse("2027-01-31T12:00:00Z");
const NAME = "hook.example.test";
const TLS = join(import.meta.dir, "../support/tls");

/** A certificate for the name `localhost` and the address 127.0.0.1. */
const cert = readFileSync(join(TLS, "one.cert.pem"), "utf8");
const key = readFileSync(join(TLS, "one.key.pem"), "utf8");

/** A policy that permits 127.0.0.0/8 and resolves every name to these addresses. */
function policyOf(addresses: string[] = ["127.0.0.1"], more: Partial<SendPolicy> = {}): SendPolicy {
  return {
    isAllowed: createAddressPolicy(["127.0.0.0/8"]),
    resolve: () => Promise.resolve(addresses),
    now: () => NOW,
    ...more,
  };
}

const requestTo = (url: string) => ({
  url,
  headers: { "Content-Type": "application/json" },
  body: '{"a":1}',
});

/** A URL whose path and query are secret. */
const secretUrl = (port: number, scheme = "http", host = NAME) =>
  `${scheme}://${host}:${port}/secret?token=secret`;

/** Sends to a raw server that answers this, and returns the attempt. */
async function attempt(answer: string): Promise<Attempt> {
  await using receiver = await openReceiver((socket) => socket.end(answer));
  return await sendRequest(policyOf(), requestTo(secretUrl(receiver.port)));
}

const noContent = (status: string, ...headers: string[]) =>
  [`HTTP/1.1 ${status}`, ...headers, "Content-Length: 0", "", ""].join("\r\n");

describe("a request", () => {
  test("arrives with its path, query, headers and body, for the name in its URL", async () => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("204 No Content")));
    const url = `http://${NAME}:${receiver.port}/a%20b/?c=%2F&d#e`;
    const result = await sendRequest(policyOf(), { url, headers: { "X-Test": "1" }, body: "Grüße" });
    expect(result).toEqual({
      outcome: "delivered",
      code: 204,
      error: null,
      retryAfter: null,
      isTargetDown: false,
    });
    const [head = "", body] = receiver.received[0]!.split("\r\n\r\n");
    const [first, ...lines] = head.split("\r\n");
    const headers = lines.map((line) => line.toLowerCase());
    expect(first).toBe("POST /a%20b/?c=%2F&d HTTP/1.1");
    expect(headers.filter((line) => line.startsWith("host:"))).toEqual([`host: ${NAME}:${receiver.port}`]);
    expect(headers).toContain("x-test: 1");
    expect(body).toBe("Grüße");
  });

  test("to an address has this as its host", async () => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("200 OK")));
    await sendRequest(policyOf(), requestTo(secretUrl(receiver.port, "http", "127.0.0.1")));
    expect(receiver.received[0]).toContain(`Host: 127.0.0.1:${receiver.port}\r\n`);
  });

  test("has a connection of its own, which is closed after the answer", async () => {
    await using receiver = await openReceiver((socket) => socket.write(noContent("200 OK")));
    for (const name of ["a.example.test", "a.example.test", "b.example.test"]) {
      const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port, "http", name)));
      expect(result.outcome).toBe("delivered");
    }
    expect(receiver.received).toHaveLength(3);
    await receiver.closed;
  });

  test("is ended by its caller, without a result", async () => {
    const stop = new AbortController();
    await using receiver = await openReceiver(() => stop.abort(new Error("the server stops")));
    const sending = sendRequest(policyOf(), requestTo(secretUrl(receiver.port)), { signal: stop.signal });
    expect(await sending.catch(String)).toBe("Error: the server stops");
    await receiver.closed;
    const again = sendRequest(policyOf(), requestTo(secretUrl(receiver.port)), { signal: stop.signal });
    expect(await again.catch(String)).toBe("Error: the server stops");
    expect(receiver.received).toHaveLength(1);
  });

  test.each(["ftp://example.com/", "https://user:secret@example.com/", "https://a b/"])(
    "is not sent to %s",
    async (url) => {
      expect(await codeOf(sendRequest(policyOf(), requestTo(url)))).toBe("invalid");
    },
  );
});

describe("the answer", () => {
  test.each([200, 201, 202, 204, 299])("%d is success", async (status) => {
    expect(await attempt(noContent(`${status} X`, "Retry-After: 9"))).toEqual({
      outcome: "delivered",
      code: status,
      error: null,
      retryAfter: null,
      isTargetDown: false,
    });
  });

  const saying = (status: number, body: string, ...headers: string[]) =>
    attempt(
      [`HTTP/1.1 ${status} X`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join(
        "\r\n",
      ),
    );

  test.each<[body: string, answer: string | undefined]>([
    ["invalid_payload", "invalid_payload"],
    ['\n{"message":"email is missing"}\n{"more":1}', '{"message":"email is missing"}'],
    ["two\r\nlines", "two"],
    ["bell\u0007 and \u001b[31mred", "bell and [31mred"],
    ["x".repeat(5000), "x".repeat(1024)],
    ["<html><h1>Bad request</h1>", undefined],
    [" \n\t", undefined],
    ["", undefined],
  ])("of 4xx keeps the first line that the receiver says: %j", async (body, answer) => {
    const { answer: said, error } = await saying(422, body);
    expect([said?.slice(0, 1024), error]).toEqual([answer, "the answer was 422"]);
    expect((await saying(500, body)).answer).toBeUndefined();
    expect((await saying(422, body, "Content-Encoding: gzip")).answer).toBeUndefined();
  });

  test("keeps no part of the URL that a receiver repeats", async () => {
    await using receiver = await openReceiver((socket) => {
      const line = "Cannot POST /secret?token=secret";
      socket.end(`HTTP/1.1 404 X\r\nContent-Length: ${line.length}\r\n\r\n${line}`);
    });
    const { answer } = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port)));
    expect(answer).toStartWith("Cannot POST …");
    expect(answer).not.toContain("secret");
  });

  test.each([
    ["/hook/Sup3rSecret?key=K%C3%A9y%2FSecret"],
    ["/HOOK/SUP3RSECRET?KEY=K%C3%A9Y%2FSECRET"],
    ["/hook/sup3rsecret?key=k%c3%a9y%2fsecret"],
    ["%2Fhook%2FSup3rSecret%3Fkey%3DK%25C3%25A9y%252FSecret"],
    ["no hook sup3rsecret with the key kéy/secret"],
  ])("keeps no part of the URL that a receiver repeats in another spelling: %s", async (line) => {
    await using receiver = await openReceiver((socket) => {
      socket.end(`HTTP/1.1 404 X\r\nContent-Length: ${Buffer.byteLength(line)}\r\n\r\n${line}`);
    });
    const url = `http://127.0.0.1:${receiver.port}/hook/Sup3rSecret?key=K%C3%A9y%2FSecret`;
    const { answer } = await sendRequest(policyOf(), requestTo(url));
    expect(answer).toContain("…");
    expect(answer).not.toMatch(/secret/i);
  });

  test.each([
    ["as it is", "denied: {}", (value: string) => value],
    ["behind a lot of other text", `${"-".repeat(980)}{}`, (value: string) => value],
    ["as JSON", '{"error":"bad {}"}', (value: string) => JSON.stringify(value).slice(1, -1)],
    ["as JSON of PHP", "bad {}", (value: string) => value.replaceAll(/[/"]/g, "\\$&")],
    ["as HTML", "bad {}", (value: string) => Bun.escapeHTML(value)],
    [
      "as JSON of Go",
      "bad {}",
      (value: string) => JSON.stringify(value).slice(1, -1).replaceAll("&", "\\u0026"),
    ],
  ])(
    "keeps no part of a secret header that a receiver repeats %s, however long it is",
    async (_, line, as) => {
      for (const secret of [`Bearer Se/cr"et+x&y`, `Bearer ${"SeCrEt/".repeat(500)}`]) {
        const said = line.replace("{}", as(secret));
        await using receiver = await openReceiver((socket) => {
          socket.end(`HTTP/1.1 401 X\r\nContent-Length: ${Buffer.byteLength(said)}\r\n\r\n${said}`);
        });
        const request = requestTo(`http://127.0.0.1:${receiver.port}/`);
        const headers = { ...request.headers, Authorization: secret };
        const { answer } = await sendRequest(policyOf(), {
          ...request,
          headers,
          secretHeaders: ["Authorization"],
        });
        expect(answer).toContain("…");
        expect(answer).not.toMatch(/cr/i);
      }
    },
  );

  test("410 is the end of the target", async () => {
    expect(await attempt(noContent("410 Gone"))).toMatchObject({
      outcome: "gone",
      code: 410,
      isTargetDown: false,
    });
  });

  test.each([400, 401, 404, 408, 409, 413, 425, 451, 500, 501, 505, 599])("%d is retried", async (status) => {
    expect(await attempt(noContent(`${status} X`))).toEqual({
      outcome: "retry",
      code: status,
      error: `the answer was ${status}`,
      retryAfter: null,
      isTargetDown: false,
    });
  });

  test.each([429, 502, 503, 504])(
    "%d is retried, and the target takes nothing at present",
    async (status) => {
      expect(await attempt(noContent(`${status} X`, "Retry-After: 120"))).toEqual({
        outcome: "retry",
        code: status,
        error: `the answer was ${status}`,
        retryAfter: 120,
        isTargetDown: true,
      });
    },
  );

  test.each([301, 302, 303, 307, 308])("%d is not followed", async (status) => {
    await using other = await openReceiver((socket) => socket.end(noContent("200 OK")));
    const location = `Location: http://127.0.0.1:${other.port}/`;
    expect(await attempt(noContent(`${status} X`, location))).toMatchObject({
      outcome: "retry",
      code: status,
      error: `the answer was ${status}, and redirects are not followed`,
    });
    expect(other.received).toEqual([]);
  });

  test("may come after informational answers", async () => {
    const early = "HTTP/1.1 103 Early Hints\r\n\r\n";
    expect(await attempt(early + early + noContent("200 OK"))).toMatchObject({
      outcome: "delivered",
      code: 200,
    });
  });
});

test.each<[header: string | null, seconds: number | null]>([
  [null, null],
  ["0", 0],
  ["120", 120],
  ["0.3", 1],
  ["86400", 86_400],
  ["86401", 86_400],
  ["9".repeat(1000), 86_400],
  ["Sun, 31 Jan 2027 12:01:00 GMT", 60],
  ["Sun, 31 Jan 2027 11:00:00 GMT", 0],
  ["Mon, 31 Jan 2028 12:00:00 GMT", 86_400],
  ["", null],
  ["-1", null],
  ["soon", null],
  ["1e3", null],
  ["0x10", null],
  ["Xxx, 99 Foo 2027 99:99:99 GMT", null],
])("Retry-After: %j is %p seconds", (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});

describe("a failure without an answer is retried, and the target takes nothing at present:", () => {
  /** The error of such an attempt, which names no part of the URL but the host. */
  function errorOf(result: Attempt): string {
    const { error, ...rest } = result;
    expect(rest).toEqual({ outcome: "retry", code: null, retryAfter: null, isTargetDown: true });
    expect(error!.length).toBeLessThanOrEqual(200);
    expect(error).not.toContain("secret");
    return error!;
  }

  test("nothing listens", async () => {
    const receiver = await openReceiver(() => {});
    await receiver[Symbol.asyncDispose]();
    const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port)));
    expect(errorOf(result)).toBe(`the connection to ${NAME} failed (ECONNREFUSED)`);
  });

  test.each([
    ["the connection is closed", ""],
    ["the answer is not HTTP", "220 mail.example.com ESMTP\r\n\r\n"],
    ["the answer is cut off", "HTTP/1.1 200 OK\r\nX-Te"],
    ["the protocol is switched", "HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
    ["a header is larger than memory should be", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(8 << 20)}\r\n\r\n`],
    ["there are too many headers", `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(1 << 18)}\r\n`],
  ])("%s", async (_, answer) => {
    expect(errorOf(await attempt(answer))).toStartWith(`the connection to ${NAME} failed (`);
  });

  test("a server without TLS", async () => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("400 Bad Request")));
    const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port, "https")));
    expect(errorOf(result)).toStartWith(`the connection to ${NAME} failed (`);
  });

  test.each(["http", "https"])("silence over %s", async (scheme) => {
    await using receiver = await openReceiver(() => {});
    const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port, scheme)), {
      timeoutMs: 100,
    });
    expect(errorOf(result)).toBe(`${NAME} did not answer within 0.1 s`);
    await receiver.closed;
  });

  test.each([
    ["headers", "HTTP/1.1 200 OK\r\n", "X-Drip: 1\r\n"],
    ["informational answers", "", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("%s that never end", async (_, start, drip) => {
    await using receiver = await openReceiver((socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drip), 10);
      socket.on("close", () => clearInterval(timer));
    });
    const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port)), { timeoutMs: 200 });
    expect(errorOf(result)).toBe(`${NAME} did not answer within 0.2 s`);
    await receiver.closed;
  });

  test("a name service that never answers", async () => {
    const policy = policyOf([], { resolve: () => new Promise(() => {}) });
    const result = await sendRequest(policy, requestTo(secretUrl(80)), { timeoutMs: 50 });
    expect(errorOf(result)).toContain("did not answer within");
  });

  test("a name that does not exist", async () => {
    const policy = createSendPolicy([], () => NOW);
    const result = await sendRequest(policy, requestTo("http://formflag.invalid/secret"));
    expect(errorOf(result)).toStartWith("the name formflag.invalid cannot be resolved (");
  });

  test("a name of 250 characters, which is shortened", async () => {
    const name = `${"a.".repeat(120)}invalid`;
    const result = await sendRequest(policyOf([]), requestTo(`http://${name}/secret`));
    expect(errorOf(result)).toEndWith("…");
  });
});

test("a bug in a resolver is not taken for a failure of the network", async () => {
  const policy = policyOf([], { resolve: () => Promise.reject(new TypeError("a bug")) });
  expect(await sendRequest(policy, requestTo(secretUrl(80))).catch(String)).toBe("TypeError: a bug");
});

describe("the body of an answer", () => {
  test("that never ends is read to a bound, and the connection is closed", async () => {
    let sent = 0;
    await using receiver = await openReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
      const chunk = Buffer.alloc(1 << 16);
      const pump = () => {
        do sent += chunk.length;
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", pump);
      pump();
    });
    const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port)));
    expect(result).toMatchObject({ outcome: "delivered", code: 200 });
    await receiver.closed;
    // What fits into the buffers of the system and the client.
    expect(sent).toBeLessThan(64 << 20);
  });

  test("that drips does not turn success into failure", async () => {
    await using receiver = await openReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    const options = { timeoutMs: 200 };
    const result = await sendRequest(policyOf(), requestTo(secretUrl(receiver.port)), options);
    expect(result).toMatchObject({ outcome: "delivered", code: 200 });
    await receiver.closed;
  });

  test.each([
    ["is broken off", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort"],
    ["has a bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
    [
      "only claims to be compressed",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone",
    ],
  ])("that %s does not either", async (_, answer) => {
    expect(await attempt(answer)).toMatchObject({ outcome: "delivered", code: 200 });
  });

  test("is never part of the error", async () => {
    const answer = "HTTP/1.1 500 secret\r\nContent-Length: 6\r\n\r\nsecret";
    expect((await attempt(answer)).error).toBe("the answer was 500");
  });
});

describe("no connection is made", () => {
  const refused = expect.stringContaining("neither public nor permitted");

  test.each([
    "127.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "127.1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "0",
    "[::1]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "localhost",
  ])("to this machine as %s", async (host) => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("200 OK")));
    const result = await sendRequest(
      createSendPolicy([], () => NOW),
      requestTo(`http://${host}:${receiver.port}/`),
    );
    expect(result).toMatchObject({ outcome: "retry", code: null, error: refused, isTargetDown: false });
    expect(receiver.received).toEqual([]);
  });

  test.each([
    ["the private one first", ["10.0.0.1", "127.0.0.1"]],
    ["the private one last", ["127.0.0.1", "10.0.0.1"]],
    ["a private IPv6 address", ["127.0.0.1", "fd00::1"]],
    ["a mapped address", ["127.0.0.1", "::ffff:10.0.0.1"]],
    ["an address with a zone", ["127.0.0.1", "fe80::1%lo"]],
    ["no address at all", ["127.0.0.1", "localhost"]],
  ])("to a name that has an allowed and another address: %s", async (_, addresses) => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("200 OK")));
    const result = await sendRequest(policyOf(addresses), requestTo(secretUrl(receiver.port)));
    expect(result).toMatchObject({ outcome: "retry", code: null, error: refused, isTargetDown: false });
    expect(receiver.received).toEqual([]);
  });

  test("to a network that is only beside the permitted one", async () => {
    const policy = createSendPolicy(["127.0.0.2"], () => NOW);
    await using receiver = await openReceiver((socket) => socket.end(noContent("200 OK")));
    const result = await sendRequest(policy, requestTo(`http://127.0.0.1:${receiver.port}/`));
    expect(result.error).toEqual(refused);
    expect(receiver.received).toEqual([]);
  });
});

describe("a name", () => {
  test("is resolved once, so that a second answer cannot lead elsewhere", async () => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("200 OK")));
    await using trap = await openReceiver(
      (socket) => socket.end(noContent("200 OK")),
      "127.0.0.2",
      receiver.port,
    );
    const resolved: string[] = [];
    const policy = policyOf([], {
      isAllowed: createAddressPolicy(["127.0.0.1"]),
      resolve(host) {
        resolved.push(host);
        return Promise.resolve([resolved.length === 1 ? "127.0.0.1" : "127.0.0.2"]);
      },
    });
    const request = requestTo(secretUrl(receiver.port));
    expect(await sendRequest(policy, request)).toMatchObject({ outcome: "delivered" });
    expect(resolved).toEqual([NAME]);
    expect(await sendRequest(policy, request)).toMatchObject({ outcome: "retry", code: null });
    expect(resolved).toEqual([NAME, NAME]);
    expect(receiver.received).toHaveLength(1);
    expect(trap.received).toEqual([]);
  });

  test("with several addresses is reached at the next one where nothing listens at the first", async () => {
    await using receiver = await openReceiver((socket) => socket.end(noContent("200 OK")), "127.0.0.3");
    const policy = policyOf(["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]);
    const result = await sendRequest(policy, requestTo(secretUrl(receiver.port)));
    expect(result).toMatchObject({ outcome: "delivered" });
    expect(receiver.received).toHaveLength(1);
  });

  test("gets the request once where the first address took it", async () => {
    await using first = await openReceiver((socket) => socket.destroy());
    await using second = await openReceiver(
      (socket) => socket.end(noContent("200 OK")),
      "127.0.0.2",
      first.port,
    );
    const result = await sendRequest(policyOf(["127.0.0.1", "127.0.0.2"]), requestTo(secretUrl(first.port)));
    expect(result).toMatchObject({ outcome: "retry", code: null, isTargetDown: true });
    expect(first.received).toHaveLength(1);
    expect(second.received).toEqual([]);
  });
});

describe("over TLS", () => {
  const serve = (hostname: string) =>
    Bun.serve({
      port: 0,
      hostname,
      tls: { cert, key },
      fetch: (request) => new Response(request.headers.get("Host")),
    });

  test("the certificate has to be valid for the name, whatever the address", async () => {
    // The certificate is for 127.0.0.1 and localhost, the server listens on another address.
    using server = serve("127.0.0.2");
    const policy = policyOf(["127.0.0.2"], { ca: cert });
    for (const name of ["localhost", "localhost."]) {
      const result = await sendRequest(policy, requestTo(secretUrl(server.port!, "https", name)));
      expect(result).toMatchObject({ outcome: "delivered", code: 200 });
    }
  });

  test("a name is asked for without the dot that may end it", async () => {
    await using receiver = await openReceiver((socket) => socket.destroy());
    await sendRequest(policyOf(), requestTo(secretUrl(receiver.port, "https", `${NAME}.`)));
    // The first bytes of TLS hold the name in the clear, after its length.
    expect(receiver.received[0]).toContain(`\0${String.fromCodePoint(NAME.length)}${NAME}\0`);
  });

  test("a certificate for the address alone is refused", async () => {
    using server = serve("127.0.0.1");
    const policy = policyOf(["127.0.0.1"], { ca: cert });
    expect(await sendRequest(policy, requestTo(secretUrl(server.port!, "https")))).toEqual({
      outcome: "retry",
      code: null,
      error: `the certificate is not valid for ${NAME}`,
      retryAfter: null,
      isTargetDown: true,
    });
  });

  test("a target without a name needs a certificate for its address", async () => {
    using first = serve("127.0.0.1");
    using second = serve("127.0.0.2");
    const policy = policyOf([], { ca: cert });
    const send = (host: string, port: number) =>
      sendRequest(policy, requestTo(secretUrl(port, "https", host)));
    expect(await send("127.0.0.1", first.port!)).toMatchObject({ outcome: "delivered" });
    expect(await send("127.0.0.2", second.port!)).toMatchObject({
      outcome: "retry",
      error: "the certificate is not valid for 127.0.0.2",
    });
  });

  test("a certificate of an unknown authority is refused", async () => {
    using server = serve("127.0.0.1");
    const result = await sendRequest(policyOf(), requestTo(secretUrl(server.port!, "https", "localhost")));
    expect(result).toMatchObject({ outcome: "retry", code: null, isTargetDown: true });
    expect(result.error).toStartWith("the certificate of localhost is not trusted (");
  });
});

test("the environment neither brings in a proxy nor switches the check of certificates off", async () => {
  using proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("proxy", { status: 299 }),
  });
  using target = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("target") });
  using secure = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert, key },
    fetch: () => new Response("target"),
  });
  const address = `http://127.0.0.1:${proxy.port}`;
  const url = `http://127.0.0.1:${target.port}/`;
  const script = `
    import { sendRequest } from ${JSON.stringify(join(import.meta.dir, "../../src/send/request.ts"))};
    import { createSendPolicy } from ${JSON.stringify(join(import.meta.dir, "../../src/send/route.ts"))};
    const policy = createSendPolicy(["127.0.0.0/8"], Date.now);
    const send = async (url) => (await sendRequest(policy, { url, headers: {}, body: "" })).code;
    const plain = (await fetch(${JSON.stringify(url)}, { method: "POST" })).status;
    const unchecked = (await fetch("https://localhost:${secure.port}/", { proxy: false })).status;
    console.log(JSON.stringify([plain, unchecked, await send(${JSON.stringify(url)}), await send("https://localhost:${secure.port}/")]));
  `;
  const variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: {
      ...process.env,
      ...Object.fromEntries(variables.map((name) => [name, address])),
      NO_PROXY: "",
      no_proxy: "",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  // The first two show that the environment has its effect on other requests.
  expect(JSON.parse(output)).toEqual([299, 200, 200, null]);
});
