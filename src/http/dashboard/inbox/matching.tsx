import { seenCounts } from "./load.ts";
import { chosenIn, namedShort, shownName, formOf } from "../forms/form-words.ts";
import { countMatching } from "../../../forms/inbox/bulk.ts";
import { MAX_BULK_IDS } from "../../../forms/limits.ts";
import { type SubmissionFilter, isSelective } from "../../../forms/inbox/filters.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf, textOrNull } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { DELETE_WORD, deleteAllPage } from "./delete-page.tsx";
import { FOLDER_NAMES, MATCHING, sumOf, MarkButtons } from "./controls.tsx";
import { backIn, marked } from "./marks.ts";
import {
  type InboxQuery,
  PAGE_FILTERS,
  addressIn,
  commandOptions,
  filterOf,
  queryIn,
  readQuery,
  selectionOf,
  valuesOf,
} from "./query.ts";
import { inbox } from "../../../operations/inbox.ts";
import type { Page } from "../page.tsx";
import { Form } from "../parts/link.tsx";
import { Facts } from "../parts/card.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";

/** The step between a list and what is done with everything in it. */
export function matchingRoutes({ app, get, post, perform, viewOf }: Dashboard) {
  /** Counts what a list shows. Without a search the counts of the forms are known, so that a step finds the newest. */
  const load = async (c: DashboardContext, query: InboxQuery): Promise<Matching> => {
    const caller = c.get("caller");
    const filter = filterOf(query, viewOf(c).timeZone, caller.name);
    const isPlain = !isSelective(filter);
    const [found, counts] = await Promise.all([
      countMatching(
        app,
        caller,
        { ...chosenIn(query.form), filter, upTo: null },
        isPlain ? 1 : MAX_MATCHING_COUNTED,
      ),
      isPlain ? seenCounts(app, caller) : [],
    ]);
    const total = isPlain ? sumOf(counts, query.form, query.folder) : found.total;
    const isMore = !isPlain && total >= MAX_MATCHING_COUNTED;
    const what = isMore ? `more than ${counted(MAX_MATCHING_COUNTED)}` : counted(total);
    return {
      query,
      filter,
      what,
      isEmpty: total === 0,
      isLarge: isMore || total > MAX_BULK_IDS,
      values: { ...valuesOf(query), upTo: found.upTo, what },
    };
  };

  get(MATCHING, "forms:write", async (c) => {
    const query = readQuery((name) => c.req.query(name), c.req.query("form") || null);
    return matchingPage(await load(c, { ...query, before: null }));
  });
  post(MATCHING, "forms:write", async (c, fields) => {
    const [query, upTo, mark] = [queryIn(fields), textOrNull(fields, "upTo"), textOf(fields, "mark")];
    const selection = { ...selectionOf(query, viewOf(c).timeZone), upTo: upTo ?? undefined };
    if (mark !== "delete") {
      const body = { ...selection, mark, undoable: true };
      const { total, undo } = await perform(c, inbox.markMatching, { body });
      return marked(mark, { changed: total, undo }, backIn(fields));
    }
    const typed = textOf(fields, "typed").trim();
    if (typed.toLowerCase() === DELETE_WORD) {
      const { total } = await perform(c, inbox.deleteMatching, { body: selection });
      return { to: addressIn(query), text: `${counted(total)} deleted.` };
    }
    const values = { ...valuesOf(query), upTo, what: textOf(fields, "what") };
    const { form } = chosenIn(query.form);
    const forms = form === null ? await formsWith(c, query) : [form];
    return deleteAllPage({ query, what: values.what, forms, values, typed }, addressIn(query));
  });

  /** The forms that have submissions in the folder, by slug and project. */
  async function formsWith(c: DashboardContext, { form, folder }: InboxQuery): Promise<string[]> {
    const only = chosenIn(form).project;
    const counts = await seenCounts(app, c.get("caller"));
    return counts.filter((each) => each[folder] > 0 && (only === null || each.project === only)).map(formOf);
  }
}

/** Submissions that are counted for a page; more are "more than". */
const MAX_MATCHING_COUNTED = 1000;

/** Everything that a filter selects, and how many they are. */
type Matching = {
  query: InboxQuery;
  filter: SubmissionFilter;
  /** `1,200 submissions`, or more than were counted. */
  what: string;
  isEmpty: boolean;
  /** Whether they may be too many to undo. */
  isLarge: boolean;
  /** Hidden fields of this page's form. */
  values: Readonly<Record<string, string | null>>;
};

/** Page with the actions on everything that a filter selects. */
function matchingPage({ query, filter, what, isEmpty, isLarge, values }: Matching): Page {
  const { form } = query;
  return {
    title: "All that match",
    heading: `All ${what}`,
    section: "inbox",
    back: { to: addressIn(query), label: FOLDER_NAMES[query.folder] },
    commands: [
      [
        "Count them",
        "submissions mark",
        { matching: true, ...namedShort(form) },
        commandOptions(filter),
        { "dry-run": true },
        "read",
      ],
    ],
    content: (
      <div class="stack narrow">
        <Facts
          facts={[
            ["Folder", FOLDER_NAMES[query.folder]],
            ["Form", shownName(form) ?? "All forms"],
            ...PAGE_FILTERS.map(({ kind, member, parameter, label, fact }) => {
              if (query[parameter] === "") return null;
              if (kind === "switch") return ["Only", fact!] as const;
              const value = filter[member];
              const shown =
                typeof value === "number" ? <ExactTime at={value} /> : <Foreign text={query[parameter]} />;
              return [label, shown] as const;
            }),
          ]}
        />
        <p class="soft">
          Submissions that arrive from now on stay as they are.
          {isLarge && ` More than ${MAX_BULK_IDS.toLocaleString("en")} at once cannot be undone.`}
        </p>
        {!isEmpty && (
          <Form to={MATCHING} values={values} id="matching">
            <MarkButtons folder={query.folder} />
          </Form>
        )}
      </div>
    ),
  };
}
