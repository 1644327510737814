import { type Service, mailboxText, textIn } from "./service.ts";

/** Resend: https://resend.com/docs/api-reference/emails/send-email */
export const resend: Service = {
  async request({ id, from, to, replyTo, subject, text, html, headers, files }, { key }) {
    const body = {
      from: mailboxText(from),
      to: [to],
      ...(replyTo !== null && { reply_to: replyTo }),
      subject,
      text,
      html,
      headers,
      attachments: files.map(({ name, type, base64 }) => ({
        filename: name,
        content: base64,
        content_type: type,
      })),
    };
    return {
      path: "/emails",
      // A message that was taken and whose answer was lost is not sent again for a day.
      headers: { Authorization: `Bearer ${key}`, "Idempotency-Key": id.slice(1, -1) },
      body: JSON.stringify(body),
    };
  },
  refusal({ json }) {
    const message = textIn(json["message"]);
    return { message, isOperators: /`?from`? field|domain is not verified|api key/i.test(message) };
  },
};
