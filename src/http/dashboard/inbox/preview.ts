import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { nameIn } from "../../../forms/form-name.ts";
import { getForm } from "../../../forms/forms.ts";
import { labelsIn, titlesIn } from "../../../forms/inbox/field-words.ts";
import { addressIn } from "../../../forms/inbox/sender.ts";
import type { Submission } from "../../../forms/submission.ts";

/** The submission that is open beside a list without being read by that. */
export type Preview = Awaited<ReturnType<typeof loadPreview>>;

export async function loadPreview(app: App, caller: Caller, submission: Submission) {
  const form = await getForm(app, caller, nameIn(submission.project, submission.form));
  return {
    form,
    submission,
    address: addressIn(submission, form),
    labelOf: labelsIn(form.schema),
    choiceOf: titlesIn(form.schema),
  };
}
