import { isoTime } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { SHARED, pick } from "../../flags/flag-fields.ts";
import type { ScheduledChange } from "../../flags/schedule/scheduled-change.ts";
import type { HistoryEntry } from "../../access/history-entry.ts";
import { pathOf } from "../document.ts";
import type { Proposal, ProposedDifference, ProposedOperation } from "./proposal.ts";
import { reachOf } from "../reach.ts";
import type { SetupChange } from "../setup.ts";
import type { DocumentsApp } from "../store.ts";

/** The part of a plan that is approved: its differences, and the environments that it reaches, by slug. */
export type Approved = Pick<Proposal, "environments" | "differences">;

/** The part of the changes of an operation that is approved. */
export async function approvedIn(
  app: DocumentsApp,
  { project, names }: { project: string; names: ProposedOperation["names"] },
  changes: readonly SetupChange[],
): Promise<Approved> {
  const stored = (await app.store.projects.find(project))?.environments ?? [];
  const all = stored.map(({ slug }) => slug);
  return {
    environments: environmentsOf(changes, all, names["environment"]),
    differences: await differencesOf(app, project, changes),
  };
}

/** The differences that the changes of a plan make, in their order, by paths of a document; an update has the fields that differ. */
export async function differencesOf(
  app: DocumentsApp,
  project: string,
  changes: readonly SetupChange[],
): Promise<ProposedDifference[]> {
  const differences: ProposedDifference[] = [];
  for (const change of changes) {
    if (change.change === "insertScheduled") {
      const { environment, ...after } = scheduledState(change.scheduled);
      differences.push(create("scheduled", placeOf(project, environment, "scheduled"), after));
    } else if (change.change === "deleteScheduled" && change.history === null) {
      const found = await app.store.scheduled.find(project, change.environment, change.id);
      if (!found) continue;
      const { environment, ...before } = scheduledState(found);
      const path = placeOf(project, environment, "scheduled");
      differences.push({ action: "delete", kind: "scheduled", path, before, after: null });
    } else if (change.change === "orderSegments") {
      const path = placeOf(project, change.environment, "segments");
      const before = (await app.store.segments.list(project, change.environment)).map(({ name }) => name);
      const after = change.names.filter((name) => before.includes(name));
      // A new one is a difference of its own.
      if (!Bun.deepEquals(before, after))
        differences.push({ action: "update", kind: "segment", path, before, after });
    } else if ("history" in change && change.history) differences.push(...recorded(project, change.history));
  }
  return differences;
}

function create(kind: ProposedDifference["kind"], path: string, after: unknown): ProposedDifference {
  return { action: "create", kind, path, before: null, after };
}

/** A scheduled change without what differs each time it is planned. */
function scheduledState({ environment, flag, patch, at }: ScheduledChange) {
  return { environment, flag, at: isoTime(at), patch };
}

function placeOf(project: string, environment: string, ...rest: string[]): string {
  return pathOf("projects", project, "environments", environment, ...rest);
}

function recordedAt(project: string, { environment, kind, name }: HistoryEntry): string {
  if (kind === "project") return pathOf("projects", project);
  if (kind === "form" || kind === "environment") return pathOf("projects", project, `${kind}s`, name);
  if (kind === "segment" || kind === "experiment")
    return placeOf(project, environment ?? "", `${kind}s`, name);
  const flag = ["projects", project, "flags", name];
  if (environment === null) return pathOf(...flag);
  return pathOf(...flag, "environments", environment, ...(kind === "ramp" ? [kind] : []));
}

function recorded(project: string, entry: HistoryEntry): ProposedDifference[] {
  const { kind, before, after } = entry;
  const path = recordedAt(project, entry);
  const shown = kind === "scheduled" ? "flag" : kind;
  if (before === null) return [create(shown, path, after)];
  if (after === null) return [{ action: "delete", kind: shown, path, before, after: null }];
  const isWhole = !isObject(before) || !isObject(after) || kind === "segment";
  if (isWhole) return [{ action: "update", kind: shown, path, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (each) => !Bun.deepEquals(before[each], after[each], true),
  );
  // A ramp or an experiment that starts or goes on does so by its whole course, of which nothing but its state may differ.
  const isCourse = (kind === "ramp" || kind === "experiment") && after["status"] === "running";
  if (isCourse) return [{ action: "update", kind: shown, path, before: pick(before, names), after }];
  const update = (where: string, of: readonly string[]): ProposedDifference => ({
    action: "update",
    kind: shown,
    path: where,
    before: pick(before, of),
    after: pick(after, of),
  });
  // The history has what all environments share in the one where it was set.
  const isShared = (name: string) => shown === "flag" && Object.hasOwn(SHARED, name);
  const shared = names.filter(isShared);
  if (shared.length === 0) return [update(path, names)];
  const others = names.filter((name) => !isShared(name));
  const ofAll = update(recordedAt(project, { ...entry, environment: null }), shared);
  return others.length === 0 ? [ofAll] : [ofAll, update(path, others)];
}

/** The environments that the changes of a plan reach, by slug; those of the whole project reach `all`. */
function environmentsOf(
  changes: readonly SetupChange[],
  all: readonly string[],
  named: string | undefined,
): string[] {
  const found = new Set<string>(named === undefined ? [] : [named]);
  for (const change of changes) {
    const reach = reachOf(change);
    if (reach === null) continue;
    const slugs = reach === "project" || reach.environment === undefined ? all : [reach.environment];
    for (const slug of slugs) found.add(slug);
  }
  return [...found].toSorted();
}

const VERBS = { create: "create", update: "change", delete: "delete" };

/** A change in a few words: `change flag checkout in production`, `change 1 segment and 3 flags in production, staging`. */
export function summaryOf(
  differences: readonly ProposedDifference[],
  environments: readonly string[],
): string {
  const where = environments.length === 0 ? "" : ` in ${environments.join(", ")}`;
  // A flag has a difference for each environment, and one for what these share.
  const names = Map.groupBy(differences, (each) => nameOf(each));
  const actions = new Set([...names.values()].map(([first]) => VERBS[first!.action]));
  const verb = actions.size === 1 ? [...actions][0] : "change";
  if (names.size <= MOST_NAMED) return `${verb} ${[...names.keys()].join(" and ")}${where}`;
  const kinds = Map.groupBy(names.values(), ([first]) =>
    first!.kind === "scheduled" ? "schedule" : first!.kind,
  );
  const counts = [...kinds].map(([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`);
  return `${verb} ${counts.join(" and ")}${where}`;
}

/** How many things a summary names instead of counting them. */
const MOST_NAMED = 2;

function nameOf(difference: ProposedDifference): string {
  const { kind, path } = difference;
  return kind === "scheduled" ? `schedule for ${flagIn(difference)}` : `${kind} ${nameIn(path)}`;
}

/** The flags that a proposal changes, each in an environment: in all that it reaches for what these share. */
export function flagsOf({
  differences,
  environments,
}: Pick<Proposal, "differences" | "environments">): { flag: string; environment: string }[] {
  return differences.flatMap((difference) => {
    const [, , noun, name = "", , environment] = namesIn(difference.path);
    if (difference.kind === "scheduled" || difference.kind === "experiment")
      return [{ flag: flagIn(difference), environment: name }];
    if (noun !== "flags") return [];
    const places = environment === undefined ? environments : [environment];
    return places.map((each) => ({ flag: name, environment: each }));
  });
}

function flagIn({ before, after }: ProposedDifference): string {
  return String((after ?? before ?? {}).flag);
}

/** The name of the thing that a path leads to. */
function nameIn(path: string): string {
  const names = namesIn(path);
  const flag = names.indexOf("flags");
  return names[flag === 2 ? 3 : names.length - 1] ?? path;
}

/** The steps of a path: `projects`, `shop`, `flags`, `a.b`. */
function namesIn(path: string): string[] {
  const steps = path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]]+/g) ?? [];
  return steps.map((step) => (step.startsWith("[") ? String(JSON.parse(step)[0]) : step));
}
