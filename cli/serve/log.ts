import { AppError } from "../../src/base/errors.ts";
import { earlyRequestId } from "../../src/http/request-id.ts";
import type { RequestRecord } from "../../src/http/request-record.ts";
import { droppedLines } from "../output/error-stream.ts";
import type { Io } from "../output/terminal.ts";
import { printable } from "../output/text.ts";

export const LOG_FORMATS = ["text", "json"] as const;
/** From everything to little: what stands before the level asked for is left out. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

type Level = (typeof LOG_LEVELS)[number];

export type LogConfig = {
  /** Null is text on a terminal, JSON lines otherwise. */
  format: (typeof LOG_FORMATS)[number] | null;
  level: Level;
};

/** The log of a server, on standard error. It names no key, no token and nothing that a sender wrote in a field. */
export type Log = {
  /** Something that happened. */
  line: (level: "info" | "warn", text: string) => void;
  /**
   * Answered requests are of the level info, failed ones error, reads of flags that succeed debug, which adds the client's
   * address.
   */
  request: (record: RequestRecord) => void;
  /** Whether the level is debug. */
  logsReads: boolean;
  /** A bug, or the cause of an answer that the operator should know of. */
  error: (error: unknown, request?: Request) => void;
  /** Writes what is still held back. */
  flush: () => void;
};

/** Requests are written together after so many milliseconds: one system call a line would cost more than most answers. */
const HOLD = 50;

export function createLog(io: Io, { format, level }: LogConfig): Log {
  const isForPeople = format === null ? io.errIsTerminal : format === "text";
  const lowest = LOG_LEVELS.indexOf(level);
  const isLogged = (level: Level) => LOG_LEVELS.indexOf(level) >= lowest;
  const [tellsInfo, tellsClients] = [isLogged("info"), isLogged("debug")];
  const write = (text: string) => (isForPeople ? io.note(text) : io.err(text));
  let held = "";
  let timer: Timer | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held !== "") write(held);
    held = "";
  };
  const hold = (line: string) => {
    held += line;
    timer ??= setTimeout(flush, HOLD);
  };
  const now = (text: string) => {
    flush();
    write(text);
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

  if (!isForPeople) io.describeDropped((lines) => json("warn", { message: droppedLines(lines) }));

  return {
    flush,
    line(level, text) {
      if (isLogged(level)) now(isForPeople ? `${text}\n` : json(level, { message: text }));
    },
    logsReads: tellsClients,
    request({ method, route, status, ms, id, isRead, client }) {
      if (isRead && !tellsClients) return;
      const isFailure = status >= 500;
      if (!tellsInfo && !isFailure) return;
      // Four times as fast as toFixed.
      const took = Math.round(ms * 100) / 100;
      // What a proxy forwards need not be an address.
      const from = tellsClients ? printable(client().address) : "";
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

/** An AppError in its own words with its cause; a bug with its stack. */
function describe(error: unknown): string {
  if (error instanceof AppError)
    return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
