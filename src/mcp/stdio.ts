import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { clock } from "../base/clock.ts";
import type { Session } from "./api.ts";
import { MAX_MESSAGE } from "./limits.ts";
import { TOO_DEEP, isTooDeep, refusalOf, refusalOfNumbers } from "./message.ts";
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
  input.on(
    "data",
    linesOf((line) => {
      const refusal = refusalOfLine(line);
      if (refusal) void transport.send(refusal);
      else fed.write(line);
    }),
  );
  input.on("end", () => {
    isLast = true;
    // The lines before the end are read first.
    clock.soon(endWhenAnswered);
  });
  for (const stream of [input, output]) stream.on("error", () => ended.resolve());
  await ended.promise;
  await handle.close();
}

/** Takes chunks, and gives their lines with what ends each; one that is too long is given as far as it came. */
function linesOf(take: (line: Buffer) => void): (chunk: Buffer) => void {
  let [parts, size]: [Buffer[], number] = [[], 0];
  const add = (part: Buffer) => {
    parts.push(part);
    size += part.length;
  };
  const end = () => {
    take(Buffer.concat(parts));
    [parts, size] = [[], 0];
  };
  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf("\n"); at !== -1; at = chunk.indexOf("\n", start)) {
      add(chunk.subarray(start, at + 1));
      end();
      start = at + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
    if (size > MAX_MESSAGE) end();
  };
}

/** The refusal of a line whose message would be changed, or could not be read; null for any other. */
function refusalOfLine(line: Buffer): ReturnType<typeof refusalOf> {
  if (line.length > MAX_MESSAGE) return null;
  const text = line.toString();
  if (!isTooDeep(line)) return refusalOfNumbers(text);
  try {
    return refusalOf(JSON.parse(text), TOO_DEEP);
  } catch {
    // No JSON: the library passes over it.
    return null;
  }
}
