import { listInbox } from "../../../forms/inbox/inbox.ts";
import { getForm } from "../../../forms/forms.ts";
import type { Submission } from "../../../forms/submission.ts";
import { chosenIn } from "../forms/form-words.ts";
import type { Dashboard } from "../routes.ts";
import { besideOf, submissionPath } from "../submissions/rows.tsx";
import { addressOf } from "../view.ts";
import { sumOf } from "./controls.tsx";
import { seenCounts } from "./load.ts";
import { addressIn, readQuery } from "./query.ts";

/** Path of the oldest unread submission. It cannot be a form's: slugs do not begin with a dash. */
export const OLDEST = "/inbox/-/oldest-unread";

/** Submissions of a step, and steps that are taken at most. */
const STEP = 100;
const STEPS = 50;

/** Leads to the oldest unread submission of a form, of a project, or of all forms. */
export function oldestRoute({ app, root, get }: Dashboard): void {
  get(OLDEST, "forms:read", async (c) => {
    const caller = c.get("caller");
    const form = c.req.query("form") || null;
    const chosen = chosenIn(form);
    if (chosen.form !== null) await getForm(app, caller, chosen.form);
    const filter = { states: ["inbox"], unread: true } as const;
    let left = sumOf(await seenCounts(app, caller), form, "unread");
    let oldest: Submission | undefined;
    // The count says when the last one is found, so that the read ones before it are not looked at.
    for (let [step, before] = [0, null as string | null]; left > 0 && step < STEPS; step += 1) {
      const page = await listInbox(app, caller, { ...chosen, limit: STEP, before, filter });
      oldest = page.submissions.at(-1) ?? oldest;
      left -= page.submissions.length;
      if (page.next === null) break;
      before = page.next;
    }
    const query = readQuery(() => undefined, form);
    const to = oldest ? addressOf({ root: "" }, submissionPath(oldest), besideOf(query)) : addressIn(query);
    return c.redirect(`${root}${to}`, 303);
  });
}
