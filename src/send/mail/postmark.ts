import { type Service, mailboxText, textIn } from "./service.ts";

/** Errors about a recipient or the content: https://postmarkapp.com/developer/api/overview#error-codes */
const ABOUT_MESSAGE: ReadonlySet<unknown> = new Set([300, 406, 402, 403, 409]);

/** Postmark: https://postmarkapp.com/developer/api/email-api */
export const postmark: Service = {
  async request({ from, to, replyTo, subject, text, html, headers, files }, { key }) {
    const body = {
      From: mailboxText(from),
      To: to,
      ...(replyTo !== null && { ReplyTo: replyTo }),
      Subject: subject,
      TextBody: text,
      HtmlBody: html,
      // Without this, the service replaces the Message-ID.
      Headers: Object.entries({ ...headers, "X-PM-KeepID": "true" }).map(([Name, Value]) => ({
        Name,
        Value,
      })),
      Attachments: files.map(({ name, type, base64 }) => ({
        Name: name,
        ContentType: type,
        Content: base64,
      })),
      TrackOpens: false,
      TrackLinks: "None",
    };
    return {
      path: "/email",
      headers: { "X-Postmark-Server-Token": key, Accept: "application/json" },
      body: JSON.stringify(body),
    };
  },
  refusal({ json }) {
    const { ErrorCode: code, Message: message } = json;
    return { message: textIn(message), isOperators: typeof code === "number" && !ABOUT_MESSAGE.has(code) };
  },
};
