import { formOf } from "../forms/form-words.ts";
import type { PurgeResult } from "../../../forms/keeping/purge.ts";
import type { Page } from "../page.tsx";
import { Danger } from "../parts/danger.tsx";
import { Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { counted, visible } from "../parts/text.tsx";

/** Confirmation page of an erasure, with what it deletes. `typed` is the previous input. */
export function erasePage(address: string, planned: PurgeResult, typed: string): Page {
  const { submissions, files, forms, mentions } = planned;
  return {
    title: "Erase a person",
    heading: `Erase ${visible(address)}?`,
    section: "people",
    status: 428,
    back: { to: `/people?${new URLSearchParams({ q: address }).toString()}`, label: "Back" },
    content: (
      <div class="stack narrow">
        <p>
          {counted(submissions)} and {counted(files, "file")} would be deleted, with their deliveries and
          metadata. The database file is rewritten, so that it holds nothing of them any more; backups are not
          touched. This cannot be undone.
        </p>
        {forms.length > 0 && (
          <Table
            caption="What would be deleted"
            rows={forms.slice(0, 100)}
            columns={[
              {
                label: "Form",
                heading: true,
                cell: formOf,
              },
              {
                label: "Submissions",
                numeric: true,
                cell: ({ submissions }) => submissions.toLocaleString("en"),
              },
              { label: "Files", numeric: true, cell: ({ files }) => files.toLocaleString("en") },
            ]}
          />
        )}
        {mentions > 0 && (
          <Notice>
            <p>
              {counted(mentions, "other submission")} with the address inside a longer text{" "}
              {mentions === 1 ? "is" : "are"} kept.
            </p>
          </Notice>
        )}
        <Danger
          to="/people/erase"
          values={{ q: address }}
          id="erase"
          words={[
            {
              name: "typed",
              word: address,
              label: "Type the address to confirm",
              id: "erase-typed",
              typed,
              fault: typed === "" ? null : "That is another address. Nothing was erased.",
            },
          ]}
          act="Erase"
          back={{ to: "/people", query: { q: address } }}
        />
      </div>
    ),
  };
}
