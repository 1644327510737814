import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { applyPatch, type FlagPlace, type FlagRecord } from "../../../flags/flag.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import type { Environment } from "../../../projects/environment.ts";
import { noSuchEnvironment } from "../../../projects/environment.ts";
import type { Change } from "../../../projects/history.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { lastChange } from "../parts/confirm.tsx";
import { ratesOf } from "./rates.ts";

/** Scheduled changes that are looked through for those of one flag. */
const SCHEDULED = 200;

/** A flag in one environment, and what a page says around it. */
export type Setting = {
  place: FlagPlace;
  project: Project;
  environment: Environment;
  /** A flag that does not exist is off and empty, at revision 0. */
  record: FlagRecord;
  /** When it was last read; null for never. */
  readAt: number | null;
  /** Reads a minute. */
  rate: number;
  last: Change | null;
  /** The next first. */
  scheduled: readonly ScheduledChange[];
};

/** Reads a flag in one environment. Throws `not_found` for the project and the environment. */
export async function readSetting(app: App, caller: Caller, place: FlagPlace): Promise<Setting> {
  const { project: slug, environment: name, flag } = place;
  const project = await getProject(app, slug);
  const environment = project.environments.find((each) => each.slug === name);
  if (!environment) throw noSuchEnvironment(slug, name);
  const record = (await app.store.flags.find(place)) ?? applyPatch(flag, undefined, {}, app.now()).record;
  const statuses = await app.store.flags.statuses(slug, [flag]);
  const rateOf = await ratesOf(app, caller, { project: slug, environments: [environment] }, flag);
  const { items } = await app.store.scheduled.page(slug, name, { limit: SCHEDULED });
  return {
    place,
    project,
    environment,
    record,
    readAt: statuses.find((each) => each.environment === name)?.readAt ?? null,
    rate: rateOf(name, flag),
    last: await lastChange(app, slug, { kind: "flag", name: flag, environment: name }),
    scheduled: items.filter((each) => each.flag === flag),
  };
}
