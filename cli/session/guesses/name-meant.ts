import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import { shown } from "../../output/text.ts";
import type { Client } from "../client.ts";
import { pathOf } from "../command-line.ts";
import { listNames, type Whereabouts } from "./names.ts";
import { meantBy } from "./nearest.ts";
import { operandGuess } from "./guess.ts";

/**
 * An error for a name that does not exist, with the name that was probably meant as its hint, or what the word means to the
 * command; any other as it is.
 */
export async function withNameMeant(
  error: unknown,
  client: Client,
  command: Command,
  { project: inProject, environment }: { project?: unknown; environment?: unknown },
): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== "not_found") return error;
  const [, kind, name, project] =
    /^(project|environment|form|segment|user|token) "(.*?)" does not exist(?: in project "(.*)")?$/.exec(
      error.message,
    ) ?? [];
  if (kind === undefined || name === undefined) return error;
  const withHint = (hint: string) => new AppError("not_found", error.message, { hint, cause: error });
  const misplaced = kind === "environment" && NO_NAME.test(name) ? operandGuess(command, name) : null;
  if (misplaced !== null) return withHint(misplaced);
  const place = { project: project ?? textOf(inProject), environment: textOf(environment) };
  const other = await otherKind(kind, name, pathOf(command), client);
  if (other !== null) return withHint(other);
  const near = meantBy(name, await namesOf(kind, client, place));
  return near === null ? error : withHint(shown`did you mean ${near}?`);
}

/** Words behind `-e staging` that hardly name another environment. */
const NO_NAME = /^(?:on|off|true|false|yes|no|[\d.]+%?)$/;

/** The hint for the name of a project in the place of a form, or the other way round; null for any other name. */
async function otherKind(kind: string, name: string, path: string, client: Client): Promise<string | null> {
  const other = kind === "form" ? "project" : kind === "project" ? "form" : undefined;
  if (other === undefined || !(await namesOf(other, client)).includes(name)) return null;
  const [noun = "", verb = ""] = path.split(" ");
  if (other === "form") return shown`${name} is a form; formflag projects list lists the projects`;
  if (noun === "targets")
    return verb === "add"
      ? shown`${name} is a project, to which notices of its flags belong: formflag targets add <target> -p ${name}`
      : shown`${name} is a project: formflag targets ${verb} -p ${name}`;
  return shown`${name} is a project; formflag forms list -p ${name} lists its forms`;
}

function textOf(option: unknown): string | undefined {
  return typeof option === "string" ? option : undefined;
}

/** The names of a kind; none if they cannot be listed. */
async function namesOf(kind: string, client: Client, place: Whereabouts = {}): Promise<string[]> {
  try {
    return await listNames(kind, client, place);
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
