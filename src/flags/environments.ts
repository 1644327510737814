import type { Caller } from "../access/caller.ts";
import { change } from "../access/door.ts";
import { requireScope } from "../access/token.ts";
import { AppError } from "../base/errors.ts";
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
import { BLANK, changeRecord } from "./flag.ts";
import { putFlag, putSegment } from "./plan.ts";
import { withValuesOf } from "./promotions.ts";
import { rulesBySegment } from "./segment.ts";
import type { FlagsApp } from "./store.ts";

/**
 * Adds an environment to a project: with `from` it starts with the flag values and segments of that environment,
 * otherwise with every flag off. Throws `not_found` for the project or `from`, `conflict` for the slug.
 */
export function createEnvironment(
  app: FlagsApp,
  caller: Caller,
  project: string,
  input: NewEnvironment,
): Promise<Environment> {
  requireScope(caller, "admin");
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
    const environment = newEnvironment(app, input);
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
  const segments = existing.map(({ name, rule }) =>
    putSegment({ project, environment: to, segment: name }, undefined, {
      name,
      rule,
      createdAt: at,
      updatedAt: at,
      revision: 0,
    }),
  );
  const flags = (await app.store.flags.list(project, from)).flatMap((source) => {
    const off = { ...source, ...BLANK, ...pick(source, SHARED_NAMES) };
    const { record, result } = changeRecord(source.slug, off, at, withValuesOf(source));
    return result === "unchanged" ? [] : [{ slug: source.slug, off, record }];
  });
  requireFit(
    flags.map(({ record }) => record),
    rulesBySegment(existing),
    from,
  );
  const { metadata } = selection;
  return [
    { change: "setMetadata", project, environment: to, metadata, history: null },
    ...segments,
    ...flags.map(({ slug, off, record }) => putFlag({ project, environment: to, flag: slug }, off, record)),
  ];
}
