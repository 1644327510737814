import type { Caller } from "../access/caller.ts";
import { requireScopeForNamed } from "../access/rights.ts";
import type { SetResult } from "../base/result.ts";
import { requireSoundSegment } from "../flags/fit.ts";
import { type GivenSource, checkSource, scopeOfSource, sourceFrom } from "../flags/source-card.ts";
import { type SegmentPlace, type SegmentRecord, filledDefinition } from "../flags/segment.ts";
import { changeSegment } from "../flags/segments.ts";
import { parseFormName } from "../forms/form-name.ts";
import type { FormRecord } from "../forms/form.ts";
import { findForm } from "../forms/lookup.ts";
import type { SourceApp } from "./store.ts";

/**
 * Lets a form fill a segment, which is created if it does not exist. The members come from all submissions, including
 * earlier ones. Throws like `changeSegment`, and `not_found`, `conflict` and `forbidden` for the form, which needs
 * the scope of {@link scopeOfSource}.
 */
export async function setSource(
  app: SourceApp,
  caller: Caller,
  place: SegmentPlace,
  given: GivenSource,
  expected: number | null,
): Promise<{ record: SegmentRecord; result: SetResult }> {
  requireScopeForNamed(caller, "forms:read");
  return changeSegment(app, caller, place, expected, async (existing, flags) => {
    const form = await findNear(app, caller, given, place.project);
    await checkSource(given);
    const definition = filledDefinition(place.segment, sourceFrom(given, form));
    await requireSoundSegment(place.segment, JSON.parse(definition.rule), existing, flags);
    return definition;
  });
}

/** The form that a source names, in the project of the segment, else in any. */
async function findNear(
  app: SourceApp,
  caller: Caller,
  { form: name, welcome }: GivenSource,
  project: string,
): Promise<FormRecord> {
  const given = parseFormName(name);
  const named = given.project === null ? await app.store.forms.named(given.slugOrKey) : [];
  const isNear = named.some((form) => form.project === project && form.slug === given.slugOrKey);
  return findForm(app, caller, scopeOfSource({ welcome }), isNear ? `${project}:${given.slugOrKey}` : name);
}
