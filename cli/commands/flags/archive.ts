import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import { revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
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
    .addHelpText("after", "\nOf several flags, all change or none.\n")
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
  const lineOf = ({ slug, result }: { slug: string; result: string }) => {
    const done = result === "unchanged" ? result : archived ? "archived" : "restored";
    return shown`${done} flag ${slug} of project ${project}\n`;
  };
  const [first, ...others] = slugs;
  if (others.length === 0) {
    const names = { project, flag: first! };
    const changed = await session.client.call(operations.details, { names, body: { archived }, revision });
    return session.report(changed, lineOf(changed));
  }
  const { flags } = await session.client.call(operations.detailsOf, {
    names: { project },
    body: { flags: Object.fromEntries(slugs.map((slug) => [slug, { archived }])) },
  });
  await session.report(flags, flags.map(lineOf).join(""));
}
