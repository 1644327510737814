import { AppError } from "../src/errors.ts";
import type { RequestRecord } from "../src/http/site.ts";
import type { Io } from "./io.ts";

/** The log of a server, on standard error: for people on a terminal, JSON lines otherwise. */
export type Log = {
  /** Something that happened. */
  line: (text: string) => void;
  request: (record: RequestRecord) => void;
  /** A bug, or the cause of an answer that the operator should know of. */
  report: (error: unknown) => void;
  /** Writes what is still held back. */
  flush: () => void;
};

/** Requests are written together after so many milliseconds: one system call a line would cost more than most answers. */
const HOLD = 50;

export function createLog(io: Io): Log {
  const isForPeople = io.errIsTerminal;
  let held = "";
  let timer: Timer | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held !== "") io.err(held);
    held = "";
  };
  const hold = (line: string) => {
    held += line;
    timer ??= setTimeout(flush, HOLD);
  };
  const now = (text: string) => {
    flush();
    io.err(text);
  };

  // Made once a millisecond: requests come faster.
  let stampedAt = 0;
  let stamped = "";
  const stamp = () => {
    const at = Date.now();
    if (at !== stampedAt) {
      stampedAt = at;
      stamped = new Date(at).toISOString();
    }
    return stamped;
  };
  const json = (level: string, fields: Record<string, unknown>) =>
    `${JSON.stringify({ time: stamp(), level, ...fields })}\n`;

  return {
    flush,
    line: (text) => now(isForPeople ? `${text}\n` : json("info", { message: text })),
    request({ method, route, status, ms }) {
      // Four times as fast as toFixed.
      const took = Math.round(ms * 100) / 100;
      hold(
        isForPeople
          ? `${stamp().slice(11, 23)}  ${status}  ${method.padEnd(7)} ${route}  ${took} ms\n`
          : `{"time":"${stamp()}","level":"info","method":"${method}","route":"${route}","status":${status},"ms":${took}}\n`,
      );
    },
    report(error) {
      const text = describe(error);
      now(isForPeople ? `${text}\n` : json("error", { message: text }));
    },
  };
}

/** An AppError in its own words with its cause; a bug with its stack. */
function describe(error: unknown): string {
  if (error instanceof AppError)
    return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
