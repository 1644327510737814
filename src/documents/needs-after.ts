import type { FlagPlace, FlagRecord } from "../flags/flag.ts";
import { stepped } from "../flags/ramps/ramp-plan.ts";
import { nextStep, type Ramp } from "../flags/ramps/ramp.ts";
import { turnedOffBy, turnedOffInWords } from "../flags/requires/dependents.ts";
import { startsRamp } from "../flags/requires/to-check.ts";
import type { FlagsApp } from "../flags/store.ts";
import type { SetupChange } from "./setup.ts";

/** Flags that changes turn off besides what they change, by the environment. */
export type TurnedOff = { project: string; environment: string; flags: string[] };

/** The flags that changes, and ramps that they start, turn off besides; nothing for environments in which they turn off no other. */
export async function turnedOffAfter(
  app: Pick<FlagsApp, "store" | "now">,
  changes: readonly SetupChange[],
): Promise<TurnedOff[]> {
  const places = Map.groupBy(
    changes.flatMap(changedFlag),
    ({ project, environment }) => `${project}/${environment}`,
  );
  const added = new Set(
    changes.flatMap((each) =>
      each.change === "insertEnvironment" ? [`${each.project}/${each.environment.slug}`] : [],
    ),
  );
  const found: TurnedOff[] = [];
  for (const [place, changed] of places) {
    const { project, environment } = changed[0]!;
    const stored = added.has(place) ? undefined : await app.store.projects.find(project);
    if (!stored?.environments.some(({ slug }) => slug === environment)) continue;
    const records = new Map<string, FlagRecord>();
    for (const { flag, record, ramp } of changed) {
      const before =
        record ?? records.get(flag) ?? (await app.store.flags.find({ project, environment, flag }));
      if (before) records.set(flag, ramp ? afterRamp(ramp, before, app.now()) : before);
    }
    const flags = await turnedOffBy(app, { project, environment }, records);
    if (flags.length > 0) found.push({ project, environment, flags });
  }
  return found;
}

type Changed = FlagPlace & { record?: FlagRecord; ramp?: Ramp };

/** The flag that a change sets, or of which it starts a ramp. */
function changedFlag(each: SetupChange): Changed[] {
  if (each.change === "putFlag") return [each];
  if (!startsRamp(each)) return [];
  const { project, ramp } = each;
  return [{ project, environment: ramp.environment, flag: ramp.flag, ramp }];
}

/** A flag after all steps of a ramp. */
function afterRamp(ramp: Ramp, flag: FlagRecord, at: number): FlagRecord {
  let after = { ramp, record: flag };
  while (nextStep(after.ramp)) after = stepped(after.ramp, after.record, at);
  return after.record;
}

/** A sentence for each environment; with its name, if `changes` are of several. */
export function turnedOffSentences(found: readonly TurnedOff[], changes: readonly SetupChange[]): string[] {
  const places = changes.flatMap((each) =>
    each.change === "putFlag" ? [`${each.project}/${each.environment}`] : [],
  );
  const areSeveral = new Set(places).size > 1;
  return found.map(({ environment, flags }) => {
    const words = turnedOffInWords(flags)!;
    return areSeveral ? `${environment}: ${words}` : words;
  });
}
