import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import {
  applyPatch,
  type FlagPatch,
  type FlagPlace,
  type FlagRecord,
  type FlagStatus,
} from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { type Served, servedToday } from "../../../flags/reads/served.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import type { Ramp } from "../../../flags/ramps/ramp.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { type Environment, noSuchEnvironment } from "../../../projects/environment.ts";
import type { Change } from "../../../projects/history.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Fields } from "../fields.ts";
import type { Page } from "../page.tsx";
import { type Confirmation, lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import type { Dashboard, Done } from "../routes.ts";
import type { Conflict } from "./conflict.tsx";
import { ratesOf } from "./flag-facts.tsx";
import { settingPath } from "../paths.ts";
import { type Person, readPeople } from "./test-people.tsx";

/** Scheduled changes that are looked through for those of one flag. */
const SCHEDULED = 200;

/** A flag in one environment, and what a page says around it. */
export type Setting = {
  place: FlagPlace;
  project: Project;
  environment: Environment;
  /** A flag that does not exist is off and empty, at revision 0. */
  record: FlagRecord;
  /** Its state in each environment. */
  statuses: readonly FlagStatus[];
  /** When it was last read; null for never. */
  readAt: number | null;
  /** Reads a minute. */
  rate: number;
  last: Change | null;
  /** The next first. */
  scheduled: readonly ScheduledChange[];
  /** The last one; null if there was none. */
  ramp: Ramp | null;
  people: readonly Person[];
  /** How often each variant was served today. */
  served: Served;
};

/** Reads a flag in one environment, with what readers got today in a time zone. Throws `not_found` for the project and the environment. */
export async function readSetting(
  app: App,
  caller: Caller,
  place: FlagPlace,
  timeZone: string,
): Promise<Setting> {
  const { project: slug, environment: name, flag } = place;
  const project = await getProject(app, slug);
  const environment = project.environments.find((each) => each.slug === name);
  if (!environment) throw noSuchEnvironment(slug, name);
  const record = (await app.store.flags.find(place)) ?? applyPatch(flag, undefined, {}, app.now()).record;
  const statuses = await app.store.flags.statuses(slug, [flag]);
  const rateOf = await ratesOf(app, caller, { project: slug, environments: [environment] }, flag);
  const { items } = await app.store.scheduled.page(slug, name, { limit: SCHEDULED });
  const ramp = await app.store.ramps.find(place);
  return {
    place,
    project,
    environment,
    record,
    statuses,
    readAt: statuses.find((each) => each.environment === name)?.readAt ?? null,
    rate: rateOf(name, flag),
    last: await lastChange(app, slug, { kind: "flag", name: flag, environment: name }),
    scheduled: items.filter((each) => each.flag === flag),
    ramp: ramp ? settled(ramp) : null,
    people: await readPeople(app, caller, place, {}),
    served: await servedToday(app, caller, { ...place, key: environment.key }, timeZone),
  };
}

/** Input of an act: the form, its sender and the current flag. */
export type Act = {
  dashboard: Dashboard;
  caller: Caller;
  fields: Fields;
  setting: Setting;
  timeZone: string;
};

/** Result of an act: done, or a page with the error and the typed values. */
export type Outcome<Sent> = Done | Page | (Attempt & Sent);

/** A refused change with its reason. */
export type Attempt = { status: 200 | 409 | 422; conflict?: Conflict };

/** Confirmation page of a patch. */
export function confirmationOf(
  { dashboard, setting }: Pick<Act, "dashboard" | "setting">,
  label: string,
  patch: FlagPatch,
): Confirmation {
  const { place, environment, record, last, rate } = setting;
  return {
    title: `Confirm: flag ${place.flag} in ${environment.slug}, ${place.project}`,
    label,
    environments: [environment],
    change: (
      <Diff before={flagState(record)} after={flagState(patched(record, patch, dashboard.app.now()))} />
    ),
    last,
    rate,
    back: { to: settingPath(place), label: `${place.flag} in ${environment.slug}` },
  };
}

/** A flag as it would be after a patch. Throws `invalid`. */
export function patched(record: FlagRecord, patch: FlagPatch, now: number): FlagRecord {
  return applyPatch(record.slug, record, patch, now).record;
}

/** Whether an error is caused by typed input, and so is shown beside the field. */
export function isTypedError(error: unknown): error is AppError {
  return (
    error instanceof AppError && ["invalid", "too_large", "unprocessable", "conflict"].includes(error.code)
  );
}
