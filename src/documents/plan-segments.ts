import type { FormPlace } from "../access/place.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { findNestingFaults } from "../flags/flagd/nested-segments.ts";
import { dropSegment, putSegment } from "../flags/plan.ts";
import {
  type SegmentRecord,
  applyDefinition,
  definitionOf,
  filledDefinition,
  isSameSegment,
  rulesBySegment,
  segmentInUse,
  usersOf,
  namedSource,
} from "../flags/segment.ts";
import { pathOf } from "./document.ts";
import { type DocumentPlan, type Target, add, fault } from "./plan.ts";
import { type FindForm, sourceOf } from "./sources.ts";

/** The form that fills a segment, if a document calls it so: a caller who does not see it may leave it as it is. */
function sameForm(current: SegmentRecord | undefined, project: string, name: string): FormPlace | undefined {
  const source = current?.source;
  if (!source || namedSource(source, project).form !== name) return undefined;
  return { project: source.project, slug: source.form };
}

export function planSegments(
  clock: ClockAndRandom,
  plan: DocumentPlan,
  project: string,
  { slug: environment, rules, segments: existing }: Target,
  { segments, findForm, prune }: { segments: Record<string, unknown>; findForm: FindForm; prune: boolean },
): void {
  const pathTo = (name: string) => pathOf("projects", project, "environments", environment, "segments", name);
  for (const [name, wanted] of Object.entries(segments)) {
    const path = pathTo(name);
    const action = rules.has(name) ? "update" : "create";
    const current = existing.find((each) => each.name === name);
    const source = sourceOf(path, wanted, (form) => sameForm(current, project, form) ?? findForm(form));
    const definition = source ? filledDefinition(name, source) : { rule: JSON.stringify(wanted) };
    const rule: unknown = source ? JSON.parse(definition.rule) : wanted;
    const isSame = source
      ? isSameSegment(current, definition)
      : !current?.source && Bun.deepEquals(rules.get(name), rule, true);
    if (isSame) continue;
    const { record } = applyDefinition(name, current, definition, clock.now());
    const before = current ? definitionOf(current, project) : null;
    const after = definitionOf(definition, project);
    const change = putSegment({ project, environment, segment: name }, current, record);
    add(plan, { action, kind: "segment", path, before, after }, ...(source ? [] : [change]));
    if (source) plan.sources.push({ path, change, source });
    else plan.checks.push({ path, segment: rule, segments: rules });
    rules.set(name, rule);
  }
  if (!prune) return;
  for (const name of rules.keys()) {
    if (Object.hasOwn(segments, name)) continue;
    const current = existing.find((each) => each.name === name)!;
    const before = definitionOf(current, project);
    add(
      plan,
      { action: "delete", kind: "segment", path: pathTo(name), before, after: null },
      dropSegment({ project, environment, segment: name }, current),
    );
    rules.delete(name);
  }
}

/** Throws `invalid` if the plan deletes a segment that is still referred to, or makes one refer to itself. */
export function checkSegments(
  project: string,
  { slug: environment, segments, rules, flagRules }: Target,
): void {
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
