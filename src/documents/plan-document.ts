import { DEFAULT_PROJECT } from "../access/place.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { rulesBySegment } from "../flags/segment.ts";
import { newEnvironment } from "../projects/environment.ts";
import {
  planDeletion,
  planEnvironment,
  planOrder,
  planSettings,
  planUpdate,
  projectEntry,
} from "../projects/plan.ts";
import {
  DEFAULT_ENVIRONMENTS,
  newProject,
  type ProjectPatch,
  type ProjectSettings,
} from "../projects/project.ts";
import { alteredSettings } from "../projects/settings.ts";
import { type Document, pathOf } from "./document.ts";
import { type FindForm, formNamed } from "./sources.ts";
import { planExperiments } from "./plan-experiments.ts";
import { planForms } from "./plan-forms.ts";
import type { Author } from "./plan-ramps.ts";
import { checkSegments, planSegments } from "./plan-segments.ts";
import { planFlags } from "./plan-flags.ts";
import { type DocumentPlan, type Target, add, fault } from "./plan.ts";
import type { Setup, SetupProject } from "./setup.ts";

type DocumentProject = NonNullable<Document["projects"]>[string];

/** A document, and `home`, the project of the forms at its top. */
export type Wanted = {
  document: Document;
  home: string;
  prune: boolean;
  author: Author;
  /** Whether a segment may name forms of a project, by its slug. */
  seesForms: (project: string) => boolean;
};

/**
 * Plans the changes from a setup to a document. The setup contains every project that the document names. Things that
 * the document does not name stay as they are; with `prune`, they are deleted from each section in the document. Throws
 * `invalid` with the path of the fault.
 */
export async function planOf(
  clock: ClockAndRandom,
  setup: Setup,
  { document, home, prune, author, seesForms }: Wanted,
): Promise<DocumentPlan> {
  const seen = setup.forms.filter(({ project }) => seesForms(project));
  if (document.forms && document.projects?.[DEFAULT_PROJECT]?.forms)
    throw fault(pathOf("projects", DEFAULT_PROJECT, "forms"), "the forms of this project are in `forms`");
  const plan: DocumentPlan = {
    differences: [],
    changes: [],
    checks: [],
    contents: [],
    forms: [],
    sources: [],
  };
  for (const [slug, wanted] of Object.entries(document.projects ?? {})) {
    const current = setup.projects.find((each) => each.slug === slug);
    const find: FindForm = (name) => formNamed(seen, { document, home }, slug, name);
    await planProject(clock, plan, slug, current, wanted, { prune, author, findForm: find });
  }
  if (document.forms) {
    const isMissing = !setup.projects.some(({ slug }) => slug === home);
    // Forms need their project, whether the document names it or not.
    if (isMissing && !document.projects?.[home] && Object.keys(document.forms).length > 0)
      await planProject(
        clock,
        plan,
        home,
        undefined,
        {},
        { prune: false, author, findForm: () => undefined },
      );
    planForms(clock, plan, setup, { project: home, forms: document.forms, at: ["forms"], prune });
  }
  for (const [project, { forms }] of Object.entries(document.projects ?? {}))
    if (forms) planForms(clock, plan, setup, { project, forms, at: ["projects", project, "forms"], prune });
  plan.changes.push(...plan.sources.map(({ change }) => change));
  return plan;
}

async function planProject(
  clock: ClockAndRandom,
  plan: DocumentPlan,
  project: string,
  current: SetupProject | undefined,
  wanted: DocumentProject,
  { prune, author, findForm }: { prune: boolean; author: Author; findForm: FindForm },
): Promise<void> {
  const { environments: _environments, flags: _flags, forms: _forms, ...settings } = wanted;
  const path = pathOf("projects", project);
  if (!current) {
    const made = newProject(clock, { slug: project, name: settings.name, environments: [] });
    const altered = alteredAt(path, made, settings);
    const after = { name: made.name, ...altered?.after };
    add(
      plan,
      { action: "create", kind: "project", path, before: null, after },
      {
        change: "insertProject",
        project,
        name: made.name,
        key: made.key,
        createdAt: made.createdAt,
        history: projectEntry(project, null, made.name),
      },
      ...(altered ? [planSettings(project, altered.before, altered.after)] : []),
    );
  } else {
    const altered = alteredAt(path, current, settings);
    if (altered)
      add(
        plan,
        { action: "update", kind: "project", path, ...altered },
        planSettings(project, altered.before, altered.after),
      );
  }
  const targets = planEnvironments(clock, plan, project, current, wanted, prune);
  for (const [environment, { segments }] of Object.entries(wanted.environments ?? {}))
    if (segments)
      planSegments(clock, plan, project, targets.get(environment)!, { segments, findForm, prune });
  const { flags } = wanted;
  if (flags) await planFlags(clock, plan, { project, current, targets, flags, prune, author });
  for (const [environment, { experiments }] of Object.entries(wanted.environments ?? {})) {
    if (!experiments) continue;
    const target = targets.get(environment)!;
    planExperiments(clock, plan, project, target, { experiments, findForm, prune, author });
  }
  for (const target of targets.values()) checkSegments(project, target);
}

/** As {@link alteredSettings}. Throws `invalid` with the path of the fault. */
function alteredAt(path: string, current: ProjectSettings, patch: ProjectPatch) {
  try {
    return alteredSettings(current, patch);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", `${path}.${error.message}`, { hint: error.hint ?? undefined });
  }
}

function planEnvironments(
  clock: ClockAndRandom,
  plan: DocumentPlan,
  project: string,
  current: SetupProject | undefined,
  wanted: DocumentProject,
  prune: boolean,
): Map<string, Target> {
  const targets = new Map(
    (current?.environments ?? []).map((each) => [
      each.slug,
      {
        ...each,
        rules: rulesBySegment(each.segments),
        flagRules: new Map(each.flags.map(({ slug, rules }) => [slug, rules])),
      },
    ]),
  );
  const usual = current ? {} : Object.fromEntries(DEFAULT_ENVIRONMENTS.map((slug) => [slug, {}]));
  const named: NonNullable<DocumentProject["environments"]> = wanted.environments ?? usual;
  for (const [environment, { name, color }] of Object.entries(named)) {
    const path = pathOf("projects", project, "environments", environment);
    const before = targets.get(environment);
    if (!before) {
      const made = newEnvironment(clock, { slug: environment, name, color }, targets.size + 1);
      const after = { name: made.name, ...(made.color === null ? {} : { color: made.color }) };
      add(
        plan,
        { action: "create", kind: "environment", path, before: null, after },
        planEnvironment(project, made, clock.now()),
      );
      targets.set(environment, {
        ...made,
        flags: [],
        segments: [],
        ramps: new Map(),
        experiments: [],
        rules: new Map(),
        flagRules: new Map(),
      });
      continue;
    }
    const isRenamed = name !== undefined && name !== before.name;
    const isColored = color !== undefined && color !== before.color;
    if (!isRenamed && !isColored) continue;
    const was = { ...(isRenamed && { name: before.name }), ...(isColored && { color: before.color }) };
    const after = { ...(isRenamed && { name }), ...(isColored && { color }) };
    add(
      plan,
      { action: "update", kind: "environment", path, before: was, after },
      planUpdate(project, before, after),
    );
  }
  const isPruned = (slug: string) => prune && wanted.environments && !Object.hasOwn(named, slug);
  for (const target of targets.values()) {
    const { slug: environment, name } = target;
    if (!isPruned(environment)) continue;
    const path = pathOf("projects", project, "environments", environment);
    add(
      plan,
      { action: "delete", kind: "environment", path, before: { name }, after: null },
      planDeletion(project, target),
    );
    targets.delete(environment);
  }
  planPlaces(plan, project, named, [...targets.keys()]);
  return targets;
}

/** Plans the order of the environments, given in their present one, if the document gives some of them places. */
function planPlaces(
  plan: DocumentPlan,
  project: string,
  named: NonNullable<DocumentProject["environments"]>,
  slugs: string[],
): void {
  const wanted = slugs.flatMap((slug) => {
    const { position } = (Object.hasOwn(named, slug) && named[slug]) || {};
    return position === undefined ? [] : [{ slug, position }];
  });
  const order = slugs.filter((slug) => !wanted.some((each) => each.slug === slug));
  for (const { slug, position } of wanted.toSorted((a, b) => a.position - b.position))
    order.splice(position - 1, 0, slug);
  for (const { slug } of wanted) {
    const [before, after] = [slugs.indexOf(slug) + 1, order.indexOf(slug) + 1];
    if (before === after) continue;
    const path = pathOf("projects", project, "environments", slug);
    add(
      plan,
      {
        action: "update",
        kind: "environment",
        path,
        before: { position: before },
        after: { position: after },
      },
      planOrder(project, order, { slug, before, after }),
    );
  }
}
