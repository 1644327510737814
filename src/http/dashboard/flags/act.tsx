import type { Caller } from "../../../access/caller.ts";
import { AppError } from "../../../base/errors.ts";
import { type FlagPatch, type FlagRecord, applyPatch } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import type { Fields } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Confirmation } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import type { Dashboard, Done } from "../routes.ts";
import { settingPath } from "./paths.ts";
import type { Setting } from "./setting-data.ts";
import type { Attempt } from "./setting-page.tsx";

/** What an act needs to know: the form, who sent it, and the flag as it is now. */
export type Act = {
  dashboard: Dashboard;
  caller: Caller;
  fields: Fields;
  setting: Setting;
  timeZone: string;
};

/** What came of an act: it is done, or a page says why it is not. */
export type Outcome = Done | Page | Attempt;

/** What the page of a confirmation says of a patch. */
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

/** Whether an error is what somebody typed, which the form says beside it. */
export function isTypedError(error: unknown): error is AppError {
  return (
    error instanceof AppError && ["invalid", "too_large", "unprocessable", "conflict"].includes(error.code)
  );
}
