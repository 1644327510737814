import { flags as operations } from "../../../src/operations/flags.ts";
import { EXIT, Failed } from "../../exit.ts";
import { details, printable, shorten, shown, table } from "../../output/text.ts";
import { readPlace } from "./place.ts";
import type { StaleReason } from "../../../src/flags/stale-schema.ts";
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
  options: [
    "project",
    "environment",
    ["--days <n>", "days for which a flag is unchanged or unread", "30"],
    ["--strict", "say which can be removed, and exit 9 if one can"],
  ],
  help: `
A flag looks finished if in every environment, or with -e in that one, it is
  expired       past its expiry
  settled       the same for everyone, on or off, and unchanged for 30 days
  unread        not read for 30 days, or since it was created at least 30 days ago
or if it is
  unreferenced  on no branch of the code that flags refs scan --upload has sent since the flag was created
A flag that another one needs is not unread or unreferenced, and one that is on and needs others is not settled.
A server stores which flags were read once a minute and when it stops.

With --strict, a flag that flags cleanup calls finished is removable. Exit code: 0; with --strict, 9 if a listed flag
is removable.

Examples:
  formflag flags stale -p shop
  formflag flags stale -p shop -e production --days 90
  formflag flags stale -p shop --strict
`,
  parse: async (input) => {
    const project = await input.project();
    const { environment, days, strict = false } = input.options as StaleOptions;
    return { project, environment, days: countValue(days, "--days"), strict };
  },
  run: async ({ client, print, suggest }, { project, environment, days, strict }) => {
    const query = { days, environment, ...(strict && { removable: "true" as const }) };
    const { stale } = await client.call(staleFlags.list, { names: { project }, query });
    const rows = stale.map(({ slug, since, reasons, removable }) => [
      slug,
      since,
      ...(strict ? [removable ? "yes" : "no"] : []),
      reasons.map((reason) => whyOf(reason, days)).join("; "),
    ]);
    await print(stale, table(["FLAG", "SINCE", ...(strict ? ["REMOVABLE"] : []), "WHY"], rows));
    if (stale.length === 0) return suggest("No flag looks finished.");
    suggest(
      shown`Where is one used? formflag flags refs scan -p ${project}. Done with it? formflag flags cleanup <flag> -p ${project}`,
    );
    if (stale.some(({ removable }) => removable)) throw new Failed(EXIT.difference);
  },
});

export const addCleanupCommand = verb("cleanup", {
  argument: ["[flag]", "slug of the flag"],
  description: "check whether a flag is finished, what its code keeps, and what is left to do",
  options: ["project", "field"],
  help: `
A flag is finished if everyone gets the same in every environment and no ramp, experiment, form, schedule, expiry or other
flag holds it. How long that is so is shown, and not required. A permanent flag is not finished. The references are what
flags refs scan --upload has sent, with the commit that was read.

Exit code: 0 finished, 9 not yet.

Examples:
  formflag flags cleanup new-checkout -p shop
  formflag flags cleanup new-checkout -p shop --json
`,
  parse: async (input, given) => ({
    project: await input.project(),
    flag: await input.need(given, "flag"),
  }),
  run: async ({ client, print, suggest }, { project, flag }) => {
    const found = await client.call(staleFlags.cleanup, { names: { project, flag } });
    const { finished, since, days, keep, references, left } = found;
    const places = references.map(({ filePath, lineNumber, lineContent, branch, projectName, commit }) => [
      `${filePath}:${lineNumber}`,
      projectName,
      branch,
      commit?.slice(0, SHORT_COMMIT) ?? "",
      shorten(printable(lineContent), LINE_WIDTH),
    ]);
    const facts = details([
      ["flag", flag],
      ["finished", finished ? "yes" : "not yet"],
      ...(since === null
        ? []
        : [["same since", `${since} (${days} ${days === 1 ? "day" : "days"})`] as const]),
      ...(keep === null ? [] : [["code", keep.text] as const]),
    ]);
    const code =
      places.length === 0 ? "" : `\n${table(["WHERE", "NAME", "BRANCH", "COMMIT", "LINE"], places)}`;
    const steps = left.map((step, at) => shown`  ${at + 1}. ${step}\n`).join("");
    await print(found, `${facts}${code}${steps === "" ? "" : `\nleft to do\n${steps}`}`);
    if (!finished) throw new Failed(EXIT.difference);
    if (left.length > 0)
      suggest(
        references.length > 0
          ? shown`When the code is merged: formflag flags refs scan -p ${project} --upload --name ${references[0]!.projectName}`
          : shown`formflag flags archive ${flag} -p ${project}`,
      );
  },
});

/** Characters of a commit in a table. */
const SHORT_COMMIT = 12;
/** Columns of a line of code. */
const LINE_WIDTH = 60;

type StaleOptions = { environment?: string; days: string; strict?: true };

function whyOf(reason: StaleReason, days: number): string {
  const why = {
    expired: "expired",
    settled: `the same for everyone, unchanged for ${days} days`,
    unread: `not read for ${days} days`,
    unreferenced: "no reference on any branch",
  };
  return why[reason];
}
