import type * as z from "zod/mini";
import type { Caller } from "../../access/caller.ts";
import { isoTime } from "../../base/clock.ts";
import { creationOf } from "../../base/ids.ts";
import { emailFieldOf, findSenderAddress, senderFault } from "../../delivery/address.ts";
import type { Delivery } from "../../delivery/delivery.ts";
import { attemptsOf, listDeliveries } from "../deliveries.ts";
import { explainSpam } from "../spam/spam-reason.ts";
import type { FormsApp } from "../store.ts";
import type { MarkRecord } from "./handling-store.ts";
import type { Submission } from "../submission.ts";
import { isFolder } from "../submission-state.ts";
import type { Form } from "../form.ts";
import { nameIn } from "../form-name.ts";
import { getForm } from "../forms.ts";
import { getSubmission } from "../submissions.ts";
import { type HandlingRecord, TEXT_MEMBERS } from "./handling.ts";
import type { timelineEventSchema } from "./timeline-schema.ts";

export type TimelineEvent = z.infer<typeof timelineEventSchema>;

/** Deliveries of a submission whose attempts are shown, the newest: a form has far fewer targets and addresses. */
const MAX_DELIVERIES = 100;

/**
 * The life of a submission, oldest first: when it was stored and why as spam, its marks, what else people did with it, and its deliveries with their
 * attempts, as far as these are kept. Throws `not_found`, `forbidden`.
 */
export async function timelineOf(app: FormsApp, caller: Caller, id: string): Promise<TimelineEvent[]> {
  const submission = await getSubmission(app, caller, id);
  const form = await getForm(app, caller, nameIn(submission.project, submission.form));
  return timelineOfSubmission(app, caller, submission, form);
}

/** The same of a submission that the caller sees, and its form. */
export async function timelineOfSubmission(
  app: FormsApp,
  caller: Caller,
  submission: Submission,
  form: Form,
): Promise<TimelineEvent[]> {
  const { id } = submission;
  const query = { form: null, submission: id, status: null, before: null, limit: MAX_DELIVERIES };
  const [marks, handled, page] = await Promise.all([
    app.store.submissions.marks(id),
    app.store.submissions.events(id),
    listDeliveries(app, caller, query),
  ]);
  const deliveries = page.items.toReversed();
  const attempts = await Promise.all(deliveries.map((each) => attemptsOf(app, each.id)));
  const events: TimelineEvent[] = [
    storing(submission, marks),
    ...marks.map(marking),
    ...handled.map(handling),
    ...skipping(submission, form),
  ];
  for (const [index, delivery] of deliveries.entries()) {
    const { id: own, kind, target, status, nextAt, error } = delivery;
    events.push({
      event: "queued",
      at: queuedAt(submission, delivery),
      delivery: own,
      kind,
      target,
      status,
      nextAt,
      error,
    });
    for (const attempt of attempts[index]!)
      events.push({ event: "attempted", ...attempt, delivery: own, kind, target });
  }
  // ISO 8601 sorts as text, and events of one millisecond stay in this order.
  return events.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function storing({ createdAt, spam: now }: Submission, marks: readonly MarkRecord[]): TimelineEvent {
  const first = marks.find(({ mark }) => isFolder(mark));
  const spam = first === undefined ? now : first.spam;
  return { event: "stored", at: createdAt, spam, explanation: spam === null ? null : explainSpam(spam) };
}

/** The automatic reply of the form that cannot be sent, since the sender left no address for it. */
function skipping(
  { data, spam, createdAt }: Submission,
  { autoreply, optIn, emailField, schema }: Form,
): TimelineEvent[] {
  const fields = [data, optIn ?? emailField, emailFieldOf(schema)] as const;
  if (spam !== null || !autoreply || findSenderAddress(...fields) !== null) return [];
  return [{ event: "skipped", at: createdAt, kind: "autoreply", error: senderFault(...fields) }];
}

function marking({ mark, who, at }: MarkRecord): TimelineEvent {
  return { event: "marked", at: isoTime(at), mark, who };
}

function handling({ kind, text, delivery, who, at }: HandlingRecord): TimelineEvent {
  const shown = kind === "assigned" ? text : (text ?? "");
  const event = { event: kind, at: isoTime(at), [TEXT_MEMBERS[kind]]: shown, who };
  return (kind === "answered" ? { ...event, delivery: delivery ?? "" } : event) as TimelineEvent;
}

/** Its id is made just before its submission is stored. */
function queuedAt({ createdAt }: Submission, { id }: Delivery): string {
  const at = isoTime(creationOf(id));
  return at < createdAt ? createdAt : at;
}
