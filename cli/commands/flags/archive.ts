import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import { revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { eachOf } from "../../session/several.ts";
import { whyOption } from "../../session/why.ts";
import { type FlagsOfProject, readFlags } from "./place.ts";

/** `flags archive` and `flags restore`. */
export function addArchiveCommands(flags: Command, io: Io): void {
  addCommand(flags, io, true, "hide flags from their readers in every environment, and keep their settings");
  addCommand(flags, io, false, "show archived flags to their readers again, with the same settings");
}

function addCommand(flags: Command, io: Io, archived: boolean, description: string): void {
  flags
    .command(archived ? "archive" : "restore")
    .argument("[flag...]", "slug of the flag")
    .description(description)
    .addOption(projectOption())
    .addOption(revisionOption())
    .addOption(whyOption())
    .action(
      action(io, readFlags, (session: Session, values: FlagsOfProject) => run(session, values, archived)),
    );
}

async function run(
  session: Session,
  { slugs, project, revision }: FlagsOfProject,
  archived: boolean,
): Promise<void> {
  await eachOf(session, slugs, async ({ client, report }, flag) => {
    const flags = await client.call(operations.details, {
      names: { project, flag },
      body: { archived },
      revision,
    });
    const done = flags.result === "unchanged" ? "unchanged" : archived ? "archived" : "restored";
    await report(flags, shown`${done} flag ${flag} of project ${project}\n`);
  });
}
