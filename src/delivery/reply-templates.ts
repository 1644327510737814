import { AppError } from "../base/errors.ts";
import { checkTemplate, membersOf, renderTemplate } from "./template.ts";
import { describeValue, parseFields, plainText } from "./text.ts";

/** A text that users may begin an answer with. */
export type ReplyTemplate = { name: string; text: string };

/** Characters of a value in a template. */
const MAX_VALUE = 2000;

/** The templates of a form's setting: each begins with a line `# Name`. */
export function replyTemplatesIn(setting: string | null): ReplyTemplate[] {
  if (setting === null) return [];
  const templates: { name: string; lines: string[] }[] = [];
  for (const line of plainText(setting).split("\n")) {
    const name = /^# *(\S.*)$/.exec(line)?.[1]?.trim();
    if (name !== undefined) templates.push({ name, lines: [] });
    else templates.at(-1)?.lines.push(line);
  }
  return templates.map(({ name, lines }) => ({ name, text: lines.join("\n").trim() }));
}

/** Checks the templates of a setting. Throws `invalid`. */
export function checkReplyTemplates(setting: string): void {
  const refuse = (fault: string) => {
    throw new AppError("invalid", `replyTemplates: ${fault}`, { reason: "template-invalid" });
  };
  const templates = replyTemplatesIn(setting);
  if (templates.length === 0 || !/^\s*# *\S/.test(setting))
    refuse("a line such as # Thanks begins each template");
  const names = new Set(templates.map(({ name }) => name));
  if (names.size < templates.length) refuse("two templates have the same name");
  for (const { name, text } of templates) {
    if (text === "") refuse(`the template ${name} has no text`);
    checkTemplate(text, `replyTemplates, ${name}`);
  }
}

/** A template with the fields of a submission, which is a JSON object as text. A user reads it before it is sent. */
export function fillReplyTemplate({ text }: ReplyTemplate, data: string): string {
  const textOf = (value: unknown) => describeValue(value, MAX_VALUE).text;
  const fields = Object.entries(parseFields(data)).map(([name, value]) => ({
    name: plainText(name),
    value: textOf(value),
    members: membersOf(value, textOf),
  }));
  return renderTemplate(text, fields);
}
