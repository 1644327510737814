import { flags as operations } from "../../../src/operations/flags.ts";
import { details, shown, table } from "../../output/text.ts";
import { readPlace } from "./place.ts";
import type { StaleReason } from "../../../src/flags/flag-schema.ts";
import { stale as staleFlags } from "../../../src/operations/stale.ts";
import { countValue } from "../../session/values.ts";
import { verb } from "../../session/verb.ts";

export const addUsageCommand = verb("usage", {
  argument: ["[flag]", "slug of the flag"],
  description: "count what readers of a flag got today, by variant. Counts are at most a minute late",
  options: [
    "project",
    "environment",
    ["--zone <zone>", "time zone of the day, such as Europe/Berlin (default: that of this computer)"],
    "field",
  ],
  help: `
The server counts reads of one flag and of all flags of an environment. Readers that evaluate by themselves, with flagd,
are not counted.

Examples:
  formflag flags usage search -p shop -e production
  formflag flags usage search -p shop -e production --zone UTC --json
`,
  parse: async (input, given) => {
    const { zone } = input.options as { zone?: string };
    const place = await readPlace(input, given);
    return { ...place, timeZone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
  },
  run: async (session, { timeZone, ...names }) => {
    const usage = await session.client.call(operations.usage, { names, query: { timeZone } });
    const { day, reads, variants, none } = usage;
    const counts = [...Object.entries(variants), ...(none > 0 ? [["no variant", none] as const] : [])];
    const lines = counts.map(([name, count]): [string, string] => [
      name,
      `${count} (${Math.round((1000 * count) / reads) / 10} %)`,
    ]);
    await session.print(
      usage,
      details([
        ["flag", names.flag],
        ["day", `${day}, ${usage.timeZone}`],
        ["reads", String(reads)],
        ...lines,
      ]),
    );
  },
});

export const addStaleCommand = verb("stale", {
  description: "list the flags that look finished, in every environment or in one",
  options: ["project", "environment", ["--days <n>", "days for which a flag is unchanged or unread", "30"]],
  help: `
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
  parse: async (input) => {
    const project = await input.project();
    const { environment, days } = input.options as { environment?: string; days: string };
    return { project, environment, days: countValue(days, "--days") };
  },
  run: async ({ client, print, suggest }, { project, environment, days }) => {
    const query = { days, environment };
    const { stale } = await client.call(staleFlags.list, { names: { project }, query });
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
  },
});

function whyOf(reason: StaleReason, days: number): string {
  const why = {
    expired: "expired",
    settled: `the same for everyone, unchanged for ${days} days`,
    unread: `not read for ${days} days`,
    unreferenced: "no reference on any branch",
  };
  return why[reason];
}
