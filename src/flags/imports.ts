import type { Caller } from "../access/caller.ts";
import { change, type Moment, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import type { ProjectChange } from "../projects/change.ts";
import type { HistoryEntry } from "../access/history-entry.ts";
import { requireChangeable } from "../projects/locks.ts";
import type { FlagChange } from "./change.ts";
import type { SetResult } from "../base/result.ts";
import { requireRoom } from "./fit.ts";
import { changeRecord, type FlagRecord } from "./flag.ts";
import type { FlagDefinition, ImportPlan } from "./flagd/definition.ts";
import { orderSegments, putFlag, putSegment } from "./plan.ts";
import { requireNeedsAfter } from "./requires/after.ts";
import { applyDefinition, rulesBySegment, type SegmentRecord } from "./segment.ts";
import type { FlagsApp } from "./store.ts";

export type ImportResult = {
  flags: { key: string; result: SetResult }[];
  segments: { name: string; result: SetResult }[];
  metadata: SetResult;
};

/** The changes that an import of a flagd file would make, with its warnings. Throws as {@link importFlags}. */
export function compareImport(
  app: FlagsApp,
  caller: Caller,
  where: Where,
  document: Record<string, unknown>,
) {
  return importFlags(app, caller, where, document, true);
}

type Where = { project: string; environment: string };
type State = { flags: FlagRecord[]; segments: SegmentRecord[]; metadata: string };

/**
 * Imports a flagd file into an environment, completely or not at all. A dry run returns the changes. `differences` are
 * the changes as the history records them. Throws `invalid` for a file that cannot be imported, with a JSON pointer
 * (RFC 6901) to each fault, and like `requireChangeable`.
 */
export async function importFlags(
  app: FlagsApp,
  caller: Caller,
  where: Where,
  document: Record<string, unknown>,
  dryRun: boolean,
): Promise<ImportResult & { warnings: string[]; differences: HistoryEntry[] }> {
  requireScope(caller, "flags:write", where);
  // Imported on demand: the library takes as long to load as the rest of a command.
  const { planImport } = await import("./flagd/import.ts");
  return change(app, caller, async (moment) => {
    if (!dryRun) await requireChangeable(app, caller, where);
    const selection = await app.store.flags.selectIn(where.project, where.environment);
    const state: State = {
      flags: await app.store.flags.list(where.project, where.environment),
      segments: await selection.segments(),
      metadata: selection.metadata,
    };
    const existing = rulesBySegment(state.segments);
    const { plan, warnings } = await planImport(document, existing);
    const named = new Set(plan.flags.map(({ slug }) => slug));
    await requireRoom(
      state.flags.filter(({ slug }) => !named.has(slug)),
      new Map([...existing, ...rulesBySegment(plan.segments)]),
    );
    const { changes, result } = planChanges(where, plan, state, moment);
    if (dryRun) await requireNeedsAfter(app.store, changes);
    const differences = changes.flatMap(({ history }) => history ?? []);
    return { changes: dryRun ? [] : changes, isDryRun: dryRun, result: { ...result, warnings, differences } };
  });
}

function planChanges(
  where: Where,
  plan: ImportPlan,
  state: State,
  { version, at }: Moment,
): Plan<FlagChange | ProjectChange, ImportResult> {
  const changes: (FlagChange | ProjectChange)[] = [];
  const revision = () => version + changes.length + 1;

  const segments = plan.segments.map(({ name, rule }) => {
    const before = state.segments.find((each) => each.name === name);
    const { record, result } = applyDefinition(name, before, { rule }, at);
    if (result !== "unchanged")
      changes.push(putSegment({ ...where, segment: name }, before, { ...record, revision: revision() }));
    return { name, result };
  });
  const moved = planOrder(where, plan.segments, state.segments, changes);

  const { project, environment } = where;
  const { metadata } = plan;
  const hasMetadata = metadata !== null && metadata !== state.metadata;
  if (hasMetadata) {
    const before = { metadata: JSON.parse(state.metadata) };
    const after = { metadata: JSON.parse(metadata) };
    const history = { environment, kind: "environment" as const, name: environment, before, after };
    changes.push({ change: "setMetadata", project, environment, metadata, history });
  }

  const bySlug = new Map(state.flags.map((record) => [record.slug, record]));
  const flags = plan.flags.map((definition) => {
    const before = bySlug.get(definition.slug);
    const { record, result } = changeRecord(definition.slug, before, at, define(definition));
    if (result !== "unchanged")
      changes.push(putFlag({ ...where, flag: definition.slug }, before, { ...record, revision: revision() }));
    return { key: definition.slug, result };
  });
  return {
    changes,
    result: {
      segments: segments.map(({ name, result }) => ({
        name,
        result: result === "unchanged" && moved.has(name) ? "updated" : result,
      })),
      metadata: hasMetadata ? "updated" : "unchanged",
      flags,
    },
  };
}

/** Returns a function that sets a record to a definition; without a description, the record keeps its own. */
function define(definition: FlagDefinition): (record: FlagRecord) => FlagRecord {
  return (record) => ({ ...record, requires: "", ...definition, imported: true });
}

/**
 * Adds the change that puts the wanted segments in their order, if they are not in it yet: they trade places among
 * themselves, and the others keep theirs. Returns the names that move.
 */
function planOrder(
  { project, environment }: Where,
  wanted: { name: string }[],
  existing: SegmentRecord[],
  changes: (FlagChange | ProjectChange)[],
): Set<string> {
  const names = wanted.map(({ name }) => name);
  const before = existing.map(({ name }) => name);
  const all = [...before, ...names.filter((name) => !before.includes(name))];
  const named = all.filter((name) => names.includes(name));
  const moved = new Set(names.filter((name, index) => named[index] !== name));
  if (moved.size > 0) {
    const remaining = [...names];
    const order = all.map((name) => (named.includes(name) ? remaining.shift()! : name));
    changes.push(orderSegments(project, environment, order));
  }
  return moved;
}
