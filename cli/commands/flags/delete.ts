import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import { revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { confirmAll, eachOf } from "../../session/several.ts";
import { whyOption } from "../../session/why.ts";
import { type FlagsOfProject, readFlags } from "./place.ts";

export function addDeleteCommand(flags: Command, io: Io): void {
  flags
    .command("delete")
    .argument("[flag...]", "slug of the flag")
    .description("delete a flag from every environment of its project")
    .addOption(projectOption())
    .addOption(revisionOption())
    .addOption(whyOption())
    .action(action(io, readFlags, run));
}

async function run(session: Session, { slugs, project, revision }: FlagsOfProject): Promise<void> {
  const where = ` from every environment of project ${project}`;
  if (slugs.length > 1) {
    await requireFlags(session, project, slugs);
    await confirmAll(session, "flag", slugs, where);
  } else await session.confirmDelete("flag", slugs[0]!, where);
  await eachOf(session, slugs, async ({ client, report }, slug) => {
    await client.call(operations.delete, { names: { project, flag: slug }, revision });
    await report({ slug, result: "deleted" }, shown`deleted flag ${slug} of project ${project}\n`);
  });
}

/** Throws `not_found` if a flag does not exist, so that none is deleted. Every environment has every flag. */
async function requireFlags({ client }: Session, project: string, slugs: string[]): Promise<void> {
  const { environments } = await import("../../../src/operations/environments.ts");
  const { environments: all } = await client.call(environments.list, { names: { project } });
  const environment = all[0]?.slug;
  if (environment === undefined) return;
  for (const flag of slugs) await client.call(operations.get, { names: { project, environment, flag } });
}
