import type { Form } from "../form.ts";

/** Whether a form accepts submissions at a time in milliseconds since 1970; `late` after it has closed. */
export function openingOf(
  { opensAt, closesAt }: Pick<Form, "opensAt" | "closesAt">,
  now: number,
): "early" | "open" | "late" {
  if (opensAt !== null && now < Date.parse(opensAt)) return "early";
  return closesAt !== null && now >= Date.parse(closesAt) ? "late" : "open";
}

/**
 * The state of a form in words: `open`, `closed`, or `closed` with the time since when or until when; `open while` names the
 * flag that decides, which may be true for some senders alone.
 */
export function stateOf(
  form: Pick<Form, "enabled" | "opensAt" | "closesAt" | "openWhen">,
  now: number,
): string {
  const opening = openingOf(form, now);
  if (opening === "late") return `closed since ${form.closesAt}`;
  if (!form.enabled) return "closed";
  if (opening === "early") return `closed until ${form.opensAt}`;
  return form.openWhen === null ? "open" : `open while ${form.openWhen} is true`;
}
