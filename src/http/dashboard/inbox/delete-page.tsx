import { formOf } from "../forms/form-words.ts";
import type { Page } from "../page.tsx";
import type { Submission } from "../../../forms/submission.ts";
import { Danger } from "../parts/danger.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { ExportLinks, MATCHING } from "./controls.tsx";
import { type InboxQuery, valuesOf } from "./query.ts";
import type { TitleOf } from "../../../forms/inbox/titles.ts";

/** Names of submissions that a question shows. */
const MAX_NAMED = 10;

/** The page that confirms the deletion of submissions, and offers to export them first. */
export function deletePage(
  submissions: readonly Submission[],
  titleOf: TitleOf,
  query: InboxQuery,
  back: string,
): Page {
  const ids = submissions.map(({ id }) => id);
  return {
    title: "Delete submissions",
    heading: `Delete ${counted(submissions.length)}?`,
    section: "inbox",
    status: 428,
    back: { to: back, label: "Back" },
    content: (
      <div class="stack narrow">
        <ul class="named">
          {submissions.slice(0, MAX_NAMED).map((each) => (
            <li>
              <Foreign text={titleOf(each).title} /> <span class="soft">{formOf(each)}</span>
            </li>
          ))}
          {submissions.length > MAX_NAMED && <li>and {submissions.length - MAX_NAMED} more</li>}
        </ul>
        <p>Files and deliveries are deleted too. This cannot be undone.</p>
        <ExportFirst query={query} forms={[...new Set(submissions.map(formOf))]} />
        <Danger
          to="/inbox/delete"
          values={[...ids.map((id) => ["submission", id] as const), ...pairsOf(valuesOf(query))]}
          id="delete"
          act={`Delete ${counted(submissions.length)}`}
          back={{ to: back }}
        />
      </div>
    ),
  };
}

/** Links that save what the list shows, before it is deleted. */
function ExportFirst({ query, forms }: { query: InboxQuery; forms: readonly string[] }) {
  return (
    <div class="stack">
      <p>Export the list first:</p>
      <ul class="named">
        {forms.slice(0, MAX_NAMED).map((form) => (
          <li>
            {form}: <ExportLinks query={{ ...query, form }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The word that is typed before everything that a filter selects is deleted. */
export const DELETE_WORD = "delete";

/** The page that confirms the deletion of everything that a filter selects. `what` says how many they are. */
export function deleteAllPage(
  {
    query,
    what,
    forms,
    values,
    typed,
  }: {
    query: InboxQuery;
    what: string;
    forms: readonly string[];
    values: Readonly<Record<string, string | null>>;
    /** Previous input; may be empty. */
    typed: string;
  },
  back: string,
): Page {
  return {
    title: "Delete everything that matches",
    heading: `Delete ${what}?`,
    section: "inbox",
    status: 428,
    back: { to: back, label: "Back" },
    content: (
      <div class="stack narrow">
        <p>Files and deliveries are deleted too. This cannot be undone.</p>
        <ExportFirst query={query} forms={forms} />
        <Danger
          to={MATCHING}
          values={{ ...values, mark: "delete" }}
          id="delete"
          words={[
            {
              name: "typed",
              word: DELETE_WORD,
              id: "delete-typed",
              typed,
              fault: typed === "" ? null : `That is not the word ${DELETE_WORD}. Nothing was deleted.`,
            },
          ]}
          act={`Delete ${what}`}
          back={{ to: back }}
        />
      </div>
    ),
  };
}

function pairsOf(values: Readonly<Record<string, string | null>>): [name: string, value: string][] {
  return Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null);
}
