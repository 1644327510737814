import { onTestFinished } from "bun:test";

/** A message as a mail service takes it: the interface of each of them, as it is documented, with its own refusals. */
export type Taken = {
  from: string;
  to: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  files: { name: string; content: string }[];
  /** The whole message, where it is sent so. */
  raw: string | null;
};

export const KEYS = {
  resend: "re_123456789",
  postmark: "3a3e-server-token",
  brevo: "xkeysib-123456",
  sendgrid: "SG.abcdef.ghijkl",
  mailgun: "key-abcdef123456",
  ses: "AKIAEXAMPLE:secret/of+the/account",
};

type Address = { email: string; name?: string };
type Files = readonly Record<string, string>[] | undefined;
type Texts = Record<"from" | "subject" | "text" | "html", string>;
type Resend = Texts & {
  to: [string];
  reply_to?: string;
  headers: Record<string, string>;
  attachments?: Files;
};
type Postmark = Record<"From" | "To" | "Subject" | "TextBody" | "HtmlBody", string> & {
  ReplyTo?: string;
  Headers: { Name: string; Value: string }[];
  Attachments?: Files;
};
type Brevo = Record<"subject" | "textContent" | "htmlContent", string> & {
  sender: Address;
  to: [Address];
  replyTo?: Address;
  headers: Record<string, string>;
  attachment?: Files;
};
type Sendgrid = {
  personalizations: [{ to: [Address] }];
  from: Address;
  reply_to?: Address;
  subject: string;
  content: [{ value: string }, { value: string }];
  headers: Record<string, string>;
  attachments?: Files;
};

/** Listens as all six services. `next` answers the next request in place of it; `null` never answers. */
export function openMailService() {
  const taken: Taken[] = [];
  let next: (() => Response | null) | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const given = next;
      next = undefined;
      if (given) return given() ?? new Promise<Response>(() => {});
      if (pathname === "/emails") return resend(request);
      if (pathname === "/email") return postmark(request);
      if (pathname === "/v3/smtp/email") return brevo(request);
      if (pathname === "/v3/mail/send") return sendgrid(request);
      if (pathname === "/v3/mg.example.com/messages.mime") return mailgun(request);
      if (pathname === "/v2/email/outbound-emails") return ses(request);
      return new Response("not found", { status: 404 });
    },
  });
  onTestFinished(() => server.stop(true));

  async function resend(request: Request) {
    if (request.headers.get("Authorization") !== `Bearer ${KEYS.resend}`)
      return Response.json(
        { statusCode: 401, name: "invalid_api_key", message: "API key is invalid" },
        { status: 401 },
      );
    const { to, reply_to: replyTo = null, attachments, ...body } = (await request.json()) as Resend;
    if (!request.headers.get("Idempotency-Key")) throw new Error("no Idempotency-Key");
    taken.push({ ...body, to: to[0], replyTo, files: filesOf(attachments, "filename"), raw: null });
    return Response.json({ id: crypto.randomUUID() });
  }

  async function postmark(request: Request) {
    if (request.headers.get("X-Postmark-Server-Token") !== KEYS.postmark)
      return Response.json({ ErrorCode: 10, Message: "Bad or missing Server API token." }, { status: 401 });
    const body = (await request.json()) as Postmark;
    const {
      From: from,
      To: to,
      ReplyTo: replyTo = null,
      Subject: subject,
      TextBody: text,
      HtmlBody: html,
    } = body;
    const headers = Object.fromEntries(body.Headers.map(({ Name, Value }) => [Name, Value]));
    const files = filesOf(body.Attachments, "Name", "Content");
    taken.push({ from, to, replyTo, subject, text, html, headers, files, raw: null });
    return Response.json({ ErrorCode: 0, Message: "OK", MessageID: crypto.randomUUID() });
  }

  async function brevo(request: Request) {
    if (request.headers.get("api-key") !== KEYS.brevo)
      return Response.json({ code: "unauthorized", message: "Key not found" }, { status: 401 });
    const { sender, to, replyTo, attachment, ...body } = (await request.json()) as Brevo;
    const { subject, textContent: text, htmlContent: html, headers } = body;
    const people = { from: mailbox(sender), to: to[0].email, replyTo: replyTo?.email ?? null };
    taken.push({ ...people, subject, text, html, headers, files: filesOf(attachment, "name"), raw: null });
    return Response.json({ messageId: "<1@smtp-relay>" }, { status: 201 });
  }

  async function sendgrid(request: Request) {
    if (request.headers.get("Authorization") !== `Bearer ${KEYS.sendgrid}`)
      return Response.json(
        { errors: [{ message: "The provided authorization grant is invalid", field: null }] },
        { status: 401 },
      );
    const body = (await request.json()) as Sendgrid;
    const [text, html] = body.content.map(({ value }) => value) as [string, string];
    const [{ to }] = body.personalizations;
    const people = { from: mailbox(body.from), to: to[0].email, replyTo: body.reply_to?.email ?? null };
    const { subject, headers, attachments } = body;
    taken.push({
      ...people,
      subject,
      text,
      html,
      headers,
      files: filesOf(attachments, "filename"),
      raw: null,
    });
    return new Response(null, { status: 202, headers: { "X-Message-Id": "1" } });
  }

  async function mailgun(request: Request) {
    if (request.headers.get("Authorization") !== `Basic ${btoa(`api:${KEYS.mailgun}`)}`)
      return new Response("Forbidden", { status: 401 });
    const form = await request.formData();
    const raw = await (form.get("message") as File).text();
    taken.push(ofRaw(raw, form.get("to") as string));
    return Response.json({ id: "<1@mg.example.com>", message: "Queued. Thank you." });
  }

  async function ses(request: Request) {
    const [id] = KEYS.ses.split(":");
    const authorization = request.headers.get("Authorization") ?? "";
    if (
      !authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${id}/`) ||
      !authorization.includes("/eu-central-1/ses/aws4_request")
    )
      return Response.json(
        { message: "The security token included in the request is invalid." },
        { status: 403, headers: { "x-amzn-ErrorType": "UnrecognizedClientException" } },
      );
    const body = (await request.json()) as {
      Destination: { ToAddresses: [string] };
      Content: { Raw: { Data: string } };
    };
    taken.push(
      ofRaw(Buffer.from(body.Content.Raw.Data, "base64").toString(), body.Destination.ToAddresses[0]),
    );
    return Response.json({ MessageId: "1" });
  }

  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    taken,
    answer: (respond: () => Response | null) => (next = respond),
  };
}

function mailbox({ name, email }: Address): string {
  return name === undefined ? email : `"${name}" <${email}>`;
}

function filesOf(list: Files, name: string, content = "content"): Taken["files"] {
  return (list ?? []).map((file) => ({ name: file[name]!, content: atob(file[content]!) }));
}

/** A message as it is (RFC 5322), with the first line of each of its files. */
function ofRaw(raw: string, to: string): Taken {
  const head = raw.slice(0, raw.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
  const lines = head.split("\r\n").map((line) => /^([^:]+): (.*)$/.exec(line)!);
  const headers = Object.fromEntries(lines.map(([, name, value]) => [name!, value!]));
  const { From: from = "", "Reply-To": replyTo = null, Subject: subject = "" } = headers;
  const parts = raw.matchAll(/filename="?([^"\r\n]+)"?\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]+)/g);
  const files = [...parts].map(([, name, content]) => ({ name: name!, content: atob(content!) }));
  return { from, to, replyTo, subject, text: raw, html: raw, headers, raw, files };
}
