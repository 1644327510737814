import type { Session } from "../session/session.ts";
import { printable } from "./text.ts";

/** Text in a colour, or as it is where colours are not wanted. */
type Paint = (text: string, colour: "old" | "new" | "head") => string;

const CODES = { old: ["\x1b[31m", "\x1b[39m"], new: ["\x1b[32m", "\x1b[39m"], head: ["\x1b[1m", "\x1b[22m"] };

/** Colours on a terminal that has some, unless `--no-color` or `NO_COLOR` says otherwise. */
export function paintFor({ config, io }: Session): Paint {
  const isColored = config.color && io.outIsTerminal && process.stdout.hasColors();
  return (text, colour) => (isColored ? CODES[colour].join(text) : text);
}

/** Each field that differs between two states, as `- field: old` and `+ field: new`, one a line. */
export function diffLines(before: unknown, after: unknown, paint: Paint): string {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .flatMap((field) => {
      const [left, right] = [textOf(field, old[field]), textOf(field, now[field])];
      if (left === right) return [];
      return [left && paint(`- ${left}`, "old"), right && paint(`+ ${right}`, "new")].filter(Boolean);
    })
    .map((line) => `${line}\n`)
    .join("");
}

function fieldsOf(state: unknown): Record<string, unknown> {
  if (state === null) return {};
  return state as Record<string, unknown>;
}

/** Nothing for a field that is not set; null is a payload like any other. */
function textOf(field: string, value: unknown): string {
  const isUnset = value === undefined || value === "" || (value === null && field !== "payload");
  return isUnset ? "" : printable(`${field}: ${JSON.stringify(value)}`);
}
