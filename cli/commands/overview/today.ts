import type { Command } from "commander";
import { today as operations } from "../../../src/operations/today/today.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Session } from "../../session/session.ts";
import { heard } from "../../session/command-line.ts";

export function addTodayCommand(today: Command, io: Io): void {
  heard(today)`
[formflag] todo needs upcoming agenda next: formflag today lists what needs you, and what happens by itself
`;
  today
    .addOption(fieldOption())
    .after(`
Lists what needs you, the worst first: ramps and experiments that stopped, targets that fail, changes to approve, unread
submissions, and flags that are ready to remove. Then what happens by itself in the next 30 days: digests, scheduled
changes, steps of ramps, expiries and deletions. Only what you may see is listed.

Examples:
  formflag today
  formflag today --json
`)
    .action(action(io, () => null, run));
}

async function run({ client, print }: Session): Promise<void> {
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
    needs.length === 0 ? "Nothing needs you.\n" : table(["DO", "NEEDS YOU", "SINCE", "WHY", "PAGE"], waiting),
    ...(upcoming.length === 0 ? [] : [table(["AT", "HAPPENS BY ITSELF", "PROJECT"], coming)]),
  ];
  await print({ needs, upcoming }, parts.join("\n"));
}
