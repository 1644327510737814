import { MarkButtons } from "./mark-buttons.tsx";
import type { Page } from "../page.tsx";
import { Form } from "../parts/link.tsx";
import { Facts } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { MAX_BULK_IDS } from "../../../forms/limits.ts";
import type { SubmissionFilter } from "../../../forms/inbox/submission-filter.ts";
import { quoted } from "../parts/commands.tsx";
import { ExactTime } from "../parts/time.tsx";

import { FOLDER_NAMES } from "./listing.ts";
import { type InboxQuery, addressIn, commandOptions } from "./query.ts";

/** Submissions that are counted for a page; more are "more than". */
export const MAX_MATCHING_COUNTED = 1000;

/** Everything that a filter selects, and how many they are. */
export type Matching = {
  query: InboxQuery;
  filter: SubmissionFilter;
  /** `1,200 submissions`, or more than were counted. */
  what: string;
  isEmpty: boolean;
  /** Whether they may be too many to undo. */
  isLarge: boolean;
  /** What the form of this page sends along. */
  values: Readonly<Record<string, string | null>>;
};

/** What can be done with everything that a filter selects, as a step of its own. */
export function matchingPage({ query, filter, what, isEmpty, isLarge, values }: Matching): Page {
  const { form } = query;
  const selected = form === null ? "" : ` --form ${quoted(form)}`;
  return {
    title: "All that match",
    heading: `All ${what}`,
    section: "inbox",
    back: { to: addressIn(query), label: FOLDER_NAMES[query.folder] },
    commands: [
      {
        label: "Count them",
        text: `formflag submissions mark --matching${selected}${commandOptions(filter)} --dry-run read`,
      },
    ],
    content: (
      <div class="stack narrow">
        <Facts
          facts={[
            ["Folder", FOLDER_NAMES[query.folder]],
            ["Form", form ?? "All forms"],
            query.q !== "" && ["Search", <Foreign text={query.q} />],
            filter.since !== undefined && ["From", <ExactTime at={filter.since} />],
            filter.until !== undefined && ["Before", <ExactTime at={filter.until} />],
            query.unread && ["Only", "unread ones"],
          ]}
        />
        <p class="soft">
          Submissions that arrive from now on stay as they are.
          {isLarge && ` More than ${MAX_BULK_IDS.toLocaleString("en")} at once cannot be undone.`}
        </p>
        {!isEmpty && (
          <Form to="/inbox/-/matching" values={values} id="matching">
            <MarkButtons folder={query.folder} />
          </Form>
        )}
      </div>
    ),
  };
}
