import { type Service, textIn } from "./service.ts";

/** Brevo: https://developers.brevo.com/reference/sendtransacemail */
export const brevo: Service = {
  async request({ from, to, replyTo, subject, text, html, headers, files }, { key }) {
    const body = {
      sender: { email: from.address, ...(from.name !== "" && { name: from.name }) },
      to: [{ email: to }],
      ...(replyTo !== null && { replyTo: { email: replyTo } }),
      subject,
      textContent: text,
      htmlContent: html,
      headers,
      ...(files.length > 0 && {
        attachment: files.map(({ name, base64 }) => ({ name, content: base64 })),
      }),
    };
    return { path: "/v3/smtp/email", headers: { "api-key": key }, body: JSON.stringify(body) };
  },
  refusal({ json }) {
    const message = textIn(json["message"]);
    const code = textIn(json["code"]);
    return { message, isOperators: /sender|not_enough_credits|unauthorized/i.test(`${code} ${message}`) };
  },
};
