import type { Caller } from "../access/caller.ts";
import { isMail } from "../delivery/delivery.ts";
import { deliveriesOf, enabledTargets } from "./deliveries.ts";
import { viewForm } from "./form.ts";
import type { FormName } from "./form-name.ts";
import { findForm } from "./lookup.ts";
import type { FormsApp } from "./store.ts";
import type { Submission } from "./submission.ts";
import { readSubmission, storeSubmission } from "./submissions.ts";

/** The only field of a test. */
const DATA = JSON.stringify({ message: "This is a test" });

/**
 * Stores a test in a form and sends it as any other submission, also if the form is closed: it is not checked. What is
 * recorded about its sender names it as a test. Returns the submission, and whether mail is among its deliveries. Throws `not_found`, `forbidden`, `unavailable`.
 */
export async function sendTest(
  app: FormsApp,
  caller: Caller,
  name: FormName,
): Promise<{ submission: Submission; isMailed: boolean }> {
  await caller.verify();
  const form = viewForm(await findForm(app, caller, "forms:write", name));
  const deliveries = deliveriesOf(app, form, await enabledTargets(app, form.key));
  const userAgent = `formflag test by ${caller.name}`;
  const meta = JSON.stringify({ address: null, userAgent, referrer: null, language: null });
  const { id } = await storeSubmission(app, form, { data: DATA, files: [], meta }, { deliveries });
  if (deliveries.length > 0) app.onQueued();
  return { submission: await readSubmission(app, id), isMailed: deliveries.some(({ kind }) => isMail(kind)) };
}
