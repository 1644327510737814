import { AppError } from "../../base/errors.ts";
import { checkTemplate } from "../template.ts";

/** Subject and text of a welcome, whose first line is `# Subject`; undefined for another text. */
export function welcomeIn(template: string): { subject: string; text: string } | undefined {
  const [first = "", ...lines] = template.trimStart().split(/\r?\n/);
  const subject = /^# *(\S.*)$/.exec(first)?.[1]?.trim();
  const text = lines.join("\n").trim();
  return subject === undefined || text === "" ? undefined : { subject, text: `${text}\n` };
}

/** Checks the template of a welcome. Throws `invalid`. */
export function checkWelcome(template: string): void {
  const welcome = welcomeIn(template);
  if (!welcome)
    throw new AppError("invalid", "welcome: the first line is # Subject, and the text follows", {
      reason: "template-invalid",
    });
  // Each is rendered alone; the text is checked with its lines where they are.
  checkTemplate(welcome.subject, "welcome");
  checkTemplate(template.trimStart().replace(/^.*/, ""), "welcome");
}
