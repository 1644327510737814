import type { Command } from "commander";
import { roughDuration } from "../../../src/base/units.ts";
import type { FormName } from "../../../src/forms/form-name.ts";
import { spamCheckInWords } from "../../../src/forms/spam/spam-reason.ts";
import type { FormStats } from "../../../src/forms/form-stats.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { alignedRight, details, shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { formProjectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { countValue } from "../../session/values.ts";
import { named } from "../../session/verb.ts";

export function addFormStatsCommand(forms: Command, io: Io): void {
  forms
    .command("stats")
    .argument("[form]", "slug or key of the form")
    .description("count the submissions and the spam of a form, and say how soon they are answered")
    .option("--days <n>", "number of days, including today", "30")
    .withOptions(formProjectOption(), fieldOption())
    .after(`
Days are in UTC. First answers, fields and pages are those of the newest submissions: 200 at most. A first answer is a reply,
or the archive.

Examples:
  formflag forms stats contact
  formflag forms stats contact --days 7 --json
`)
    .action(action(io, parse, show));
}

type Asked = { form: FormName; days: number };

async function parse(input: Input, given?: string): Promise<Asked> {
  const { days } = input.options as { days: string };
  return { form: await named("form")(input, given), days: countValue(days, "--days", 1) };
}

async function show({ client, print }: Session, { form, days }: Asked): Promise<void> {
  const stats = await client.call(operations.stats, { names: { form }, query: { days } });
  await print(stats, describe(stats));
}

function describe({ submissions, spam, answers, last, sample, fields, pages }: FormStats): string {
  const reasons = spam.reasons.map(({ reason, count }) => `${spamCheckInWords(reason)} ${count}`);
  const lines = details([
    ["submissions", changed(submissions)],
    ["spam", changed(spam)],
    ["spam by", reasons.join(", ") || null],
    [
      "first answer",
      answers.median === null
        ? "none"
        : `after ${roughDuration(answers.median)}, the median of ${answers.answered} of ${answers.of}`,
    ],
    ["last", last && shown`${last.createdAt}, ${last.id}${last.title && `: ${last.title}`}`],
  ]);
  const tables = [
    fields.length > 0 &&
      sample > 0 &&
      table(
        ...alignedRight(
          ["FIELD", "FILLED IN"],
          fields.map(({ field, filled }) => [field, `${Math.round((filled / sample) * 100)} %`]),
        ),
      ),
    pages.length > 0 &&
      table(
        ...alignedRight(
          ["SENT FROM", "SUBMISSIONS"],
          pages.map(({ page, count }) => [page, String(count)]),
        ),
      ),
  ];
  return [lines, ...tables].filter((part) => part !== false).join("\n");
}

/** A number, and the one of as many days before. */
function changed({ total, before }: { total: number; before: number }): string {
  return `${total.toLocaleString("en")} (${before.toLocaleString("en")} before)`;
}
