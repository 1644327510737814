import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { type TLSSocket, connect } from "node:tls";
import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const PAIRS = join(import.meta.dir, "../support/tls");
const RELOADS = 30;

/** A connection whose requests are not sent again behind the test's back, as `fetch` would. */
async function openTls(
  url: string,
): Promise<{ socket: TLSSocket; request: (text: string) => Promise<string> }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false }, resolve);
  let received = "";
  let fail = reject;
  let done = (_head: string) => {};
  socket.on("error", (error) => fail(error));
  socket.on("close", () => fail(new Error("the connection was closed without an answer")));
  socket.on("data", (bytes) => {
    received += bytes.toString();
    const [head, body] = received.split("\r\n\r\n");
    if (body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head!)![1])) done(head!);
  });
  await promise;
  const request = (text: string) =>
    new Promise<string>((resolve, reject) => {
      [received, done, fail] = ["", resolve, reject];
      socket.write(text);
    });
  return { socket, request };
}

test.each([1, 4])(
  "no connection and no request is lost while the certificate of %p threads is reloaded under load",
  async (threads) => {
    const directory = tempDirectory();
    const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
    const use = (name: string) => {
      copyFileSync(join(PAIRS, `${name}.cert.pem`), cert);
      copyFileSync(join(PAIRS, `${name}.key.pem`), key);
    };
    use("one");
    const { url, data, pid, stderr, stop } = await startServer([
      "--tls-cert",
      cert,
      "--tls-key",
      key,
      "--threads",
      String(threads),
    ]);
    const form = await onData(data).json<{ key: string }>("forms", "create", "contact");
    const submission =
      `POST /v1/s/${form.key}?mode=rest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      'Content-Length: 7\r\n\r\n{"a":1}';
    const failures: unknown[] = [];
    let answered = 0;
    const load = { isOver: false };

    const send = async (requests: number) => {
      while (!load.isOver) {
        try {
          const { socket, request } = await openTls(url);
          let isLast = false;
          for (let sent = 0; sent < requests && !isLast && !load.isOver; sent += 1) {
            const head = await request(submission);
            if (!head.startsWith("HTTP/1.1 200 ")) failures.push(head);
            answered += 1;
            isLast = /^connection: close\r?$/im.test(head);
          }
          socket.destroy();
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const senders = [1, 1, 1, 1, 1, 1, Infinity, Infinity].map(send);

    for (let reload = 1; reload <= RELOADS; reload += 1) {
      const before = answered;
      const name = reload % 2 === 1 ? "two" : "one";
      use(name);
      process.kill(pid, "SIGHUP");
      await eventually("a reload", () => stderr().split("reloaded the certificate").length === reload + 1);
      const { socket } = await openTls(url);
      expect(String(socket.getPeerCertificate().subject.CN)).toBe(name);
      socket.destroy();
      await eventually("requests after it", () => answered >= before + 10);
    }
    load.isOver = true;
    await Promise.all(senders);
    expect(failures).toEqual([]);
    expect(await stop()).toBe(0);
  },
  60_000,
);
