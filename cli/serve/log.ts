import { type Timer, clock } from "../../src/base/clock.ts";
import { AppError, stackOf } from "../../src/base/errors.ts";
import { earlyRequestId } from "../../src/http/request-id.ts";
import type { RequestRecord } from "../../src/http/request-record.ts";
import { droppedLines } from "../output/error-stream.ts";
import type { Io } from "../output/terminal.ts";
import { printable } from "../output/text.ts";

export const LOG_FORMATS = ["text", "json"] as const;
/** In ascending order: records below the configured level are dropped. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

type Level = (typeof LOG_LEVELS)[number];

export type LogConfig = {
  /** Null is text on a terminal, JSON lines otherwise. */
  format: (typeof LOG_FORMATS)[number] | null;
  level: Level;
};

/** The log of a server, on standard error. It contains no keys, no tokens and no field values of senders. */
export type Log = {
  /** Logs an event. */
  line: (level: "debug" | "info" | "warn", text: string) => void;
  /**
   * Logs a request at level info, a failed one at error, a successful flag read at debug. Level debug adds the client's
   * address.
   */
  request: (record: RequestRecord) => void;
  /** Whether the level is debug. */
  logsReads: boolean;
  /** Logs a bug, or the cause of an answer that the operator should know. */
  error: (error: unknown, request?: Request) => void;
  /** Writes the buffered lines. */
  flush: () => void;
};

/** Requests are buffered for this many milliseconds: a system call for each line would cost more than most answers. */
const HOLD = 50;

export function createLog(
  io: Pick<Io, "errIsTerminal" | "note" | "err"> & Partial<Pick<Io, "describeDropped">>,
  { format, level }: LogConfig,
): Log {
  const isForPeople = format === null ? io.errIsTerminal : format === "text";
  const lowest = LOG_LEVELS.indexOf(level);
  const isLogged = (level: Level) => LOG_LEVELS.indexOf(level) >= lowest;
  const [logsInfo, logsDebug] = [isLogged("info"), isLogged("debug")];
  const write = (text: string) => (isForPeople ? io.note(text) : io.err(text));
  let held = "";
  let timer: Timer | undefined;

  const flush = () => {
    timer?.close();
    timer = undefined;
    if (held !== "") write(held);
    held = "";
  };
  const hold = (line: string) => {
    held += line;
    timer ??= clock.after(HOLD, flush);
  };
  const now = (text: string) => {
    flush();
    write(text);
  };

  // Formatted once a millisecond: requests come faster.
  let stampedAt = 0;
  let stamped = "";
  const stamp = () => {
    const at = clock.now();
    if (at !== stampedAt) {
      stampedAt = at;
      stamped = new Date(at).toISOString();
    }
    return stamped;
  };
  const json = (level: string, fields: Record<string, unknown>) =>
    `${JSON.stringify({ time: stamp(), level, ...fields })}\n`;

  if (!isForPeople) io.describeDropped?.((lines) => json("warn", { message: droppedLines(lines) }));

  return {
    flush,
    line(level, text) {
      if (isLogged(level)) now(isForPeople ? `${text}\n` : json(level, { message: text }));
    },
    logsReads: logsDebug,
    request({ method, route, status, ms, id, isRead, isFailure, client }) {
      if (!logsInfo && !isFailure) return;
      // Four times as fast as toFixed.
      const took = Math.round(ms * 100) / 100;
      // A proxy may forward any text as the address.
      const from = logsDebug ? printable(client().address) : "";
      if (isForPeople) {
        const tail = from === "" ? id : `${id}  ${from}`;
        hold(`${stamp().slice(11, 23)}  ${status}  ${method.padEnd(7)} ${route}  ${took} ms  ${tail}\n`);
        return;
      }
      const tail = from === "" ? "" : `,"client":${JSON.stringify(from)}`;
      hold(
        `{"time":"${stamp()}","level":"${isFailure ? "error" : isRead ? "debug" : "info"}","method":"${method}","route":"${route}","status":${status},"ms":${took},"id":"${id}"${tail}}\n`,
      );
    },
    error(error, request) {
      const text = describe(error);
      const id = request && earlyRequestId(request);
      if (isForPeople) now(id === undefined ? `${text}\n` : `${text}\nrequest ${id}\n`);
      else now(json("error", { message: text, ...(id === undefined ? {} : { id }) }));
    },
  };
}

/** The message of an AppError and of its cause, which was expected; the stack of a bug. */
function describe(error: unknown, isExpected = false): string {
  if (error instanceof AppError) {
    const { message, cause } = error;
    return cause === undefined ? message : `${message}: ${describe(cause, true)}`;
  }
  return isExpected ? String(error) : stackOf(error);
}
