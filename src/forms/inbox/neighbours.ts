import type { Caller } from "../../access/caller.ts";
import { createTurns, yieldToEventLoop } from "../../base/event-loop.ts";
import { nameIn } from "../form-name.ts";
import { findForm } from "../lookup.ts";
import type { FormsApp } from "../store.ts";
import type { Submission } from "../submission.ts";
import type { SubmissionFilter } from "./filters.ts";
import { selectorOf } from "./submission-filter.ts";

/** Submissions that are looked at in one step, and at most, for a neighbour that a filter selects. */
const STEP = 100;
const MAX_LOOKED_AT = 1000;

type Neighbours = { newer: string | null; older: string | null };

/**
 * The ids of the submissions of the same form that come next to one among what a filter selects; null without
 * one, or without one within `MAX_LOOKED_AT`. The submission itself need not be selected. Throws `not_found` for its form,
 * `forbidden`.
 */
export async function neighboursOf(
  app: FormsApp,
  caller: Caller,
  { id, project, form }: Pick<Submission, "id" | "project" | "form">,
  filter: SubmissionFilter,
): Promise<Neighbours> {
  const { key } = await findForm(app, caller, "forms:read", nameIn(project, form));
  return {
    newer: await findNeighbour(app, key, id, "newer", filter),
    older: await findNeighbour(app, key, id, "older", filter),
  };
}

async function findNeighbour(
  app: FormsApp,
  formKey: string,
  id: string,
  direction: "newer" | "older",
  filter: SubmissionFilter,
): Promise<string | null> {
  const isSelected = selectorOf(filter);
  const size = isSelected === null ? 1 : STEP;
  const takeTurns = createTurns();
  let from = id;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += size) {
    const page = await app.store.submissions.beside(formKey, from, direction, filter.states, size);
    for (const submission of page)
      if (isSelected === null || (await isSelected(submission, takeTurns))) return submission.id;
    if (page.length < size) return null;
    from = page.at(-1)!.id;
    await yieldToEventLoop();
  }
  return null;
}
