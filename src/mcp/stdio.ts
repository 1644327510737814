import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { clock } from "../base/clock.ts";
import type { Session } from "./api.ts";
import { MAX_MESSAGE } from "./limits.ts";
import { createServer } from "./server.ts";

/** Serves tools over streams, a message a line, until the input has ended and what it asked for is answered. */
export async function serveStreams(
  session: Session,
  version: string,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const fed = new PassThrough();
  const inner = new StdioServerTransport(fed, output, { maxBufferSize: MAX_MESSAGE });
  const pending = new Set<unknown>();
  let isLast = false;
  // The library drops answers that are under way when its input ends.
  const endWhenAnswered = () => {
    if (isLast && pending.size === 0) fed.end();
  };
  const transport: Transport = {
    async start() {
      inner.onmessage = (message) => {
        if ("id" in message && "method" in message) pending.add(message.id);
        if (message && "method" in message && message.method === "notifications/cancelled")
          pending.delete(message.params?.["requestId"]);
        transport.onmessage?.(message);
      };
      inner.onerror = (error) => transport.onerror?.(error);
      inner.onclose = () => {
        transport.onclose?.();
        ended.resolve();
      };
      await inner.start();
    },
    async send(message) {
      await inner.send(message);
      if ("id" in message && !("method" in message)) pending.delete(message.id);
      endWhenAnswered();
    },
    close: () => inner.close(),
  };
  const handle = serveStdio(() => createServer(session, version), { transport, maxSubscriptions: 1 });
  input.on("data", (chunk: Buffer) => void fed.write(chunk));
  input.on("end", () => {
    isLast = true;
    // The lines before the end are read first.
    clock.soon(endWhenAnswered);
  });
  for (const stream of [input, output]) stream.on("error", () => ended.resolve());
  await ended.promise;
  await handle.close();
}
