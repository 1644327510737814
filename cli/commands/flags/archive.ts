import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { type FlagsOfProject, readFlags } from "./places.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { confirmAll, eachOf } from "../../session/several.ts";
import type { DetailsPatch } from "../../../src/flags/flags.ts";
import { verb } from "../../session/verb.ts";

/** `flags archive` and `flags restore`. */
export function addArchiveCommands(flags: Command, io: Io): void {
  addCommand(flags, io, true, "hide flags from their readers in every environment, and keep their settings");
  addCommand(flags, io, false, "show archived flags to their readers again, with the same settings");
}

function addCommand(flags: Command, io: Io, archived: boolean, description: string): void {
  verb(archived ? "archive" : "restore", {
    argument: ["[flag...]", "slug of the flag"],
    description,
    options: ["project", "revision", "why"],
    help: "\nOf several flags, all change or none.\n",
    parse: readFlags,
    run: (session, values) => archive(session, values, archived),
  })(flags, io);
}

function archive(session: Session, flags: FlagsOfProject, archived: boolean): Promise<void> {
  return changeDetails(session, flags, { archived }, ({ slug, result }) => {
    const done = result === "unchanged" ? result : archived ? "archived" : "restored";
    return shown`${done} flag ${slug} of project ${flags.project}\n`;
  });
}

export const addDeleteCommand = verb("delete", {
  argument: ["[flag...]", "slug of the flag"],
  description: "delete a flag from every environment of its project",
  options: ["project", "revision", "why"],
  parse: readFlags,
  run: async (session, { slugs, project, revision }) => {
    const where = ` from every environment of project ${project}`;
    if (slugs.length > 1) {
      await requireFlags(session, project, slugs);
      await confirmAll(session, "flag", slugs, where);
    } else await session.confirmDelete("flag", slugs[0]!, where);
    await eachOf(session, slugs, async ({ client, report }, slug) => {
      await client.call(operations.delete, { names: { project, flag: slug }, revision });
      await report({ slug, result: "deleted" }, shown`deleted flag ${slug} of project ${project}\n`);
    });
  },
});

/** Throws `not_found` if a flag does not exist, so that none is deleted. Every environment has every flag. */
async function requireFlags({ client }: Session, project: string, slugs: string[]): Promise<void> {
  const { environments } = await import("../../../src/operations/environments.ts");
  const { environments: all } = await client.call(environments.list, { names: { project } });
  const environment = all[0]?.slug;
  if (environment === undefined) return;
  for (const flag of slugs) await client.call(operations.get, { names: { project, environment, flag } });
}

type Changed = { slug: string; result: string };

/** Makes a change of what all environments share in one flag or several, of which all change or none, and reports it by a line each. */
export async function changeDetails(
  { client, report }: Session,
  { slugs, project, revision }: FlagsOfProject,
  patch: DetailsPatch,
  lineOf: (changed: Changed) => string,
): Promise<void> {
  const [first, ...others] = slugs;
  if (others.length === 0) {
    const names = { project, flag: first! };
    const changed = await client.call(operations.details, { names, body: patch, revision });
    return report(changed, lineOf(changed));
  }
  const { flags } = await client.call(operations.detailsOf, {
    names: { project },
    body: { flags: Object.fromEntries(slugs.map((slug) => [slug, patch])) },
  });
  await report(flags, flags.map(lineOf).join(""));
}
