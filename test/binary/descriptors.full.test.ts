import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { openConnection } from "../support/peers/raw.ts";
import { tempDirectory } from "../support/temp.ts";

const LIMIT = 128;

test.each(["1", "4"])(
  "a server with %s threads that reaches the limit of open files with its first connections goes on",
  async (threads) => {
    const data = tempDirectory();
    const { key } = await onData(data).json<{ key: string }>("forms", "create", "contact");
    const submission = (headers: string) =>
      `POST /v1/s/${key}?mode=rest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Content-Length: 7\r\n${headers}\r\n{"a":1}`;
    const { url, stop } = await startServer(["--log-level", "error", "--threads", threads], {
      data,
      under: ["sh", "-c", `ulimit -n ${LIMIT}; exec "$0" "$@"`],
    });
    const requests = [
      submission(""),
      ...["/metrics", "/readyz", "/openapi.json", "/nothing"].map(
        (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ),
    ];
    const clients = await Promise.all(
      Array.from({ length: 3 * LIMIT }, async (_, index) => {
        const client = await openConnection(url);
        void client.send(requests[index % requests.length]!);
        return client;
      }),
    );
    const answered = () => clients.filter(({ statuses }) => statuses().length > 0);
    await eventually(
      "as many answers as it has room for",
      () => answered().length > (threads === "1" ? LIMIT / 2 : LIMIT / 4),
    );
    expect(answered().filter(({ statuses }) => ![200, 404].includes(statuses()[0]!))).toEqual([]);

    for (const { drop } of clients) drop();
    const next = await openConnection(url);
    await next.send(submission("Connection: close\r\n"));
    expect(await next.status()).toBe(200);
    expect(await stop()).toBe(0);
  },
);
