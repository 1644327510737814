import type { FlagPatch } from "../../../src/flags/flag.ts";
import type { viewScheduled } from "../../../src/flags/schedule/scheduled-change.ts";
import { shown } from "../../output/text.ts";
import { type Client, path } from "../../session/client.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { type Place, urlOf } from "./place.ts";

type Scheduled = ReturnType<typeof viewScheduled>;

/** Schedules the change of `flags set --at`; `at` is in ISO 8601. Throws `invalid` for a change without fields. */
export async function scheduleChange(
  { client, report, suggest }: Session,
  place: Place,
  patch: FlagPatch,
  at: string,
): Promise<void> {
  if (Object.keys(patch).length === 0)
    throw usage("nothing would change then", "say what, as in --on --at 2h");
  const scheduled = await client.call<Scheduled>("POST", `${urlOf(place)}/scheduled`, { at, patch });
  const { project, environment, flag } = place;
  await report(
    { ...scheduled, result: "scheduled" },
    shown`scheduled ${flag} in ${project}/${environment} at ${scheduled.at}: ${changeOf(scheduled)}\n`,
  );
  suggest(shown`formflag flags unschedule ${scheduled.id} -p ${project} cancels it.`);
}

/** The scheduled changes of a project, or of one of its environments, the next first. */
export async function listScheduled(
  client: Client,
  project: string,
  environment?: string,
): Promise<Scheduled[]> {
  const query: Record<string, string> = environment === undefined ? {} : { environment };
  return listAll<Scheduled>(client, path`/projects/${project}/scheduled`, "scheduled", { query });
}

/** The fields of a scheduled change in one line. */
export function changeOf({ patch }: Scheduled): string {
  return Object.entries(patch)
    .map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
    .join(", ");
}
