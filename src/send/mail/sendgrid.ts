import { type Service, firstIn, textIn } from "./service.ts";

/** SendGrid: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
export const sendgrid: Service = {
  async request({ from, to, replyTo, subject, text, html, headers, files }, { key }) {
    const body = {
      personalizations: [{ to: [{ email: to }] }],
      from: { email: from.address, ...(from.name !== "" && { name: from.name }) },
      ...(replyTo !== null && { reply_to: { email: replyTo } }),
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
      headers,
      ...(files.length > 0 && {
        attachments: files.map(({ name, type, base64 }) => ({
          filename: name,
          type,
          content: base64,
          disposition: "attachment",
        })),
      }),
      tracking_settings: { click_tracking: { enable: false }, open_tracking: { enable: false } },
    };
    return { path: "/v3/mail/send", headers: { Authorization: `Bearer ${key}` }, body: JSON.stringify(body) };
  },
  refusal({ json }) {
    const { message, field } = firstIn(json["errors"]);
    return { message: textIn(message), isOperators: /^from\b/.test(textIn(field)) };
  },
};
