import { AppError } from "../../base/errors.ts";
import { hasVisible } from "../../base/normalize.ts";
import type { Caller } from "../caller.ts";
import type { AccessApp } from "../store.ts";
import { MAX_VIEWS, type SavedView, isSavedView } from "../user.ts";
import { changeSettings } from "../users.ts";

/** Saves a view of the user who calls; one of the same name is replaced. Throws `invalid`, `conflict` for too many, `forbidden`. */
export async function saveView(app: AccessApp, caller: Caller, view: SavedView): Promise<void> {
  if (!isSavedView(view) || !hasVisible(view.name))
    throw new AppError("invalid", "a view has a name of 1 to 60 characters that can be seen, on one line");
  await changeSettings(app, caller, caller.name, (settings) => {
    const others = (settings.views ?? []).filter(({ name }) => name !== view.name);
    if (others.length >= MAX_VIEWS) throw new AppError("conflict", `there are at most ${MAX_VIEWS} views`);
    return { ...settings, views: [...others, view].toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  });
}

/** Removes a view of that name, if there is one. Throws `forbidden`. */
export async function removeView(app: AccessApp, caller: Caller, name: string): Promise<void> {
  await changeSettings(app, caller, caller.name, (settings) => ({
    ...settings,
    views: (settings.views ?? []).filter((view) => view.name !== name),
  }));
}
