import type { Caller } from "../access/caller.ts";
import { change } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import type { ProjectChange } from "../projects/change.ts";
import {
  newEnvironment,
  noSuchEnvironment,
  type Environment,
  type NewEnvironment,
} from "../projects/environment.ts";
import { planEnvironment } from "../projects/plan.ts";
import { getProject } from "../projects/projects.ts";
import type { FlagChange } from "./change.ts";
import { requireFit } from "./fit.ts";
import { pick, SHARED_NAMES } from "./flag-fields.ts";
import { BLANK, type FlagRecord, changeRecord } from "./flag.ts";
import { listInSteps } from "./overviews.ts";
import { putFlag, putSegment } from "./plan.ts";
import { withValuesOf } from "./promotions.ts";
import { applyDefinition, rulesBySegment } from "./segment.ts";
import type { FlagsApp } from "./store.ts";

/**
 * Adds an environment to a project. With `from`, it starts with the flag values and segments of that environment;
 * otherwise every flag is off. Throws `not_found` for the project or `from`, `conflict` for the slug.
 */
export function createEnvironment(
  app: FlagsApp,
  caller: Caller,
  project: string,
  input: NewEnvironment,
): Promise<Environment> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async ({ at }) => {
    const { environments } = await getProject(app, project);
    const has = (slug: string) => environments.some((each) => each.slug === slug);
    const { slug, from } = input;
    if (from !== undefined && !has(from)) throw noSuchEnvironment(project, from);
    if (has(slug)) {
      throw new AppError("conflict", `environment "${slug}" already exists in project "${project}"`, {
        reason: "environment-exists",
      });
    }
    const environment = newEnvironment(app, input, environments.length + 1);
    const copies = from === undefined ? [] : await planCopies(app, project, from, slug, at);
    return {
      changes: [planEnvironment(project, environment, at, from), ...copies],
      result: environment,
    };
  });
}

async function planCopies(
  app: FlagsApp,
  project: string,
  from: string,
  to: string,
  at: number,
): Promise<(ProjectChange | FlagChange)[]> {
  const selection = await app.store.flags.selectIn(project, from);
  const existing = await selection.segments();
  const { metadata } = selection;
  const changes: (ProjectChange | FlagChange)[] = [
    { change: "setMetadata", project, environment: to, metadata, history: null },
  ];
  const takeTurns = createTurns();
  for (const each of existing) {
    const { name } = each;
    const { record } = applyDefinition(name, undefined, each, at);
    changes.push(putSegment({ project, environment: to, segment: name }, undefined, record));
    await takeTurns();
  }
  const records: FlagRecord[] = [];
  for (const source of await listInSteps(app, project, from)) {
    const off = { ...source, ...BLANK, ...pick(source, SHARED_NAMES) };
    const { record, result } = changeRecord(source.slug, off, at, withValuesOf(source));
    if (result === "unchanged") continue;
    records.push(record);
    changes.push(putFlag({ project, environment: to, flag: source.slug }, off, record));
    await takeTurns();
  }
  await requireFit(records, rulesBySegment(existing), from);
  return changes;
}
