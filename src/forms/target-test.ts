import type { Caller } from "../access/caller.ts";
import { NO_MAIL_SERVER } from "../delivery/delivery-status.ts";
import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { type Attempt, failureOf } from "../delivery/attempt.ts";
import { buildNotice } from "../delivery/notice.ts";
import type { ChatMessage, Outgoing, SentRequest } from "../delivery/outgoing.ts";
import { activeSecrets } from "../delivery/target.ts";
import type { FormRecord } from "./form.ts";
import type { FormsApp } from "./store.ts";
import type { Submission } from "./submission.ts";
import { NO_COLUMNS } from "./submission-columns.ts";
import { findTarget, type OwnedTarget } from "./targets.ts";

/** A sample: an event with its data for a webhook, and a message for people. */
type Sample = { type: string; data: object; createdAt: string; message: ChatMessage };

/** The result of a sample, with the request; null for mail, and if none was made. */
type TestedTarget = Attempt & { request: SentRequest | null };

/**
 * Sends a sample to a target once, enabled or not, as a delivery is sent: to a webhook with the type `submission.test`, or
 * `notice.test` to that of a project. Stores nothing. Throws `not_found`, `forbidden`, and `unavailable` for mail without a
 * mail server.
 */
export async function testTarget(
  app: FormsApp,
  caller: Caller,
  id: string,
  outgoing: Outgoing,
): Promise<TestedTarget> {
  let request: SentRequest | null = null;
  const attempt = await attemptTest(
    app,
    await findTarget(app, caller, "write", id),
    outgoing,
    (sent) => (request = sent),
  );
  return { ...attempt, error: failureOf(attempt), request };
}

async function attemptTest(
  app: FormsApp,
  found: OwnedTarget,
  outgoing: Outgoing,
  onRequest: (request: SentRequest) => void,
): Promise<Attempt> {
  const { record } = found;
  const { kind, url, request } = record;
  const { signal } = new AbortController();
  const { type, data, createdAt, message } = sampleFor(app, found);
  if (kind === "webhook") {
    const secrets = activeSecrets(record, app.now()).map(({ secret }) => secret);
    const delivery = { url, id: app.nextId(), type, secrets, data: JSON.stringify(data), createdAt, request };
    return outgoing.sendWebhook(delivery, signal, onRequest);
  }
  if (kind !== "mail") return outgoing.sendChat(kind, url, message, signal, onRequest);
  if (outgoing.mail === null)
    throw new AppError("unavailable", NO_MAIL_SERVER, { reason: "mail-server-missing" });
  const { mailer, from } = outgoing.mail;
  const lines = [message.title, ...message.fields.map(([field, text]) => `${field}: ${text}`)];
  return mailer.send(
    buildNotice({ id: app.nextId(), from, to: url, now: app.now(), subject: message.title, lines }),
  );
}

function sampleFor(app: FormsApp, { owner, form }: OwnedTarget): Sample {
  const createdAt = isoTime(app.now());
  if (form === null) {
    const [project, text] = [(owner as { project: string }).project, "This is a test of formflag."];
    return {
      type: "notice.test",
      data: { project, message: text },
      createdAt,
      message: { title: `Test of project ${project}`, fields: [["message", text]], link: "" },
    };
  }
  const data = sampleSubmission(app, form, createdAt);
  const fields = Object.entries(data.data).map(([field, value]) => [field, String(value)] as const);
  return {
    type: "submission.test",
    data,
    createdAt,
    message: { title: `Test of the form ${form.name}`, fields, link: "" },
  };
}

function sampleSubmission(
  { nextId }: FormsApp,
  { project, slug }: FormRecord,
  createdAt: string,
): Submission {
  return {
    id: nextId(),
    project,
    form: slug,
    data: { name: "Ada Lovelace", email: "ada@example.com", message: "This is a test of formflag." },
    files: [],
    createdAt,
    state: "inbox",
    spam: null,
    read: false,
    ...NO_COLUMNS,
  };
}
