import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { deliveriesOf, enabledTargets } from "./deliveries.ts";
import { getForm } from "./forms.ts";
import type { FormsApp } from "./store.ts";
import type { Submission } from "./submission.ts";
import { getSubmission, storeSubmission } from "./submissions.ts";

/** The only field of a test. */
const DATA = JSON.stringify({ message: "This is a test" });

/**
 * Stores a test in a form and sends it as any other submission, also if the form is closed: it is not checked. What is
 * recorded about its sender names it as a test. Returns the submission. Throws `not_found`, `forbidden`, `unavailable`.
 */
export async function sendTest(app: FormsApp, caller: Caller, slugOrKey: string): Promise<Submission> {
  requireScope(caller, "forms:write");
  await caller.verify();
  const form = await getForm(app, slugOrKey);
  const deliveries = deliveriesOf(app, form, await enabledTargets(app, form.key));
  const userAgent = `formflag test by ${caller.name}`;
  const meta = JSON.stringify({ address: null, userAgent, referrer: null, language: null });
  const { id } = await storeSubmission(app, form, { data: DATA, files: [], meta }, { deliveries });
  if (deliveries.length > 0) app.onQueued();
  return getSubmission(app, id);
}
