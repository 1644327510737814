import { appendFileSync } from "node:fs";

/** `npm run rig` runs each trial for as long as it takes to be sure; `npm test` only as long as it takes to notice. */
const IS_FULL = process.env["FORMFLAG_RIG"] === "full";

/** The size of a trial in `npm test`, and in `npm run rig`. */
export function sizeOf(lean: number, full: number): number {
  return IS_FULL ? full : lean;
}

/** Hands the figures of a trial that passed to `npm run rig`, which prints them. */
export function report(trial: string, figures: string): void {
  const file = process.env["FORMFLAG_RIG_REPORT"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ trial, figures })}\n`);
}
