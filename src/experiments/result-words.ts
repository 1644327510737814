import type { Results } from "./results.ts";

type Variant = Results["metrics"][number]["variants"][number];

/** `12.3 %`, or `–` for no rate. */
export function percentOf(rate: number | null): string {
  return rate === null ? "–" : `${(rate * 100).toFixed(1)} %`;
}

/** A bar of a rate, as long as `width` for the largest. */
export function barOf(rate: number | null, most: number, width: number): string {
  if (rate === null || most === 0) return "";
  const eighths = Math.round((rate / most) * width * 8);
  const rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
  return "█".repeat(Math.floor(eighths / 8)) + rest;
}

/** `better: +2.0 %, from +0.4 to +3.6`. */
export function differenceInWords({
  control,
  difference,
  interval,
  verdict,
}: Omit<Variant, "variant">): string {
  if (control) return "control";
  if (interval === null || difference === null) return "too few visitors or conversions";
  return `${verdict}: ${signed(difference)} %, ${intervalInWords(interval)}`;
}

/** `from +0.4 to +3.6`, in percent. */
export function intervalInWords([low, high]: readonly [number, number]): string {
  return `from ${signed(low)} to ${signed(high)}`;
}

/** `+2.0`, in percent. */
export function signed(difference: number): string {
  const text = (Math.abs(difference) * 100).toFixed(1);
  return `${difference < 0 ? "−" : "+"}${text}`;
}

/** Whether something is decided, in a sentence or two. */
export function stateInWords({ status, winner, waiting, minDays, mixed, full, ratio }: Results): string {
  if (status === "draft") return "Nothing is counted before the start.";
  const found =
    winner === null
      ? waiting === null
        ? "No variant is better than the control."
        : WAITING[waiting](minDays)
      : `${winner} wins.`;
  const alarm = ratio.alarm ? ` By chance this happens once in 10^${Math.floor(ratio.evidence)} times.` : "";
  const out =
    mixed === 0 ? "" : ` ${mixed.toLocaleString("en")} visitors have seen two variants, and do not count.`;
  const over = full ? " The first 1,000,000 visitors are counted, later ones are not." : "";
  return `${found}${alarm}${out}${over}`;
}

const WAITING = {
  ratio: () => "Visitors are not split as planned: find out why before you trust any number here.",
  "too-few": () => "There are too few visitors or conversions yet.",
  undecided: () => "Nothing is decided yet.",
  "min-days": (days: number) => `There is no winner before ${days} days.`,
} as const;
