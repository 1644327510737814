import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import { revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { changeDetails } from "./details.ts";
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
    .addHelpText("after", "\nOf several flags, all change or none.\n")
    .addOption(projectOption())
    .addOption(revisionOption())
    .addOption(whyOption())
    .action(
      action(io, readFlags, (session: Session, values: FlagsOfProject) => run(session, values, archived)),
    );
}

function run(session: Session, flags: FlagsOfProject, archived: boolean): Promise<void> {
  return changeDetails(session, flags, { archived }, ({ slug, result }) => {
    const done = result === "unchanged" ? result : archived ? "archived" : "restored";
    return shown`${done} flag ${slug} of project ${flags.project}\n`;
  });
}
