import { AppError } from "../../../src/base/errors.ts";
import type { NewOf } from "../../../src/base/kinds/kinds.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { rampInWords } from "../../../src/flags/ramps/ramp-words.ts";
import { withWords } from "../../../src/flags/rules/difference-words.ts";
import { noSuchScheduled, type SCHEDULE } from "../../../src/flags/schedule/scheduled-change.ts";
import { scheduled as operations } from "../../../src/operations/scheduled.ts";
import { shorten, shown, table } from "../../output/text.ts";
import type { Client } from "../../session/client.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { inProject, verb } from "../../session/verb.ts";
import { listScheduled, type Place, projectOrEnvironment } from "./place.ts";

export const addScheduledCommand = verb("scheduled", {
  description:
    "list the changes that --at and --for have scheduled, and the next steps of ramps, in order of time",
  options: ["project", "environment"],
  help: `
A server makes them within a second of their time. If no server is running, they are made by the next command that reads
flags, or by the next server before it answers requests.

Examples:
  formflag flags set sale -p shop -e production --on --at 2027-01-31T12:00:00Z
  formflag flags scheduled -p shop
  formflag flags unschedule k3v9-x2mq-71bd -p shop
`,
  parse: projectOrEnvironment,
  run: async ({ client, print }, { project, environment }) => {
    const changes = await listScheduled(client, project, environment);
    const all = [...changes, ...(await listSteps(client, project, environment))].toSorted((a, b) =>
      a.at < b.at ? -1 : Number(a.at > b.at),
    );
    const rows = all.map((each) => [
      each.id ?? "ramp",
      each.at,
      each.flag,
      each.environment,
      shorten("ramp" in each ? rampInWords(each.ramp) : changeOf(each), 60),
      each.who,
    ]);
    await print(all, table(["ID", "AT", "FLAG", "ENVIRONMENT", "CHANGE", "BY"], rows));
  },
});

const readScheduled = inProject("id", "id");

export const addUnscheduleCommand = verb("unschedule", {
  argument: ["[id]", "id of the scheduled change"],
  description: "cancel a scheduled change",
  options: ["project"],
  help: "\nExamples:\n  formflag flags scheduled -p shop\n  formflag flags unschedule k3v9-x2mq-71bd -p shop\n",
  parse: readScheduled,
  run: async ({ client, report }, { id, project }) => {
    const scheduled = (await listScheduled(client, project)).find((each) => each.id === id);
    if (!scheduled) throw noSuchScheduled(id);
    const { environment } = scheduled;
    await client.call(operations.cancel, { names: { project, environment, scheduled: id } });
    await report({ id, result: "cancelled" }, shown`cancelled ${id}\n`);
  },
});

export type NewSchedule = NewOf<typeof SCHEDULE>;

/** Schedules the change of `flags set --at`. Throws `invalid` for a change without fields. */
export async function scheduleChange(
  { client, report, suggest }: Session,
  place: Place,
  patch: FlagPatch,
  schedule: NewSchedule,
): Promise<void> {
  if (Object.keys(patch).length === 0)
    throw usage("nothing would change then", "say what, as in --on --at 2h");
  const scheduled = await client.call(operations.create, { names: place, body: { ...schedule, patch } });
  const { project, environment, flag } = place;
  await report(
    { ...scheduled, result: "scheduled" },
    shown`scheduled ${flag} in ${project}/${environment} at ${scheduled.at}: ${changeOf(scheduled)}\n`,
  );
  suggest(shown`formflag flags unschedule ${scheduled.id} -p ${project} cancels it.`);
}

/** The next step of each ramp that is running, as a scheduled change without an id; of a place that exists. */
async function listSteps(client: Client, project: string, environment?: string) {
  const { ramps } = await import("../../../src/operations/ramps.ts");
  const all = await listAll(client, ramps.list, { names: { project }, query: { environment } }).catch(
    (error: unknown) => {
      // A server of an earlier version knows no ramps.
      if (error instanceof AppError && error.code === "not_found") return [];
      throw error;
    },
  );
  return all.flatMap((ramp) => {
    const { nextAt: at, environment, flag, who, why, createdAt } = ramp;
    return at === null ? [] : [{ id: null, at, environment, flag, patch: null, ramp, who, why, createdAt }];
  });
}

/** The fields of a scheduled change in one line. */
export function changeOf({ patch }: { patch: FlagPatch }): string {
  return Object.entries(withWords(patch) as object)
    .map(([field, value]) => `${field}: ${field === "rule" ? value : JSON.stringify(value)}`)
    .join(", ");
}
