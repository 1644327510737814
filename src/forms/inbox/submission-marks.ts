import type { Caller } from "../../access/caller.ts";
import { requireScopeForNamed } from "../../access/rights.ts";
import type { NewDelivery } from "../../delivery/delivery.ts";
import { type IntakeTarget, deliveriesOf, enabledTargets } from "../deliveries.ts";
import { type Form, viewForm } from "../form.ts";
import { nameIn } from "../form-name.ts";
import { requireSubmissions } from "../lookup.ts";
import type { FormsApp } from "../store.ts";
import { type SubmissionMark, isFolder } from "../submission-state.ts";

/**
 * Marks submissions, all or none, and returns the ids that were not marked so before. Submissions that leave the spam
 * folder are delivered, once; a sender who was to confirm gets the mail for that. Throws `not_found` for an unknown id,
 * `conflict` for one that waits for its sender, `forbidden`.
 */
export async function markSubmissions(
  app: FormsApp,
  caller: Caller,
  ids: readonly string[],
  mark: SubmissionMark,
): Promise<string[]> {
  requireScopeForNamed(caller, "forms:write");
  await caller.verify();
  await requireSubmissions(app, caller, "forms:write", ids);
  // Before the deliveries get their ids, which have a time too.
  const at = app.now();
  const deliveries = isFolder(mark) && mark !== "spam" ? await deliveriesOfSpam(app, ids) : {};
  const changed = await app.store.submissions.mark(ids, mark, deliveries, { who: caller.name, at });
  if (changed.length > 0 && Object.keys(deliveries).length > 0) app.onQueued();
  if (changed.length > 0 && isFolder(mark)) app.onMarked?.();
  return changed;
}

/** The deliveries of those of the submissions that are spam, by id, without automatic replies. */
async function deliveriesOfSpam(
  app: FormsApp,
  ids: readonly string[],
): Promise<Record<string, NewDelivery[]>> {
  const deliveries: Record<string, NewDelivery[]> = {};
  const forms = new Map<string, { form: Form; targets: IntakeTarget[] }>();
  for (const [id, { project, form: slug, state, waits }] of Object.entries(
    await app.store.submissions.standing(ids),
  )) {
    if (state !== "spam") continue;
    const name = nameIn(project, slug);
    const known = forms.get(name) ?? (await recipientsOf(app, project, slug));
    if (known === null) continue;
    forms.set(name, known);
    const asking = waits ? await (await import("../opt-in/opt-in.ts")).askAgain(app, known.form, id) : null;
    const own = asking ? [asking] : deliveriesOf(app, known.form, known.targets);
    if (own.length > 0 || waits) deliveries[id] = own;
  }
  return deliveries;
}

/** Null for a form that has been deleted or moved. */
async function recipientsOf(app: FormsApp, project: string, slug: string) {
  const record = (await app.store.forms.named(slug)).find((each) => each.project === project);
  return record ? { form: viewForm(record), targets: await enabledTargets(app, record.key) } : null;
}
