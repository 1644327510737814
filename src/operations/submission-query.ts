import type { Selection } from "../forms/inbox/bulk.ts";
import { readFilter } from "../forms/inbox/filters.ts";
import { selectionIn } from "./form-query.ts";
import type { SelectionBody } from "./schema/submission-query-schema.ts";

/** The selection that a body of a caller describes, whose name is `who`. */
export function selectionOf(
  { form, project, upTo, dryRun: _dryRun, unread, ...filters }: SelectionBody,
  who: string,
): Selection {
  const flag = unread === true ? ("true" as const) : undefined;
  return {
    ...selectionIn({ form, project }),
    upTo: upTo ?? null,
    filter: readFilter({ ...filters, unread: flag }, who),
  };
}
