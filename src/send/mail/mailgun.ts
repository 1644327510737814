import { type Service, textIn } from "./service.ts";

/** Mailgun: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages */
export const mailgun: Service = {
  async request({ to, raw }, { key, place }) {
    const body = new FormData();
    body.append("to", to);
    body.append("o:tracking", "no");
    body.append("message", new Blob([await raw()], { type: "message/rfc822" }), "message.eml");
    return {
      path: `/v3/${encodeURIComponent(place)}/messages.mime`,
      headers: { Authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}` },
      body,
    };
  },
  refusal({ json }) {
    const message = textIn(json["message"]);
    return { message, isOperators: /\bfrom\b|domain|sandbox|not allowed to send/i.test(message) };
  },
};
