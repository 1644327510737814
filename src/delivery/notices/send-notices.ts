import { isoTime } from "../../base/clock.ts";
import type { Attempt } from "../attempt.ts";
import { buildNotice } from "../notice.ts";
import type { Outgoing } from "../outgoing.ts";
import type { NoticeContent } from "../store.ts";
import { oneLine } from "../text.ts";
import { activeSecrets, type TargetRecord } from "../target.ts";
import { DIGEST } from "./notice-types.ts";
import { type ChangeInWords, type NoticePages, noticeMessage, pageOf } from "./notice-words.ts";

/** Characters of the subject of a mail. */
const MAX_SUBJECT = 200;

/** A target, as far as notices are sent to it. */
export type NoticeReceiver = Pick<TargetRecord, "kind" | "url" | "request" | "secrets">;

type Sending = {
  id: string;
  content: NoticeContent;
  now: number;
  inWords: ChangeInWords;
  pages: NoticePages;
};

/** Sends the notices of a delivery to its target once; without a mail server, mail is not claimed. */
export async function sendNotices(
  outgoing: Outgoing,
  target: NoticeReceiver,
  { id, content, now, inWords, pages }: Sending,
  signal: AbortSignal,
): Promise<Attempt> {
  const { kind, url, request } = target;
  if (kind === "webhook") {
    const secrets = activeSecrets(target, now).map(({ secret }) => secret);
    return outgoing.sendWebhook({ url, id, secrets, request, ...webhookOf(content, pages) }, signal);
  }
  const message = noticeMessage(content, inWords, pages);
  if (kind !== "mail") return outgoing.sendChat(kind, url, message, signal);
  const { mailer, from } = outgoing.mail!;
  const lines = message.fields.map(([field, text]) => `${oneLine(field, MAX_SUBJECT)}: ${text}`);
  const mail = {
    id,
    from,
    to: url,
    now,
    subject: oneLine(message.title, MAX_SUBJECT),
    lines: [oneLine(message.title, 1000), ...lines, ...(message.link === "" ? [] : [message.link])],
  };
  return mailer.send(buildNotice(mail));
}

/** The event of a delivery with its data as JSON text. */
function webhookOf(content: NoticeContent, pages: NoticePages) {
  const { event, since, until, count, notices } = content;
  const page = pageOf(content, pages);
  const url = page === null ? {} : { url: page };
  if (event !== DIGEST) {
    const { timestamp, data } = JSON.parse(notices[0]!) as { timestamp: string; data: object };
    return { type: event, createdAt: timestamp, data: JSON.stringify({ ...data, ...url }) };
  }
  const head = JSON.stringify({ since: isoTime(since), until: isoTime(until), count, ...url });
  const more = count > notices.length;
  const data = `${head.slice(0, -1)},"notices":[${notices.join()}],"more":${more}}`;
  return { type: event, createdAt: isoTime(until), data };
}
