import type { Caller } from "../../../access/caller.ts";
import { hasScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import type { FlagHead } from "../../../flags/flag.ts";
import { type FlagOverview, overviewOfFlags } from "../../../flags/overviews.ts";
import type { Project } from "../../../projects/project.ts";
import { flagPath, settingAction } from "../paths.ts";
import { mayChange } from "../view.ts";
import { type Result, hasWords } from "./result.ts";

/** Flags that are found, of each project for each word, and in all. */
const EACH = 10;
const MOST = 20;
/** Words of actions, by which no flag is looked for. */
const VERBS = new Set(["turn", "on", "off", "in", "of", "go", "to", "the"]);

type Found = { project: Project; flag: FlagOverview };

/** Flags whose name, project or description has all words, and the switches of flags that some of the words name. */
export async function findFlags(
  app: App,
  caller: Caller,
  projects: readonly Project[],
  words: readonly string[],
): Promise<{ flags: Result[]; actions: Result[] }> {
  const found: Found[] = [];
  for (const project of projects) {
    const known = new Set<string>();
    for (const word of words) {
      if (VERBS.has(word) || found.length >= MOST) continue;
      const isNamed = ({ slug }: FlagHead) => slug.toLowerCase().includes(word);
      const search = { search: word, limit: EACH };
      const { items } = await overviewOfFlags(app, project.slug, { ...search, accepts: isNamed });
      // Descriptions name more flags than people look for: they are there if names are few.
      if (items.length < EACH) items.push(...(await overviewOfFlags(app, project.slug, search)).items);
      for (const flag of items) {
        if (known.has(flag.slug)) continue;
        known.add(flag.slug);
        found.push({ project, flag });
      }
    }
  }
  const [name = ""] = words;
  const rankOf = ({ flag: { slug } }: Found) =>
    slug === name ? 0 : slug.startsWith(name) ? 1 : slug.includes(name) ? 2 : 3;
  const flags = found
    .filter(({ project, flag }) => hasWords(`${flag.slug} flag ${project.slug} ${flag.description}`, words))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map(({ project, flag }): Result => {
      return { kind: "flag", label: flag.slug, detail: project.slug, to: flagPath(project.slug, flag.slug) };
    });
  const actions = found
    .flatMap((each) => switchesOf(caller, each))
    .filter(({ label }) => hasWords(label, words));
  return { flags, actions };
}

/** The switches of a flag in environments that the caller may change. */
function switchesOf(caller: Caller, { project, flag }: Found): Result[] {
  return flag.environments.flatMap(({ environment: slug, enabled, revision }): Result[] => {
    const environment = project.environments.find((each) => each.slug === slug);
    const place = { project: project.slug, environment: slug };
    if (
      !environment ||
      !hasScope(caller, "flags:read", place) ||
      !mayChange(caller, project.slug, [environment])
    )
      return [];
    const to = enabled ? "off" : "on";
    return [
      {
        kind: "action",
        label: `Turn ${to} ${flag.slug} in ${slug}`,
        detail: project.slug,
        to: settingAction({ ...place, flag: flag.slug }),
        values: { act: "state", enabled: to, revision },
      },
    ];
  });
}
