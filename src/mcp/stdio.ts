import { isUtf8 } from "node:buffer";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { clock } from "../base/clock.ts";
import type { Session } from "./api.ts";
import { MAX_MESSAGE } from "./limits.ts";
import {
  PARSE_ERROR,
  type Refusal,
  TOO_DEEP,
  isTooDeep,
  refusalOf,
  refusalOfNumbers,
  refusalWithoutId,
} from "./message.ts";
import { createServer } from "./server.ts";

/** Serves tools over streams, a message a line, until the input has ended and what it asked for is answered. */
export async function serveStreams(
  session: Session,
  version: string,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const fed = new PassThrough();
  const inner = new StdioServerTransport(fed, output, { maxBufferSize: MAX_MESSAGE + 1 });
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
  const lines = linesOf((line) => {
    const refusal = line === null ? refusalWithoutId("a message has at most 1 MB") : refusalOfLine(line);
    if (refusal) void transport.send(refusal as JSONRPCMessage);
    else fed.write(line);
  });
  input.on("data", lines.add);
  input.on("end", () => {
    lines.end();
    isLast = true;
    // The lines before the end are read first.
    clock.soon(endWhenAnswered);
  });
  for (const stream of [input, output]) stream.on("error", () => ended.resolve());
  await ended.promise;
  await handle.close();
}

/** Takes chunks, and gives their lines, each with a newline at its end; null for one that is too long. */
function linesOf(take: (line: Buffer | null) => void) {
  let [parts, size]: [Buffer[], number] = [[], 0];
  const append = (part: Buffer) => {
    size += part.length;
    if (size > MAX_MESSAGE) parts = [];
    else parts.push(part);
  };
  const end = () => {
    if (size > 0) take(size > MAX_MESSAGE ? null : Buffer.concat([...parts, NEWLINE]));
    [parts, size] = [[], 0];
  };
  const add = (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, at));
      end();
      start = at + 1;
    }
    append(chunk.subarray(start));
  };
  return { add, end };
}

const NEWLINE = Buffer.from("\n");

/** The refusal of a line that is no message, or one that would be changed or could not be read; null for any other. */
function refusalOfLine(line: Buffer): Refusal | null {
  if (!isUtf8(line)) return refusalWithoutId("a line is not UTF-8", PARSE_ERROR);
  const text = line.toString();
  if (text.trim() === "") return null;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refusalWithoutId("a line is not valid JSON", PARSE_ERROR);
  }
  if (Array.isArray(message)) return refusalWithoutId("a line is one message, not a list of them");
  return isTooDeep(line) ? refusalOf(message, TOO_DEEP) : refusalOfNumbers(message, text);
}
