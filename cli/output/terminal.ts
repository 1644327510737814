import { systemCode } from "../../src/base/errors.ts";
import { clock } from "../../src/base/clock.ts";
import { fstatSync, writeSync } from "node:fs";
import { type ErrorStream, createErrorStream } from "./error-stream.ts";
import { forTerminal, printable, printableLines } from "./text.ts";
import { wrap } from "./wrap.ts";

/** Columns of help without a terminal, and of a terminal whose width is unknown. */
export const WIDTH = 80;

/** The streams of a command, and whether a person can be prompted. */
export type Io = {
  /**
   * Writes to standard output. Fulfils once the reader has taken the bytes, or at once if the reader has gone away, as
   * `head` does. Throws `unavailable` for a file on a disk that is full or fails. On a terminal every control
   * character of a text but line ends is escaped, colours too.
   */
  out(text: string | Uint8Array): Promise<void>;
  /**
   * As `out`, for people: control characters are always escaped but for formflag's own colours, and lines wrapped to the
   * width of a terminal.
   */
  show(text: string): Promise<void>;
  /** Whether the reader of standard output has gone away. */
  readonly outIsClosed: boolean;
  /** Writes to standard error without waiting for its reader: see `settle`. Control characters are escaped. */
  err(text: string): void;
  /** As `err`, for people: lines are wrapped to the width of a terminal. */
  note(text: string): void;
  /** Draws a line on standard error over the previous one. */
  redraw(line: string): void;
  /** Sets the text that replaces lines dropped because standard error was not read. */
  describeDropped: ErrorStream["describeDropped"];
  /** Fulfils once everything on standard error is written, or its reader was waited for long enough. */
  settle(): Promise<void>;
  /** Standard input as text. Throws `too_large`. */
  readStdin(): Promise<string>;
  /** The bytes of standard input, as they are read. */
  stdin(): ReadableStream<Uint8Array>;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** Columns of the terminal, or the value of `COLUMNS`; null without either. */
  readonly outWidth: number | null;
  readonly errWidth: number | null;
  /** Whether a person can be prompted. */
  readonly isInteractive: boolean;
};

/** The three standard streams of a command, as the process or a test has them. */
export type Streams = {
  /** Takes bytes on standard output. Throws `EPIPE` once the reader has gone away. */
  writeOut: (text: string | Uint8Array) => Promise<void>;
  /** Takes a text on standard error. */
  writeErr: (text: string) => Promise<void>;
  stdin: Io["stdin"];
  isTerminal: (descriptor: 0 | 1 | 2) => boolean;
  /** Columns of a terminal. */
  columns: (descriptor: 1 | 2) => number;
};

/** How a command uses its streams, in an environment. */
export function createIo(streams: Streams, env: Record<string, string | undefined>): Io {
  const { isTerminal } = streams;
  let outIsClosed = false;
  const errors = createErrorStream(streams.writeErr);
  const write = async (text: string | Uint8Array) => {
    if (outIsClosed) return;
    try {
      await streams.writeOut(text);
    } catch (error) {
      if (systemCode(error) !== "EPIPE")
        throw (await import("../data/write.ts")).diskError(error, "standard output");
      outIsClosed = true;
    }
  };
  const widthOf = (descriptor: 1 | 2) =>
    columnsIn(env) ?? (isTerminal(descriptor) ? streams.columns(descriptor) : null);
  return {
    out: (text) => write(typeof text === "string" && isTerminal(1) ? printableLines(text) : text),
    show: (text) => write(isTerminal(1) ? wrap(forTerminal(text), widthOf(1)!) : forTerminal(text)),
    get outIsClosed() {
      return outIsClosed;
    },
    err: (text) => errors.write(forTerminal(text)),
    note: (text) => errors.write(isTerminal(2) ? wrap(forTerminal(text), widthOf(2)!) : forTerminal(text)),
    redraw: (line) => errors.write(`\r${printable(line)}\x1b[K`),
    describeDropped: errors.describeDropped,
    settle: errors.settle,
    async readStdin() {
      // Most commands read none.
      const { streamText } = await import("../session/read-whole.ts");
      return streamText(streams.stdin(), "standard input");
    },
    stdin: streams.stdin,
    get outIsTerminal() {
      return isTerminal(1);
    },
    get errIsTerminal() {
      return isTerminal(2);
    },
    get outWidth() {
      return widthOf(1);
    },
    get errWidth() {
      return widthOf(2);
    },
    get isInteractive() {
      return !env["CI"] && isTerminal(0) && isTerminal(1);
    },
  };
}

/** The streams of this process, in an environment. */
export function processIo(env: Record<string, string | undefined>): Io {
  return createIo(processStreams(), env);
}

/**
 * `process.stdin`, `stdout` and `stderr` are left alone, because setting one of them up
 * takes three times as long as the rest of a command's start: `npm run bench -- start`.
 */
function processStreams(): Streams {
  // Opened with the first text: most commands write none.
  let writer: Bun.FileSink | undefined;
  return {
    async writeOut(text) {
      if (outIsFile()) writeAll(1, text);
      else if (typeof text === "string") await Bun.write(Bun.stdout, text);
      else await writeBytes(text);
    },
    async writeErr(text) {
      try {
        writer ??= Bun.stderr.writer();
        await writer.write(text);
        await writer.flush();
      } catch {
        // Standard error itself is gone or full: no one is left to read it.
      }
    },
    stdin: () => Bun.stdin.stream(),
    isTerminal,
    // Both streams take long to set up: they are used only if there is a terminal.
    columns: (descriptor) => usableWidth((descriptor === 1 ? process.stdout : process.stderr).columns),
  };
}

/** The columns of a terminal; {@link WIDTH} for fewer than a line needs. */
export function usableWidth(columns: number): number {
  return columns >= 20 ? columns : WIDTH;
}

function columnsIn(env: Record<string, string | undefined>): number | null {
  const columns = env["COLUMNS"] ?? "";
  return /^[1-9]\d{1,3}$/.test(columns) ? Number(columns) : null;
}

/** Whether standard output is a file on a disk, which Bun.write cuts, or fills with zeros if it is appended to. */
function outIsFile(): boolean {
  try {
    return fstatSync(1).isFile();
  } catch {
    return false;
  }
}

function writeAll(descriptor: number, text: string | Uint8Array): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Milliseconds between two tries to write to a full non-blocking pipe. */
const AGAIN = 10;

/** Avoids `Bun.write`, which blocks the whole process on a full pipe if the bytes are few. */
async function writeBytes(bytes: Uint8Array): Promise<void> {
  const { write } = process.getBuiltinModule("node:fs");
  for (let done = 0; done < bytes.byteLength;) {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    write(1, bytes, done, bytes.byteLength - done, null, (error, written) => {
      if (error && error.code !== "EAGAIN") reject(error);
      else resolve(error ? 0 : written);
    });
    const written = await promise;
    done += written;
    if (written === 0) await clock.sleep(AGAIN);
  }
}

/** The check of `isatty` of node:tty, without the streams that come with that module. */
function isTerminal(descriptor: number): boolean {
  type Terminals = { isTTY: (descriptor: number) => boolean };
  const { binding } = process as unknown as { binding: (name: "tty_wrap") => Terminals };
  return binding("tty_wrap").isTTY(descriptor);
}
