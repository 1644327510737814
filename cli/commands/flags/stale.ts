import type { Command } from "commander";
import type { StaleReason } from "../../../src/flags/flag-schema.ts";
import { stale as operations } from "../../../src/operations/stale.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { countValue } from "../../session/values.ts";

export function addStaleCommand(flags: Command, io: Io): void {
  flags
    .command("stale")
    .description("list the flags that look finished, in every environment or in one")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--days <n>", "days for which a flag is unchanged or unread", "30")
    .addHelpText(
      "after",
      `
A flag looks finished if in every environment, or with -e in that one, it is
  expired       past its expiry
  settled       the same for everyone, on or off, and unchanged for 30 days
  unread        not read for 30 days, or since it was created at least 30 days ago
or if it is
  unreferenced  on no branch of the code that flags refs scan --upload has sent since the flag was created
A server stores which flags were read once a minute and when it stops.

Examples:
  formflag flags stale -p shop
  formflag flags stale -p shop -e production --days 90
`,
    )
    .action(action(io, parse, run));
}

type Values = { project: string; environment: string | undefined; days: number };

async function parse(input: Input): Promise<Values> {
  const project = await input.project();
  const { environment, days } = input.options as { environment?: string; days: string };
  return { project, environment, days: countValue(days, "--days") };
}

async function run(
  { client, print, suggest }: Session,
  { project, environment, days }: Values,
): Promise<void> {
  const query = { days, environment };
  const { stale } = await client.call(operations.list, { names: { project }, query });
  const rows = stale.map(({ slug, since, reasons }) => [
    slug,
    since,
    reasons.map((reason) => whyOf(reason, days)).join("; "),
  ]);
  await print(stale, table(["FLAG", "SINCE", "WHY"], rows));
  if (stale.length === 0) return suggest("No flag looks finished.");
  suggest(
    shown`Where is one used? formflag flags refs scan -p ${project}. Done with it? formflag flags delete <flag> -p ${project}`,
  );
}

function whyOf(reason: StaleReason, days: number): string {
  const why = {
    expired: "expired",
    settled: `the same for everybody, unchanged for ${days} days`,
    unread: `not read for ${days} days`,
    unreferenced: "no reference on any branch",
  };
  return why[reason];
}
