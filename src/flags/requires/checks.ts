import type { FlagPlace } from "../flag.ts";
import type { FlagsStore } from "../store.ts";
import { requireSoundNeeds } from "./graph.ts";
import { requirementsOf } from "./requirement.ts";

/** Throws as `requireSoundNeeds` for what a flag would need. */
export async function requireNeedsOf(
  { flags }: Pick<FlagsStore, "flags">,
  { project, environment, flag }: FlagPlace,
  requires: string,
): Promise<void> {
  if (requires === "") return;
  const { needing, needed } = await flags.needs(project, environment);
  const own = await flags.among(
    project,
    environment,
    requirementsOf(requires).map((each) => each.flag),
  );
  const known = new Map([...needed, ...own.map(({ slug, archived }) => [slug, archived] as const)]);
  requireSoundNeeds(
    {
      environment,
      needing: [...needing.filter(({ slug }) => slug !== flag), { slug: flag, requires }],
      needed: known.set(flag, known.get(flag) ?? false),
    },
    new Set(),
  );
}
