import type { Io } from "./terminal.ts";

const CODES = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Color = keyof typeof CODES;

/** Returns a text in a colour, or unchanged if colours are not printed. */
export type Paint = (text: string, color: Color) => string;

/** Whether a stream gets colours: a terminal that has them, unless `--no-color` or `NO_COLOR` is set. */
export function hasColors(io: Io, stream: "stdout" | "stderr", isWanted: boolean): boolean {
  const isTerminal = stream === "stdout" ? io.outIsTerminal : io.errIsTerminal;
  // The streams of the process take long to set up: see processIo.
  return isWanted && isTerminal && process[stream].hasColors();
}

/** Paints text for standard output. */
export function createPaint(io: Io, isWanted: boolean): Paint {
  let isColored: boolean | undefined;
  return (text, color) => {
    isColored ??= hasColors(io, "stdout", isWanted);
    return isColored ? inColor(text, color) : text;
  };
}

export function inColor(text: string, color: Color): string {
  const [start, end] = CODES[color];
  return `\x1b[${start}m${text}\x1b[${end}m`;
}
