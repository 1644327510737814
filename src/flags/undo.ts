import type { Caller } from "../access/caller.ts";
import { change } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { requireChangeable } from "../projects/locks.ts";
import { requireArchivable } from "./archive.ts";
import type { FlagChange } from "./change.ts";
import { requireFit } from "./fit.ts";
import { changeRecord, noSuchFlag } from "./flag.ts";
import { blankState, newestChange, requireNewest, restore, stateBefore } from "./history.ts";
import { putFlag } from "./plan.ts";
import { segmentsIn } from "./segments.ts";
import type { FlagsApp } from "./store.ts";

/** Changes of flags that one step takes back. */
export const MAX_UNDONE = 200;

/** The revisions of changes that were made together. */
type Revisions = { first: number; last: number };

/**
 * Takes back changes of flags that were made together, all of them or none, and returns their number. Throws `not_found`
 * unless each revision is a change of a flag in an environment, `conflict` for a flag that was changed there since, and as
 * `setFlag`.
 */
export function undoFlags(
  app: FlagsApp,
  caller: Caller,
  project: string,
  { first, last }: Revisions,
): Promise<number> {
  requireScope(caller, "flags:write", { project });
  const count = last - first + 1;
  return change(app, caller, async ({ version, at }) => {
    const { items } =
      count < 1 || count > MAX_UNDONE
        ? { items: [] }
        : await app.store.changes.page(project, { before: last + 1, limit: count });
    if (items.length === 0 || items.length !== count || items.at(-1)!.revision !== first)
      throw new AppError("not_found", `project "${project}" has no such changes to undo`, {
        reason: "revision-not-found",
      });
    const changes: FlagChange[] = [];
    const segments = new Map<string, Map<string, unknown>>();
    for (const each of items) {
      if (each.environment === null) throw new AppError("invalid", "the deletion of a flag is not undone");
      const place = { project, environment: each.environment, flag: each.name };
      const state = stateBefore(place, each.revision, each);
      requireNewest(place, (await newestChange(app.store, place)).revision, each.revision);
      await requireChangeable(app, caller, place);
      const before = await app.store.flags.find(place);
      if (!before) throw noSuchFlag(place.flag);
      const { record } = changeRecord(place.flag, before, at, restore(state ?? blankState(before)));
      const known = segments.get(place.environment) ?? (await segmentsIn(app, place));
      segments.set(place.environment, known);
      await requireFit([record], known, place.environment);
      if (record.archived !== before.archived) await requireArchivable(app, caller, place, record.archived);
      changes.push(putFlag(place, before, { ...record, revision: version + changes.length + 1 }));
    }
    return { changes, result: changes.length };
  });
}
