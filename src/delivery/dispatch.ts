import { shortName } from "../access/place.ts";
import { isoTime } from "../base/clock.ts";
import { emailFieldOf, parseMailbox } from "./address.ts";
import { type Attempt, unanswered } from "./attempt.ts";
import { buildAutoreply } from "./autoreply.ts";
import { type Pace, isAddressed, isAutomatic } from "./delivery.ts";
import { AUTOREPLY_LIMITS } from "./limits.ts";
import { buildReply } from "./reply.ts";
import { type SubmissionLinks, buildNotification, headingOf } from "./notification.ts";
import type { ChangeInWords, NoticePages } from "./notices/notice-words.ts";
import { type NoticeReceiver, sendNotices } from "./notices/send-notices.ts";
import type { Outgoing } from "./outgoing.ts";
import type { DeliveryOwner } from "./owner.ts";
import type { ClaimedDelivery, DeliveriesStore, DeliveryContent, TitleOfContent } from "./store.ts";
import { linkedFiles, submissionJson } from "./submission-json.ts";
import { type ChatKind, activeSecrets, type TargetRecord } from "./target.ts";
import { describeFlags, describeValue, parseFields } from "./text.ts";

/** The uploaded files of submissions, by the submission's id and the number of the file, from 1. */
export type DeliveryFiles = {
  /** A signed link. */
  url: (submission: string, position: number) => Promise<string>;
  open: (submission: string, position: number) => Promise<ReadableStream<Uint8Array>>;
  /** Links to the submission itself. */
  links?: (form: string, submission: string) => Promise<SubmissionLinks>;
  /** Links for senders who confirm; null on a server that does not know its public URL. */
  optIn?: {
    confirmUrl: (submission: string, until: number) => Promise<string>;
    unsubscribeUrl: (submission: string) => Promise<string>;
  } | null;
};

export type Dispatching = {
  store: DeliveriesStore;
  outgoing: Outgoing;
  files: DeliveryFiles;
  titleOf: TitleOfContent;
  /** Words what a notice says of a change. */
  inWords: ChangeInWords;
  pages: NoticePages;
  now: () => number;
  /** The span of the attempt; null where none is recorded. */
  traceparent: string | null;
};

/** The attempt that was made, the reason why the delivery is cancelled, or until when it waits, in milliseconds since 1970. */
export type Dispatched =
  | { attempt: Attempt; owner: DeliveryOwner }
  | { cancelled: string }
  | { postponed: number };

const NO_PUBLIC_URL = "the server does not know its public URL, which the link begins with";

/** Milliseconds until a reply is tried again that waits for the attempt of another one. */
const PENDING_MS = 5000;

const REPLIED = "another automatic reply went there within 24 hours";

const NO_ADDRESS = "the address is not one plain mail address";

/** Characters of a value in a chat message. */
const MAX_CHAT_VALUE = 2000;

/** Sends a delivery once. Rejects with the reason of the signal, or for a bug. */
export async function dispatch(
  dispatching: Dispatching,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Dispatched> {
  if (delivery.submission === null) return dispatchNotices(dispatching, delivery, signal);
  const content = await dispatching.store.deliveries.content(delivery.submission);
  if (!content) return { cancelled: "the submission was deleted" };
  const obstacle = obstacleTo(delivery, content, dispatching.now());
  if (obstacle !== null) return { cancelled: obstacle };
  const attempt = await attemptOf(dispatching, delivery, content, signal);
  if (typeof attempt === "number") return { postponed: attempt };
  return typeof attempt === "string" ? { cancelled: attempt } : { attempt, owner: { form: content.form } };
}

/** Returns until when a delivery waits, or why nothing is sent, as text. */
async function attemptOf(
  dispatching: Dispatching,
  delivery: ClaimedDelivery,
  content: DeliveryContent,
  signal: AbortSignal,
): Promise<Attempt | string | number> {
  if (delivery.kind === "confirmation") return askToConfirm(dispatching, delivery, content);
  if (delivery.kind === "autoreply") return replyOnce(dispatching, delivery, content);
  if (isAddressed(delivery.kind)) return sendMail(dispatching, delivery, content);
  return sendToTarget(dispatching, delivery, content, signal);
}

/** Why a delivery of a submission is not sent any more; null for no reason. */
function obstacleTo({ kind }: ClaimedDelivery, { submission, form }: DeliveryContent, now: number) {
  const { spam, state, createdAt, unsubscribedAt } = submission;
  if (spam !== null) return "the submission was filed as spam";
  if (kind !== "confirmation") {
    if (state === "unconfirmed") return "the submission waits for its sender to confirm it";
    return isAutomatic(kind) && unsubscribedAt !== null ? "the sender unsubscribed" : null;
  }
  if (state !== "unconfirmed") return "the submission was confirmed";
  return createdAt + form.optInWithin * 1000 <= now ? "the time to confirm it is over" : null;
}

async function dispatchNotices(
  { store, outgoing, inWords, pages, now }: Dispatching,
  { id, kind, target: targetId }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Dispatched> {
  const content = await store.deliveries.notices(id);
  if (!content) return { cancelled: "the project was deleted" };
  const target = isAddressed(kind) ? personal(targetId) : await enabledTarget(store, targetId);
  if (typeof target === "string") return { cancelled: target };
  const attempt = await sendNotices(outgoing, target, { id, content, now: now(), inWords, pages }, signal);
  return { attempt, owner: { project: content.project } };
}

/** The address of a person as a target. */
function personal(url: string): NoticeReceiver {
  return { kind: "mail", url, request: null, secrets: [] };
}

/** Returns why nothing is sent to a target, as text. */
async function enabledTarget({ targets }: DeliveriesStore, id: string): Promise<TargetRecord | string> {
  const target = await targets.find(id);
  if (!target) return "the target was deleted";
  return target.enabled ? target : "the target is disabled";
}

/** Returns why nothing is sent, as text. */
async function sendToTarget(
  dispatching: Dispatching,
  delivery: ClaimedDelivery,
  content: DeliveryContent,
  signal: AbortSignal,
): Promise<Attempt | string> {
  const { store, outgoing, now, traceparent } = dispatching;
  const target = await enabledTarget(store, delivery.target);
  if (typeof target === "string") return target;
  const { id } = delivery;
  const { kind, url, request } = target;
  if (kind === "mail") return sendMail(dispatching, { ...delivery, target: url }, content);
  if (kind !== "webhook") return sendChat(dispatching, kind, url, content, signal);
  const secrets = activeSecrets(target, now()).map(({ secret }) => secret);
  const createdAt = isoTime(content.submission.createdAt);
  const data = await submissionJson(content.form, content.submission, dispatching.files.url);
  const webhook = {
    url,
    id,
    type: "submission.created",
    secrets,
    data,
    createdAt,
    request,
    ...(traceparent !== null && { traceparent }),
  };
  return outgoing.sendWebhook(webhook, signal);
}

/**
 * Sends automatic mail at a pace that also holds for what has waited for a mail server. Returns until when it waits, or why nothing
 * is sent, as text.
 */
async function sendAtPace(
  { store, now }: Dispatching,
  pace: Pace,
  send: (at: number) => Promise<Attempt | string | number>,
): Promise<Attempt | string | number> {
  const at = now();
  const dueAt = await store.deliveries.admit(pace, at);
  if (dueAt > at) return dueAt;
  const attempt = await send(at);
  if (!isDelivered(attempt)) await store.deliveries.giveBack(pace, at);
  return attempt;
}

const isDelivered = (attempt: Attempt | string | number) =>
  typeof attempt === "object" && attempt.outcome === "delivered";

/** Sends a request to confirm, unless its mailbox was asked too lately: several may have waited. */
async function askToConfirm(dispatching: Dispatching, delivery: ClaimedDelivery, content: DeliveryContent) {
  const { paceOfSending } = await import("./opt-in/paces.ts");
  const send = () => sendMail(dispatching, delivery, content);
  return sendAtPace(dispatching, paceOfSending(delivery.target), send);
}

/** Sends an automatic reply, unless its mailbox got another one of the form lately: several may have waited. */
async function replyOnce(dispatching: Dispatching, delivery: ClaimedDelivery, content: DeliveryContent) {
  const { deliveries } = dispatching.store;
  const { paceOfReplies, sentReplyHash } = await import("./opt-in/paces.ts");
  const hash = sentReplyHash(content.form.key, delivery.target);
  return sendAtPace(dispatching, paceOfReplies(content.form.key), async (at) => {
    // The same delivery may hold it since an attempt that was cut off.
    const hold = await deliveries.holdReply(hash, delivery.id, at, at + AUTOREPLY_LIMITS.apart * 1000);
    if (hold === "pending") return at + PENDING_MS;
    if (hold === "sent") return REPLIED;
    const attempt = await sendMail(dispatching, delivery, content);
    if (!isDelivered(attempt)) await deliveries.releaseReply(hash, delivery.id);
    return attempt;
  });
}

/** The variants of flags that the sender got, as a line: `Flags: hero=b`. */
function flagLines({ flags }: DeliveryContent["submission"]): [name: string, value: string][] {
  const line = describeFlags(flags);
  return line === null ? [] : [["Flags", line]];
}

async function sendChat(
  { outgoing, files, titleOf }: Dispatching,
  kind: ChatKind,
  url: string,
  content: DeliveryContent,
  signal: AbortSignal,
): Promise<Attempt> {
  const { form, submission } = content;
  const fields = Object.entries(parseFields(submission.data)).map(
    ([name, value]) => [name, describeValue(value, MAX_CHAT_VALUE).text] as const,
  );
  const linked = await linkedFiles(submission, files.url);
  const attached = linked.map((file) => [file.name || "file", file.url] as const);
  const page = (await files.links?.(shortName(form), submission.id))?.page ?? "";
  const message = {
    title: headingOf(form, titleOf(content)),
    fields: [...fields, ...attached, ...flagLines(submission)],
    link: `Submission ${submission.id}${URL.canParse(page) ? `: ${page}` : ""}`,
  };
  return outgoing.sendChat(kind, url, message, signal);
}

/** Returns why nothing is sent, as text. */
async function sendMail(
  { store, outgoing, files, titleOf, now }: Dispatching,
  { id, kind, target: to }: ClaimedDelivery,
  content: DeliveryContent,
): Promise<Attempt | string> {
  const { form, submission, spamCount } = content;
  // Without a mail server, mail is not claimed.
  const { mailer, from: ofServer } = outgoing.mail!;
  const from = form.mailFrom === null ? ofServer : parseMailbox(form.mailFrom);
  if (kind === "reply") {
    const answer = await store.deliveries.answer(id);
    if (!answer) return "the reply is no longer kept";
    const { data, createdAt } = submission;
    const reply = buildReply({ id, from, to, now: now(), answer, data, createdAt, timeZone: form.timeZone });
    return reply === null ? NO_ADDRESS : mailer.send(reply);
  }
  const automatic = { id, from, to, now: now(), data: submission.data };
  if (kind === "autoreply") {
    const { autoreplySubject: subject, autoreplyText: text } = form;
    const isList = submission.confirmedAt !== null;
    const unsubscribe = isList ? await files.optIn?.unsubscribeUrl(submission.id) : null;
    const reply = buildAutoreply({ ...automatic, subject, text, unsubscribe });
    return reply === null ? NO_ADDRESS : mailer.send(reply);
  }
  if (kind === "welcome") {
    const template = await store.deliveries.welcome(id);
    const { welcomeIn } = await import("./opt-in/welcome.ts");
    const welcome = template === null ? undefined : welcomeIn(template);
    if (!welcome) return "the approval was taken back";
    const unsubscribe = await files.optIn?.unsubscribeUrl(submission.id);
    const defaults = [form.name, welcome.text] as const;
    const mail = buildAutoreply({ ...automatic, ...welcome, defaults, unsubscribe });
    return mail === null ? NO_ADDRESS : mailer.send(mail);
  }
  if (kind === "confirmation") {
    if (!files.optIn) return unanswered(NO_PUBLIC_URL, false);
    const { optInSubject: subject, optInText: text, optInWithin } = form;
    const { optInTexts } = await import("./opt-in/texts.ts");
    const { mail: defaults } = optInTexts(content.language ?? form.language ?? "en");
    const link = await files.optIn.confirmUrl(submission.id, submission.createdAt + optInWithin * 1000);
    const request = buildAutoreply({ ...automatic, subject, text, defaults, link });
    return request === null ? NO_ADDRESS : mailer.send(request);
  }
  const linked = await linkedFiles(submission, files.url);
  const { message, withoutAttachments } = buildNotification({
    id,
    from,
    to,
    now: now(),
    form,
    submission,
    files: linked.map((file, index) => ({ ...file, open: () => files.open(submission.id, index + 1) })),
    emailField: form.emailField,
    schemaEmailField: emailFieldOf(form.schema),
    subject: form.notifySubject,
    title: titleOf(content),
    attach: form.attach,
    timeZone: form.timeZone,
    spam: spamCount,
    links: (await files.links?.(shortName(form), submission.id)) ?? null,
  });
  return mailer.send(message, withoutAttachments);
}
