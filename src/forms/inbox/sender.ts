import { emailFieldOf, findSenderAddress } from "../../delivery/address.ts";
import type { Form } from "../form.ts";
import type { Submission } from "../submission.ts";

/** The mail address of the sender of a submission; null if it has none. */
export function addressIn({ data }: Submission, { emailField, schema }: Form): string | null {
  return findSenderAddress(data, emailField, emailFieldOf(schema));
}

/**
 * The sender of a submission as a form can block it: the mail address, else the network address. A mail address with `*` would
 * be a pattern that blocks others.
 */
export function senderIn(submission: Submission, form: Form): string | null {
  const address = addressIn(submission, form);
  return address !== null && !address.includes("*") ? address : (submission.meta?.address ?? null);
}
