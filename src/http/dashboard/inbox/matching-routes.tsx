import { counted } from "../parts/counted.ts";
import { Hono } from "hono/quick";
import { type Selection, countMatching } from "../../../forms/inbox/bulk.ts";
import { MAX_BULK_IDS } from "../../../forms/limits.ts";
import { isSelective } from "../../../forms/inbox/submission-filter.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { textOf, textOrNull } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { DELETE_WORD, deleteAllPage } from "./delete-page.tsx";
import { sumOf } from "./listing.ts";
import { deleteAllMatching, markAllMatching } from "./marks.ts";
import { MAX_MATCHING_COUNTED, type Matching, matchingPage } from "./matching.tsx";
import { type InboxQuery, addressIn, filterOf, queryIn, readQuery, valuesOf } from "./query.ts";
import type { Undos } from "./undo.ts";

/** The step between a list and what is done with everything in it. Its path is not that of a form: slugs have no dash first. */
export function matchingRoutes({ app, page, action, viewOf }: Dashboard, undos: Undos) {
  const selectionOf = (c: DashboardContext, query: InboxQuery, upTo: string | null): Selection => ({
    form: query.form,
    filter: filterOf(query, viewOf(c).timeZone),
    upTo,
  });

  /** Counts what a list shows. Without a search the counts of the forms are known, so that a step finds the newest. */
  const load = async (c: DashboardContext, query: InboxQuery, upTo: string | null): Promise<Matching> => {
    const selection = selectionOf(c, query, upTo);
    const isPlain = !isSelective(selection.filter);
    const atMost = isPlain ? 1 : MAX_MATCHING_COUNTED;
    const found = await countMatching(app, c.get("caller"), selection, atMost);
    const counts = isPlain && upTo === null ? await app.store.submissions.counts() : [];
    const total = isPlain && upTo === null ? sumOf(counts, query.form, query.folder) : found.total;
    const isMore = !isPlain && total >= MAX_MATCHING_COUNTED;
    const what = isMore ? `more than ${counted(MAX_MATCHING_COUNTED)}` : counted(total);
    return {
      query,
      filter: selection.filter,
      what,
      isEmpty: total === 0,
      isLarge: isMore || total > MAX_BULK_IDS,
      values: { ...valuesOf(query), upTo: found.upTo, what },
    };
  };

  return new Hono<DashboardEnv>()
    .get(
      "/inbox/-/matching",
      page("forms:write", async (c) => {
        const query = readQuery((name) => c.req.query(name), c.req.query("form") || null);
        return matchingPage(await load(c, { ...query, before: null }, null));
      }),
    )
    .post(
      "/inbox/-/matching",
      action("forms:write", async (c, fields) => {
        const query = queryIn(fields);
        const selection = selectionOf(c, query, textOrNull(fields, "upTo"));
        if (textOf(fields, "mark") !== "delete")
          return markAllMatching(app, undos, c.get("caller"), fields, selection);
        const typed = textOf(fields, "typed").trim();
        if (typed.toLowerCase() === DELETE_WORD)
          return deleteAllMatching(app, c.get("caller"), fields, selection);
        const values = { ...valuesOf(query), upTo: selection.upTo, what: textOf(fields, "what") };
        const forms = query.form === null ? await formsWith(query) : [query.form];
        return deleteAllPage({ query, what: values.what, forms, values, typed }, addressIn(query));
      }),
    );

  /** The forms that have submissions in the folder, by slug. */
  async function formsWith({ folder }: InboxQuery): Promise<string[]> {
    const counts = await app.store.submissions.counts();
    return counts.filter((each) => each[folder] > 0).map(({ form }) => form);
  }
}
