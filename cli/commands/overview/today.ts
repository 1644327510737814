import { today as operations } from "../../../src/operations/today/today.ts";
import { table } from "../../output/text.ts";
import { lone } from "../../session/verb.ts";

export const addTodayCommand = lone({
  guesses: String.raw`
[formflag] todo needs upcoming agenda next: formflag today lists what needs you, and what happens by itself
`,
  options: ["field"],
  help: `
Lists what needs you, the worst first: ramps and experiments that stopped, targets that fail, changes to approve, unread
submissions, and flags that are ready to remove. Then what happens by itself in the next 30 days: digests, scheduled
changes, steps of ramps, expiries and deletions. Only what you may see is listed.

Examples:
  formflag today
  formflag today --json
`,
  parse: () => null,
  run: async ({ client, print }) => {
    const [{ needs }, { upcoming }] = [
      await client.call(operations.needs),
      await client.call(operations.upcoming),
    ];
    const waiting = needs.map(({ title, reason, since, verb, url }) => [
      verb,
      title,
      since ?? "",
      reason,
      url ?? "",
    ]);
    const coming = upcoming.map(({ at, title, project }) => [at, title, project ?? ""]);
    const parts = [
      needs.length === 0
        ? "Nothing needs you.\n"
        : table(["DO", "NEEDS YOU", "SINCE", "WHY", "PAGE"], waiting),
      ...(upcoming.length === 0 ? [] : [table(["AT", "HAPPENS BY ITSELF", "PROJECT"], coming)]),
    ];
    await print({ needs, upcoming }, parts.join("\n"));
  },
});
