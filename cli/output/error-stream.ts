/** Characters held for the reader of standard error at most; later text is dropped. */
import { clock } from "../../src/base/clock.ts";
const MAX_HELD = 1024 * 1024;

/** How long a process that ends waits for the reader of its standard error, in milliseconds. */
const PATIENCE = 1000;

/** Standard error: written in order, without waiting for its reader, within a bounded memory. */
export type ErrorStream = {
  write: (text: string) => void;
  /** Sets the text that replaces so many dropped lines. */
  describeDropped: (describe: (lines: number) => string) => void;
  /** Fulfils once everything is written, or the reader was waited for long enough. */
  settle: () => Promise<void>;
};

/** `send` fulfils once the reader, or the pipe to it, has taken the text. */
export function createErrorStream(send: (text: string) => Promise<void>): ErrorStream {
  let describe = (lines: number) => `${droppedLines(lines)}\n`;
  let held = "";
  let dropped = 0;
  let writing: Promise<void> | undefined;

  const writeHeld = async () => {
    while (held !== "") {
      const text = dropped > 0 ? held + describe(dropped) : held;
      held = "";
      dropped = 0;
      await send(text);
    }
    writing = undefined;
  };
  return {
    write(text) {
      // Once text is dropped, so is later text, so that the notice marks the place of the gap.
      if (dropped > 0 || (held !== "" && held.length + text.length > MAX_HELD))
        dropped += text.split("\n").length - 1;
      else held += text;
      writing ??= writeHeld();
    },
    describeDropped: (given) => void (describe = given),
    async settle() {
      const late = Promise.withResolvers<void>();
      const timer = clock.after(PATIENCE, late.resolve);
      await Promise.race([writing, late.promise]);
      timer.close();
    },
  };
}

/** The text that replaces so many lines. */
export function droppedLines(lines: number): string {
  const count = lines === 1 ? "1 log line" : `${lines.toLocaleString("en")} log lines`;
  return `${count} dropped: standard error was not read`;
}
