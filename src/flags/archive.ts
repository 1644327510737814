import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { requireChangeable } from "../projects/locks.ts";
import { requireNoOpenedForm } from "../projects/opened-forms.ts";
import type { FlagPlace } from "./flag.ts";
import { flagHeld, isHeld } from "./ramps/ramp.ts";
import type { FlagsApp } from "./store.ts";

/**
 * Throws unless a flag may be archived or restored, which changes what its readers get in every environment, as
 * `requireUnused` and `requireChangeable`.
 */
export async function requireArchivable(
  app: FlagsApp,
  caller: Caller,
  { project, flag }: FlagPlace,
  archives: boolean,
): Promise<void> {
  requireScope(caller, "flags:write", { project });
  await requireChangeable(app, caller, { project });
  if (archives) await requireUnused(app, caller, { project, flag });
}

/** Throws `conflict` for a flag that opens a form, or that a ramp or an experiment holds in any environment. */
export async function requireUnused(
  app: FlagsApp,
  caller: Caller,
  { project, flag }: Pick<FlagPlace, "project" | "flag">,
): Promise<void> {
  const { settled } = await import("./ramps/ramp-plan.ts");
  await requireNoOpenedForm(app, caller, { project, flag });
  for (const { slug: environment } of await app.store.environments.list(project)) {
    const place = { project, environment, flag };
    const experiment = await app.store.ramps.experimentOn(place);
    if (experiment !== undefined) throw flagHeld(place, `the experiment "${experiment}"`);
    const found = await app.store.ramps.find(place);
    if (found && isHeld(settled(found))) throw flagHeld(place, "a ramp");
  }
}
