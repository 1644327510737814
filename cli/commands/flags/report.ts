import type { SetResult } from "../../../src/base/result.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { listScheduled, type Place, nearFlag } from "./place.ts";
import type { FlagDetail } from "./rules.ts";
import { hasExpired, summaryOf } from "./state.ts";

export type SetFlag = FlagDetail & { result: SetResult };

/**
 * Reports a flag that was set, and notes on standard error what may be a mistake, and what is scheduled besides the change of
 * that id.
 */
export async function reportFlag(
  session: Session,
  place: Place,
  flag: SetFlag,
  { end = "", scheduled }: { end?: string; scheduled?: string } = {},
): Promise<void> {
  const { project, environment } = place;
  const text = shown`${flag.result} ${flag.slug} in ${project}/${environment}: ${await summaryOf(flag)}${end}\n`;
  await session.report(flag, text);
  const { io, note } = session;
  if (!session.showsNotes) return;
  if (hasExpired(flag) && flag.result !== "unchanged")
    note(
      shown`${flag.slug} is off since it expired at ${flag.expiredAt!}; to change that: formflag flags set ${flag.slug} -p ${project} -e ${environment} --expires never\n`,
    );
  noteArchived(session, place, flag);
  if (flag.result !== "created") return noteScheduled(session, place, scheduled);
  const near = await nearFlag(session, place);
  // A script has read "created" already.
  if (near === null && !io.errIsTerminal) return;
  const meant =
    near === null
      ? ""
      : shown`; did you mean ${near}? To undo: formflag flags delete ${flag.slug} -p ${project}`;
  note(shown`${flag.slug} is a new flag of project ${project}` + `${meant}\n`);
}

/** Notes on standard error that a flag is archived, and how readers get it again. */
export function noteArchived({ note }: Session, { project, flag }: Place, { archived }: FlagDetail): void {
  if (archived)
    note(
      shown`${flag} is archived, so readers do not get it; formflag flags restore ${flag} -p ${project} shows it to them again
`,
    );
}

/** Notes on standard error the changes that are scheduled for a flag, all but the one of that id. */
async function noteScheduled(
  { client, note }: Session,
  { project, environment, flag }: Place,
  known?: string,
): Promise<void> {
  for (const each of await listScheduled(client, project, environment))
    if (each.flag === flag && each.id !== known)
      note(
        shown`scheduled at ${each.at}: ${(await import("./scheduled.ts")).changeOf(each)}; formflag flags unschedule ${each.id} -p ${project} cancels it\n`,
      );
}
