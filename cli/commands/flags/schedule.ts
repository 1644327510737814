import type { Command } from "commander";
import type { FlagPatch, FlagPlace } from "../../../src/flags/flag.ts";
import { noSuchScheduled, type viewScheduled } from "../../../src/flags/scheduled-change.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import { listAll } from "../../session/pages.ts";
import { type Session, action } from "../../session/session.ts";
import { expiryValue, usage } from "../../session/values.ts";

type Scheduled = ReturnType<typeof viewScheduled>;

/** What `flags set --at` does in the place of the change itself. */
export async function schedule(
  session: Session,
  { project, environment, flag }: FlagPlace,
  patch: FlagPatch,
  at: string,
): Promise<void> {
  const time = expiryValue(at, "--at", Date.now());
  if (time === null) throw usage("--at never is no time", "write --at 2027-01-31T12:00:00Z, or --at 2h");
  if (Object.keys(patch).length === 0)
    throw usage("nothing would change then", "say what, as in --on --at 2h");
  const url = path`/projects/${project}/environments/${environment}/flags/${flag}/scheduled`;
  const scheduled = await session.client.call<Scheduled>("POST", url, { at: time, patch });
  await session.report(
    { ...scheduled, result: "scheduled" },
    shown`scheduled ${flag} in ${project}/${environment} at ${scheduled.at}: ${changeOf(scheduled)}\n`,
  );
  session.suggest(shown`formflag flags unschedule ${scheduled.id} -p ${project} cancels it.`);
}

export function addScheduleCommands(flags: Command, io: Io): void {
  flags
    .command("scheduled")
    .description("list the changes that flags set --at has scheduled, the next first")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addHelpText(
      "after",
      `
A server makes them within a second of their time. Where no server runs, the next command that reads flags makes
them, or the next server before it answers.

Examples:
  formflag flags set sale -p shop -e production --on --at 2027-01-31T12:00:00Z
  formflag flags scheduled -p shop
  formflag flags unschedule k3v9-x2mq-71bd -p shop
`,
    )
    .action(
      action(io, async (session) => {
        const project = await session.project();
        const { environment } = session.options as { environment?: string };
        const all = await listScheduled(session, project, environment);
        const rows = all.map((each) => [
          each.id,
          each.at,
          each.flag,
          each.environment,
          shorten(changeOf(each), 60),
          each.who,
        ]);
        await session.print(all, table(["ID", "AT", "FLAG", "ENVIRONMENT", "CHANGE", "BY"], rows));
      }),
    );

  flags
    .command("unschedule")
    .argument("[id]", "id of the scheduled change")
    .description("cancel a scheduled change")
    .addOption(projectOption())
    .addHelpText(
      "after",
      "\nExamples:\n  formflag flags scheduled -p shop\n  formflag flags unschedule k3v9-x2mq-71bd -p shop\n",
    )
    .action(
      action(io, async (session, given) => {
        const id = await session.need(given, "id");
        const project = await session.project();
        const found = (await listScheduled(session, project)).find((each) => each.id === id);
        if (!found) throw noSuchScheduled(id);
        const url = path`/projects/${project}/environments/${found.environment}/scheduled/${id}`;
        await session.client.call("DELETE", url);
        await session.report({ id, result: "cancelled" }, shown`cancelled ${id}\n`);
      }),
    );
}

async function listScheduled({ client }: Session, project: string, environment?: string) {
  const query: Record<string, string> = environment === undefined ? {} : { environment };
  return listAll<Scheduled>(client, path`/projects/${project}/scheduled`, "scheduled", { query });
}

function changeOf({ patch }: Scheduled): string {
  return Object.entries(patch)
    .map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
    .join(", ");
}
