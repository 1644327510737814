import type { Attachment, MailMessage } from "../../delivery/message.ts";
import { attachmentFacts, automaticHeaders, mailOptions } from "../smtp.ts";
import type { Letter } from "./service.ts";

/** A message as services take it, with its attachments read. Rejects with the error of an attachment that cannot be read. */
export async function letterOf(message: MailMessage): Promise<Letter> {
  const { id, from, to, replyTo, answers, subject, text, html } = message;
  const files: Letter["files"][number][] = [];
  for (const attachment of message.attachments) files.push(await fileOf(attachment));
  return {
    id,
    from,
    to,
    replyTo,
    subject,
    text,
    html,
    files,
    headers: {
      "Message-ID": id,
      ...automaticHeaders(message),
      ...(answers !== undefined && { "In-Reply-To": answers, References: answers }),
    },
    async raw() {
      const { createTransport } = await import("nodemailer");
      const attachments = files.map(({ name, type, base64 }) => ({
        filename: name,
        contentType: type,
        contentDisposition: "attachment" as const,
        contentTransferEncoding: "base64" as const,
        content: Buffer.from(base64, "base64"),
      }));
      const transporter = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
      const { message: bytes } = await transporter.sendMail({ ...mailOptions(message), attachments });
      return Buffer.from(bytes as Buffer);
    },
  };
}

async function fileOf(attachment: Attachment): Promise<Letter["files"][number]> {
  const bytes = await new Response(await attachment.open()).bytes();
  return { ...attachmentFacts(attachment), base64: Buffer.from(bytes).toString("base64") };
}
