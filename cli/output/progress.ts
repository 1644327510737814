import { clock } from "../../src/base/clock.ts";
import type { Io } from "./terminal.ts";

/** A line on standard error that shows how far a command is, to a person at a terminal only. */
export type Progress = {
  /** Draws over the line drawn before, some 20 times a second at most. */
  draw: (line: string) => void;
  /** Leaves the last line on the screen. */
  keep: () => void;
  /** Removes the line. */
  clear: () => void;
};

/** Milliseconds between two drawings. */
const REDRAW_MS = 50;

/** Nothing is drawn with `--json` or `--quiet`, and in the first `delay` milliseconds. */
export function createProgress(
  io: Io,
  { json, quiet }: { json: boolean; quiet: boolean },
  delay = 0,
): Progress {
  const isShown = io.errIsTerminal && !json && !quiet;
  const start = clock.steady();
  let drawnAt = -Infinity;
  let last = "";
  return {
    draw(line) {
      if (!isShown) return;
      last = line;
      const now = clock.steady();
      if (now - start < delay || now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      io.redraw(line);
    },
    keep() {
      if (last === "") return;
      io.redraw(last);
      io.err("\n");
    },
    clear() {
      if (drawnAt > -Infinity) io.redraw("");
    },
  };
}

const BAR_WIDTH = 24;

/** A bar with its percentage and a label. Drawn here: the bar of clack takes the keyboard, and with it Ctrl-C. */
export function progressBar(done: number, total: number, label: string): string {
  const share = Math.min(1, done / Math.max(1, total));
  const filled = Math.round(share * BAR_WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent} %  ${label}`;
}
