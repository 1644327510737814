import { isoTime } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import type { HistoryEntry } from "../../access/history-entry.ts";
import { pathOf } from "../document.ts";
import type { ProposedDifference } from "./proposal.ts";
import { type SetupChange, changesEveryEnvironment } from "../setup.ts";
import type { DocumentsApp } from "../store.ts";

/** The differences that the changes of a plan make, in their order, by paths of a document; an update has the fields that differ. */
export async function differencesOf(
  app: DocumentsApp,
  project: string,
  environments: readonly string[],
  changes: readonly SetupChange[],
): Promise<ProposedDifference[]> {
  const differences: ProposedDifference[] = [];
  for (const change of changes) {
    if (change.change === "insertScheduled") {
      const { environment, ...after } = scheduledState(change.scheduled);
      differences.push(create("scheduled", placeOf(project, environment, "scheduled"), after));
    } else if (change.change === "deleteScheduled" && change.history === null) {
      for (const environment of environments) {
        const found = await app.store.scheduled.find(project, environment, change.id);
        if (!found) continue;
        const { environment: _, ...before } = scheduledState(found);
        const path = placeOf(project, environment, "scheduled");
        differences.push({ action: "delete", kind: "scheduled", path, before, after: null });
      }
    } else if ("history" in change && change.history) differences.push(...recorded(project, change.history));
  }
  return differences;
}

function create(kind: ProposedDifference["kind"], path: string, after: unknown): ProposedDifference {
  return { action: "create", kind, path, before: null, after };
}

/** A scheduled change without what differs each time it is planned. */
function scheduledState({
  environment,
  flag,
  patch,
  at,
}: SetupChange extends infer C
  ? C extends { change: "insertScheduled"; scheduled: infer S }
    ? S
    : never
  : never) {
  return { environment, flag, at: isoTime(at), patch };
}

function placeOf(project: string, environment: string, ...rest: string[]): string {
  return pathOf("projects", project, "environments", environment, ...rest);
}

const KINDS = {
  flag: "flag",
  scheduled: "flag",
  ramp: "ramp",
  experiment: "experiment",
  segment: "segment",
  environment: "environment",
} as const;

function recorded(
  project: string,
  { environment, kind, name, before, after }: HistoryEntry,
): ProposedDifference[] {
  const path =
    kind === "project"
      ? pathOf("projects", project)
      : kind === "form"
        ? pathOf("projects", project, "forms", name)
        : kind === "environment"
          ? pathOf("projects", project, "environments", name)
          : kind === "segment"
            ? placeOf(project, environment ?? "", "segments", name)
            : kind === "experiment"
              ? placeOf(project, environment ?? "", "experiments", name)
              : environment === null
                ? pathOf("projects", project, "flags", name)
                : pathOf(
                    "projects",
                    project,
                    "flags",
                    name,
                    "environments",
                    environment,
                    ...(kind === "ramp" ? [kind] : []),
                  );
  const shown = kind === "project" || kind === "form" ? kind : KINDS[kind];
  if (before === null) return [create(shown, path, after)];
  if (after === null) return [{ action: "delete", kind: shown, path, before, after: null }];
  const isWhole = !isObject(before) || !isObject(after) || kind === "segment";
  if (isWhole) return [{ action: "update", kind: shown, path, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (each) => !Bun.deepEquals(before[each], after[each], true),
  );
  const pick = (state: Record<string, unknown>) =>
    Object.fromEntries(names.filter((each) => each in state).map((each) => [each, state[each]]));
  return [{ action: "update", kind: shown, path, before: pick(before), after: pick(after) }];
}

/** The environments whose flags the changes of a plan alter, by slug. */
export function environmentsOf(
  changes: readonly SetupChange[],
  all: readonly string[],
  named: string | undefined,
): string[] {
  const found = new Set<string>(named === undefined ? [] : [named]);
  for (const change of changes) {
    if (changesEveryEnvironment(change)) for (const slug of all) found.add(slug);
    if (change.change === "insertScheduled") found.add(change.scheduled.environment);
    else if (change.change === "insertEnvironment") found.add(change.environment.slug);
    else if ("environment" in change && typeof change.environment === "string") found.add(change.environment);
  }
  return [...found].toSorted();
}

/** A change in a few words: `flag checkout in production`, `3 differences in staging, production`. */
export function summaryOf(
  differences: readonly ProposedDifference[],
  environments: readonly string[],
): string {
  const where = environments.length === 0 ? "" : ` in ${environments.join(", ")}`;
  const flags = new Set(differences.map(({ path }) => path).filter((path) => path.includes(".flags")));
  const [first] = differences;
  if (differences.length === 1 && first) {
    const verb = { create: "create", update: "change", delete: "delete" }[first.action];
    const what =
      first.kind === "scheduled" ? `schedule for ${flagIn(first)}` : `${first.kind} ${nameIn(first.path)}`;
    return `${verb} ${what}${where}`;
  }
  const noun = flags.size === differences.length ? "flags" : "differences";
  return `${differences.length} ${noun}${where}`;
}

function flagIn({ before, after }: ProposedDifference): string {
  return String((after ?? before ?? {}).flag);
}

/** The name of the thing that a path leads to. */
function nameIn(path: string): string {
  const steps = path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]]+/g) ?? [];
  const names = steps.map((step) => (step.startsWith("[") ? String(JSON.parse(step)[0]) : step));
  const flag = names.indexOf("flags");
  return names[flag === 2 ? 3 : names.length - 1] ?? path;
}
