import type { Form } from "../form.ts";

/** Whether a form takes submissions at a time in milliseconds since 1970: `late` once it has closed. */
export function openingOf(
  { opensAt, closesAt }: Pick<Form, "opensAt" | "closesAt">,
  now: number,
): "early" | "open" | "late" {
  if (opensAt !== null && now < Date.parse(opensAt)) return "early";
  return closesAt !== null && now >= Date.parse(closesAt) ? "late" : "open";
}

/** The state of a form in words: `open`, `closed`, or `closed` with the time since when or until when. */
export function stateOf(form: Pick<Form, "enabled" | "opensAt" | "closesAt">, now: number): string {
  const opening = openingOf(form, now);
  if (opening === "late") return `closed since ${form.closesAt}`;
  if (!form.enabled) return "closed";
  return opening === "early" ? `closed until ${form.opensAt}` : "open";
}
