import type { Caller } from "../../access/caller.ts";
import { NO_MAIL_SERVER } from "../../delivery/delivery-status.ts";
import { requireScopeForNamed } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { hasVisible } from "../../base/normalize.ts";
import { emailFieldOf, findSenderAddress, senderFault } from "../../delivery/address.ts";
import { oneLine } from "../../delivery/text.ts";
import { nameIn } from "../form-name.ts";
import { getForm } from "../forms.ts";
import { HANDLING_LIMITS } from "../limits.ts";
import { requireSubmissions } from "../lookup.ts";
import type { FormsApp } from "../store.ts";
import { getSubmission } from "../submissions.ts";

export type NewReply = { text: string; subject?: string | undefined };

/**
 * Queues a mail of a user to the sender of a submission. The same text of the same user within a minute is one mail. Throws
 * `conflict` without a mail server, for spam and for a sender who has to confirm, `invalid` for an empty text and a sender without an address, `not_found`,
 * `forbidden`.
 */
export async function replyToSubmission(
  app: FormsApp,
  caller: Caller,
  sendsMail: boolean,
  id: string,
  { text: given, subject }: NewReply,
): Promise<{ delivery: string; to: string }> {
  requireScopeForNamed(caller, "forms:write");
  await caller.verify();
  await requireSubmissions(app, caller, "forms:write", [id]);
  const { project, form: slug, data, state } = await getSubmission(app, caller, id);
  if (!sendsMail) throw new AppError("conflict", NO_MAIL_SERVER, { reason: "mail-server-missing" });
  if (state === "spam")
    throw new AppError("conflict", "spam is not answered: move the submission to the inbox first");
  if (state === "unconfirmed")
    throw new AppError("conflict", "a sender who has not confirmed the address is not answered");
  const text = given.trim();
  if (!hasVisible(text)) throw new AppError("invalid", "the reply is empty");
  if (text.length > HANDLING_LIMITS.answer)
    throw new AppError(
      "invalid",
      `a reply has at most ${HANDLING_LIMITS.answer.toLocaleString("en")} characters`,
    );
  const form = await getForm(app, caller, nameIn(project, slug));
  const to = findSenderAddress(data, form.emailField, emailFieldOf(form.schema));
  if (to === null)
    throw new AppError("invalid", senderFault(data, form.emailField, emailFieldOf(form.schema)), {
      reason: "sender-without-address",
    });
  const line = oneLine(subject ?? "", HANDLING_LIMITS.subject);
  const answer = {
    text,
    subject: line === "" ? oneLine(`Re: ${form.name}`, HANDLING_LIMITS.subject) : line,
    delivery: { id: app.nextId(), target: to },
  };
  const delivery = await app.store.submissions.answer(id, answer, { who: caller.name, at: app.now() });
  app.onQueued();
  app.onMarked?.();
  return { delivery, to };
}
