import { roughDuration } from "../../../src/base/units.ts";
import { spamCheckInWords } from "../../../src/forms/spam/spam-reason.ts";
import type { FormStats } from "../../../src/forms/form-stats.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { alignedRight, details, shown, table } from "../../output/text.ts";
import { countValue } from "../../session/values.ts";
import { named, verb } from "../../session/verb.ts";

export const addFormStatsCommand = verb("stats", {
  argument: ["[form]", "slug or key of the form"],
  description: "count the submissions and the spam of a form, and say how soon they are answered",
  options: [["--days <n>", "number of days, including today", "30"], "project of forms", "field"],
  help: `
Days are in UTC. First answers, fields and pages are those of the newest submissions: 200 at most. A first answer is a reply,
or the archive.

Examples:
  formflag forms stats contact
  formflag forms stats contact --days 7 --json
`,
  parse: async (input, given) => {
    const { days } = input.options as { days: string };
    return { form: await named("form")(input, given), days: countValue(days, "--days", 1) };
  },
  run: async ({ client, print }, { form, days }) => {
    const stats = await client.call(operations.stats, { names: { form }, query: { days } });
    await print(stats, describe(stats));
  },
});

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
