import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import { type FlagRecord, changeRecord, noSuchFlag } from "../../flags/flag.ts";
import { flagState } from "../../flags/history.ts";
import { type Promotion, type PromotionOrder, segmentsNeeded, withValuesOf } from "../../flags/promotion.ts";
import { changeFlag, listFlags } from "./flags.ts";
import { environmentRow } from "./rows.ts";
import { moveToEnd, segmentsOfEnvironment, setSegment } from "./segments.ts";

/** Without an author nothing is written. */
export function promoteFlags(
  db: Database,
  project: string,
  { from, to, flags: slugs, segments }: PromotionOrder,
  by: Author | null,
): Promotion {
  if (from === to) throw new AppError("invalid", `flags of ${from} are promoted to another environment`);
  const [source, target] = [environmentRow(db, project, from), environmentRow(db, project, to)];
  const bySlug = new Map(listFlags(db, project, from).map((record) => [record.slug, record]));
  const chosen = [...new Set(slugs ?? bySlug.keys())].map((slug) => {
    const record = bySlug.get(slug);
    if (!record) throw noSuchFlag(slug);
    return record;
  });

  const needed = segmentsNeeded(chosen, segmentsOfEnvironment(db, source.id));
  const there = new Map(segmentsOfEnvironment(db, target.id).map(({ name, rule }) => [name, rule]));
  const different = needed.filter(({ name, rule }) => there.get(name) !== rule);
  if (by && segments && different.length > 0) {
    for (const { name, rule } of different)
      setSegment(db, { project, environment: to, segment: name }, rule, by, null);
    // A segment may refer only to those behind it.
    moveToEnd(
      db,
      target.id,
      needed.map(({ name }) => name),
    );
  }

  const before = new Map(listFlags(db, project, to).map((record) => [record.slug, record]));
  const promoted = chosen.map((record) => {
    const change = (current: FlagRecord | undefined) =>
      changeRecord(record.slug, current, by?.at ?? 0, withValuesOf(record));
    const current = before.get(record.slug)!;
    const { record: after, result } = by
      ? changeFlag(db, { project, environment: to, flag: record.slug }, change, by, null)
      : change(current);
    return { slug: record.slug, result, before: flagState(current), after: flagState(after) };
  });
  const changed = promoted.filter(({ result }) => result !== "unchanged");
  return {
    flags: changed,
    unchanged: promoted.length - changed.length,
    segments: different.map(({ name, rule }) => {
      const old = there.get(name);
      return {
        name,
        copied: segments,
        before: old === undefined ? null : JSON.parse(old),
        after: JSON.parse(rule),
      };
    }),
  };
}
