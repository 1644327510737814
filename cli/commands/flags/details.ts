import type { DetailsPatch } from "../../../src/flags/flags.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Session } from "../../session/session.ts";
import type { FlagsOfProject } from "./place.ts";

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
