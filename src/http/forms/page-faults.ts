import type { Form } from "../../forms/form.ts";
import type { Report, Shown } from "../errors.ts";
import { createHourly } from "../hourly.ts";

/** Mistakes of pages, by the reason of the refusals that follow: what is sent to a form, and how its page is fixed. */
const FAULTS: Record<string, [sent: string, remedy: string]> = {
  "file-lost": [
    "the names of files without the files",
    'add enctype="multipart/form-data" to its form, or let its script send FormData',
  ],
  "not-utf-8": ["text that is not UTF-8", 'add accept-charset="utf-8" to its form'],
};

/**
 * Returns a function that reports a page whose submissions are refused because of how it sends them, at most hourly for
 * each form and mistake: its visitors see the refusal, and they cannot fix the page.
 */
export function createPageFaultReport(now: () => number, { warn }: Pick<Report, "warn">) {
  const write = createHourly(now, warn);
  return ({ key, slug }: Pick<Form, "key" | "slug">, { reason }: Pick<Shown, "reason">): void => {
    const fault = reason !== null && Object.hasOwn(FAULTS, reason) && FAULTS[reason];
    if (!fault) return;
    const [sent, remedy] = fault;
    write(`${reason} ${key}`, `a page sends the form ${slug} ${sent}, which is refused: ${remedy}`);
  };
}
