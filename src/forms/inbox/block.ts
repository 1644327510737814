import type { Caller } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import { plainAddress } from "../../delivery/address.ts";
import { nameIn } from "../form-name.ts";
import { getForm, setForm } from "../forms.ts";
import { ITEMS } from "../settings/items.ts";
import type { FormsApp } from "../store.ts";
import { getSubmission } from "../submissions.ts";
import { senderIn } from "./sender.ts";

/**
 * Lets the form of a submission treat a word as spam, or without one its sender: a mail address is spam from then on, a network
 * address is refused. Throws `invalid` for a word that cannot be one and a sender that is not known, `not_found`, `forbidden`.
 */
export async function blockFrom(
  app: FormsApp,
  caller: Caller,
  id: string,
  word?: string,
): Promise<{ blocked: string; form: string }> {
  const submission = await getSubmission(app, caller, id);
  const name = nameIn(submission.project, submission.form);
  const form = await getForm(app, caller, name);
  const blocked = word === undefined ? senderIn(submission, form) : word.trim();
  if (!blocked)
    throw new AppError("invalid", word === undefined ? "the sender is not known" : "the word is empty");
  const isWord = word !== undefined;
  const list = isWord ? "spamWords" : plainAddress(blocked) === null ? "blockedSenders" : "spamEmails";
  const item = list === "blockedSenders" ? null : ITEMS[isWord ? "spamWord" : "spamEmail"];
  if (item && !item.isValid(blocked)) throw new AppError("invalid", item.error);
  await setForm(app, caller, name, ({ [list]: known }) =>
    known.includes(blocked) ? {} : { [list]: [...known, blocked] },
  );
  return { blocked, form: form.name };
}
