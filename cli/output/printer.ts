import { type Paint, createPaint } from "./color.ts";
import { fieldText } from "./field.ts";
import { type Progress, createProgress } from "./progress.ts";
import type { Io } from "./terminal.ts";

/** The options of a command that decide what is printed, and in which form. */
export type PrintOptions = {
  json: boolean;
  quiet: boolean;
  color: boolean;
  /** The only field to print. */
  field?: string | undefined;
};

/** Prints the output of a command in the form that `--json`, `--quiet`, `--field` and `--no-color` select. */
export type Printer = {
  /** Prints a result: `value` with `--json`, its field with `--field`, else `text`. */
  print: (value: unknown, text: string) => Promise<void>;
  /** Prints what was done: as `print` does, but no `text` with `--quiet`. */
  report: (value: unknown, text: string) => Promise<void>;
  /** Adds a remark on standard error, unless `--quiet` is set; with `--json` only if `withJson` is. */
  note: (text: string, options?: { withJson: boolean }) => void;
  /** Whether `note` prints: not with `--json` or `--quiet`. */
  showsNotes: boolean;
  /** Suggests a next step on standard error, to a person at a terminal only. */
  suggest: (text: string) => void;
  /** Starts a progress line, which appears after `delay` milliseconds. */
  progress: (delay?: number) => Progress;
  /** Colours text for standard output. */
  paint: Paint;
};

export function createPrinter(io: Io, options: PrintOptions): Printer {
  const { json, quiet, color, field } = options;
  const print = (value: unknown, text: string) => {
    if (json) return io.out(`${JSON.stringify(value, null, 2)}\n`);
    return field === undefined ? io.show(text) : io.out(fieldText(value, field));
  };
  return {
    print,
    async report(value, text) {
      if (json || field !== undefined || !quiet) await print(value, text);
    },
    note(text, { withJson } = { withJson: false }) {
      if (!quiet && (withJson || !json)) io.note(text);
    },
    showsNotes: !quiet && !json,
    suggest(text) {
      if (io.errIsTerminal && !quiet && !json && field === undefined) io.note(`${text}\n`);
    },
    progress: (delay) => createProgress(io, options, delay),
    paint: createPaint(io, color),
  };
}
