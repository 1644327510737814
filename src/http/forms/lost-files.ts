import { HOUR_MS } from "../../base/days.ts";
import type { Form } from "../../forms/form.ts";
import type { Report, Shown } from "../errors.ts";

/**
 * Returns a function that reports a page of a form which loses the files of its senders, at most hourly for each form: its
 * senders see the refusal, and they cannot fix the page.
 */
export function createLostFileReport(now: () => number, { warn }: Pick<Report, "warn">) {
  const reported = new Map<string, number>();
  return (form: Pick<Form, "key" | "slug">, { reason }: Pick<Shown, "reason">): void => {
    if (reason !== "file-lost") return;
    const at = now();
    // The clock may have been set back.
    if (Math.abs(at - (reported.get(form.key) ?? -Infinity)) < HOUR_MS) return;
    reported.set(form.key, at);
    warn?.(
      `a page sends the form ${form.slug} the names of files without the files, which is refused: add enctype="multipart/form-data" to its form, or let its script send FormData`,
    );
  };
}
