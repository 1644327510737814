import { clock } from "../../../src/base/clock.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import type { Place } from "./place.ts";
import { reportFlag } from "./report.ts";

/** Makes a change that is undone after `lasts` seconds, and reports both. */
export async function setForAWhile(
  session: Session,
  place: Place,
  patch: FlagPatch,
  { lasts, revision }: { lasts: number; revision: number | undefined },
): Promise<void> {
  const { client, note, suggest } = session;
  const until = new Date(clock.now() + lasts * 1000).toISOString();
  const flag = await client.call(operations.setFor, { names: place, body: { patch, until }, revision });
  const { scheduled } = flag;
  const more = scheduled === null ? {} : { end: ` until ${scheduled.at}`, scheduled: scheduled.id };
  await reportFlag(session, place, flag, more);
  const { project, environment, flag: slug } = place;
  if (scheduled === null)
    note(
      shown`nothing was scheduled, since nothing changed; to change it back later: formflag flags set ${slug} -p ${project} -e ${environment} ${flag.enabled ? "--off" : "--on"} --at <time>\n`,
    );
  else suggest(shown`formflag flags unschedule ${scheduled.id} -p ${project} leaves it as it is now.`);
}
