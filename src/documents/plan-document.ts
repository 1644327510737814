import type { Clockwork } from "../base/clock.ts";
import { findNestingFaults } from "../flags/flagd/segments.ts";
import { rulesBySegment, segmentInUse, usersOf } from "../flags/segment.ts";
import { applyFormPatch, newForm } from "../forms/form.ts";
import { newEnvironment } from "../projects/environment.ts";
import { DEFAULT_ENVIRONMENTS, newProject } from "../projects/project.ts";
import { type Document, formEntry, pathOf } from "./document.ts";
import { planFlags } from "./plan-flags.ts";
import { type Plan, type Target, add, fault } from "./plan.ts";
import type { Setup, SetupProject } from "./setup.ts";

type DocumentProject = NonNullable<Document["projects"]>[string];

/**
 * Compares a setup, which holds what the document names, with the document. What that does not name stays; with
 * `prune` every section that it has is complete, and what else stands there goes. Throws `invalid` with the path of
 * what cannot be.
 */
export function planOf(clock: Clockwork, setup: Setup, document: Document, prune: boolean): Plan {
  const plan: Plan = { differences: [], changes: [], checks: [] };
  for (const [slug, wanted] of Object.entries(document.projects ?? {})) {
    const current = setup.projects.find((each) => each.slug === slug);
    planProject(clock, plan, slug, current, wanted, prune);
  }
  if (document.forms) planForms(clock, plan, setup, document.forms, prune);
  return plan;
}

function planProject(
  clock: Clockwork,
  plan: Plan,
  project: string,
  current: SetupProject | undefined,
  wanted: DocumentProject,
  prune: boolean,
): void {
  const { name } = wanted;
  const path = pathOf("projects", project);
  if (!current) {
    const made = newProject(clock, { slug: project, name, environments: [] });
    add(
      plan,
      { action: "create", kind: "project", path, before: null, after: { name: made.name } },
      { change: "insertProject", project: made },
    );
  } else if (name !== undefined && name !== current.name) {
    add(
      plan,
      { action: "update", kind: "project", path, before: { name: current.name }, after: { name } },
      { change: "renameProject", project, name },
    );
  }
  const targets = planEnvironments(clock, plan, project, current, wanted, prune);
  for (const [environment, { segments }] of Object.entries(wanted.environments ?? {}))
    if (segments) planSegments(plan, project, targets.get(environment)!, segments, prune);
  if (wanted.flags) planFlags(clock, plan, { project, current, targets, flags: wanted.flags, prune });
  for (const target of targets.values()) checkSegments(project, target);
}

/** Throws `invalid` for a segment that goes although something still refers to it, or that comes to refer to itself. */
function checkSegments(project: string, { slug: environment, segments, rules, flagRules }: Target): void {
  const pathTo = (name: string) => pathOf("projects", project, "environments", environment, "segments", name);
  const left = {
    flags: [...flagRules].map(([slug, rules]) => ({ slug, rules })),
    segments: [...rules].map(([name, rule]) => ({ name, rule: JSON.stringify(rule) })),
  };
  for (const { name } of segments) {
    const users = rules.has(name) ? [] : usersOf(name, left);
    if (users.length > 0) throw fault(pathTo(name), segmentInUse(name, users).message);
  }
  const [nesting] = findNestingFaults(rulesBySegment(segments), rules);
  if (nesting) throw fault(pathTo(nesting[0]), nesting[1]);
}

function planEnvironments(
  clock: Clockwork,
  plan: Plan,
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
  for (const [environment, { name }] of Object.entries(named)) {
    const path = pathOf("projects", project, "environments", environment);
    const before = targets.get(environment);
    if (!before) {
      const made = { ...newEnvironment(clock, { slug: environment, name }), createdAt: clock.now() };
      add(
        plan,
        { action: "create", kind: "environment", path, before: null, after: { name: made.name } },
        { change: "insertEnvironment", project, environment: made },
      );
      targets.set(environment, {
        slug: environment,
        name: made.name,
        flags: [],
        segments: [],
        rules: new Map(),
        flagRules: new Map(),
      });
    } else if (name !== undefined && name !== before.name) {
      add(
        plan,
        { action: "update", kind: "environment", path, before: { name: before.name }, after: { name } },
        { change: "renameEnvironment", project, environment, name },
      );
    }
  }
  const isPruned = (slug: string) => prune && wanted.environments && !Object.hasOwn(named, slug);
  for (const { slug: environment, name } of targets.values()) {
    if (!isPruned(environment)) continue;
    const path = pathOf("projects", project, "environments", environment);
    add(
      plan,
      { action: "delete", kind: "environment", path, before: { name }, after: null },
      { change: "deleteEnvironment", project, environment },
    );
    targets.delete(environment);
  }
  return targets;
}

function planSegments(
  plan: Plan,
  project: string,
  { slug: environment, rules }: Target,
  segments: Record<string, unknown>,
  prune: boolean,
): void {
  const pathTo = (name: string) => pathOf("projects", project, "environments", environment, "segments", name);
  for (const [name, rule] of Object.entries(segments)) {
    const before = rules.get(name);
    if (Bun.deepEquals(before, rule, true)) continue;
    const path = pathTo(name);
    const action = rules.has(name) ? "update" : "create";
    const place = { project, environment, segment: name };
    add(
      plan,
      { action, kind: "segment", path, before: before ?? null, after: rule },
      { change: "setSegment", place, rule: JSON.stringify(rule) },
    );
    plan.checks.push({ path, segment: rule, segments: rules });
    rules.set(name, rule);
  }
  if (!prune) return;
  for (const [name, before] of rules) {
    if (Object.hasOwn(segments, name)) continue;
    const place = { project, environment, segment: name };
    add(
      plan,
      { action: "delete", kind: "segment", path: pathTo(name), before, after: null },
      { change: "deleteSegment", place },
    );
    rules.delete(name);
  }
}

function planForms(
  clock: Clockwork,
  plan: Plan,
  setup: Setup,
  forms: NonNullable<Document["forms"]>,
  prune: boolean,
): void {
  const records = new Map(setup.forms.map((record) => [record.slug, record]));
  for (const [slug, patch] of Object.entries(forms)) {
    const path = pathOf("forms", slug);
    const current = records.get(slug);
    if (!current) {
      const form = newForm(clock, { slug, ...patch });
      add(
        plan,
        { action: "create", kind: "form", path, before: null, after: formEntry(form) },
        { change: "insertForm", form },
      );
      continue;
    }
    const before = formEntry(current);
    const after = formEntry(applyFormPatch(current, patch, clock.now()).record);
    if (Bun.deepEquals(before, after, true)) continue;
    add(
      plan,
      { action: "update", kind: "form", path, before, after },
      { change: "updateForm", form: slug, patch },
    );
  }
  if (!prune) return;
  for (const [slug, record] of records) {
    if (Object.hasOwn(forms, slug)) continue;
    const path = pathOf("forms", slug);
    add(
      plan,
      { action: "delete", kind: "form", path, before: formEntry(record), after: null },
      { change: "deleteForm", form: slug, key: record.key },
    );
  }
}
