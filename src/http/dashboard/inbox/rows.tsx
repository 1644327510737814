import type { Submission } from "../../../forms/submission.ts";
import { Icon } from "../parts/icon.tsx";
import { A } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { type InboxQuery, parametersOf } from "./query.ts";
import { summaryOf } from "./summary.ts";

/** The path of the page of a submission behind the dashboard's. */
export function submissionPath({ form, id }: Pick<Submission, "form" | "id">): string {
  return `/inbox/${encodeURIComponent(form)}/${id}`;
}

/** The query that a submission's page needs to show the same list beside it. */
export function besideOf(query: InboxQuery): Record<string, string | null> {
  return { ...parametersOf(query), folder: query.folder, all: query.form === null ? "1" : null };
}

type RowsProps = {
  submissions: readonly Submission[];
  /** The query of the links to the submissions. */
  query: Readonly<Record<string, string | null>>;
  /** The id of the submission whose page it is. */
  current?: string;
  /** Whether rows name their form. */
  hasForms: boolean;
  /** Whether rows name their folder. */
  hasFolders?: boolean;
  /** Whether rows can be selected. */
  isSelectable?: boolean;
};

/** Submissions as a list, a link each. */
export function Rows({ submissions, ...props }: RowsProps) {
  return (
    <ul class="items submissions">
      {submissions.map((submission) => (
        <Row submission={submission} {...props} />
      ))}
    </ul>
  );
}

function Row({
  submission,
  query,
  current,
  hasForms,
  hasFolders = false,
  isSelectable = false,
}: { submission: Submission } & Omit<RowsProps, "submissions">) {
  const { id, form, data, files, createdAt, state, spam, read } = submission;
  const { from, text } = summaryOf(data);
  return (
    <li id={`row-${id}`} class={read ? undefined : "unread"}>
      {isSelectable && <input type="checkbox" name="submission" value={id} aria-labelledby={`from-${id}`} />}
      <A to={submissionPath(submission)} query={query} current={id === current ? "page" : undefined}>
        <span class="from" id={`from-${id}`}>
          {!read && <span class="unseen">Unread: </span>}
          <Foreign text={from} />
        </span>
        <span class="text">
          <Foreign text={text} />
        </span>
        <span class="marks">
          {hasFolders && state === "archived" && <Badge>archived</Badge>}
          {spam !== null && (
            <Badge tone="warn">{hasFolders ? `spam: ${spam}` : <Foreign text={spam} />}</Badge>
          )}
          {hasForms && <Badge>{form}</Badge>}
          {files.length > 0 && (
            <span class="files">
              <Icon name="file" />
              {files.length}
              <span class="unseen">{files.length === 1 ? " file" : " files"}</span>
            </span>
          )}
        </span>
        <Time at={Date.parse(createdAt)} />
      </A>
    </li>
  );
}
