import { turnedOffBy, turnedOffInWords } from "../flags/requires/dependents.ts";
import type { FlagsApp } from "../flags/store.ts";
import type { SetupChange } from "./setup.ts";

/** Flags that changes turn off besides what they change, by the environment. */
export type TurnedOff = { project: string; environment: string; flags: string[] };

/** The flags that changes turn off besides; nothing for environments in which they turn off no other. */
export async function turnedOffAfter(
  app: Pick<FlagsApp, "store" | "now">,
  changes: readonly SetupChange[],
): Promise<TurnedOff[]> {
  const places = Map.groupBy(
    changes.filter((each) => each.change === "putFlag"),
    ({ project, environment }) => `${project}/${environment}`,
  );
  const added = new Set(
    changes.flatMap((each) =>
      each.change === "insertEnvironment" ? [`${each.project}/${each.environment.slug}`] : [],
    ),
  );
  const found: TurnedOff[] = [];
  for (const [place, puts] of places) {
    const { project, environment } = puts[0]!;
    const stored = added.has(place) ? undefined : await app.store.projects.find(project);
    if (!stored?.environments.some(({ slug }) => slug === environment)) continue;
    const records = new Map(puts.map(({ flag, record }) => [flag, record]));
    const flags = await turnedOffBy(app, { project, environment }, records);
    if (flags.length > 0) found.push({ project, environment, flags });
  }
  return found;
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
