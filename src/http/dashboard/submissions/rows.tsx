import { chosenIn, formOf } from "../forms/form-words.ts";
import type { Submission } from "../../../forms/submission.ts";
import { handledOf } from "../../../forms/submission-columns.ts";
import { inboxPath } from "../paths.ts";
import { Icon } from "../parts/icon.tsx";
import { A } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { type InboxQuery, parametersOf } from "../inbox/query.ts";
import type { Title } from "../../../forms/inbox/title.ts";
import type { TitleOf } from "../../../forms/inbox/titles.ts";
import { useMayWriteForms } from "../view.ts";

export type SubmissionPlace = Pick<Submission, "project" | "form" | "id">;

/** The path of the page of a submission behind the dashboard's. */
export function submissionPath(place: SubmissionPlace): string {
  return `${inboxPath(formOf(place))}/${place.id}`;
}

/** The query that a submission's page needs to show the same list beside it. */
export function besideOf(query: InboxQuery): Record<string, string | null> {
  const { form } = query;
  const all = form === null ? "1" : chosenIn(form).form === null ? form : null;
  return { ...parametersOf(query), folder: query.folder, all };
}

type RowsProps = {
  submissions: readonly Submission[];
  titleOf: TitleOf;
  /** The query of the links to the submissions. */
  query: Readonly<Record<string, string | null>>;
  /** The id of the submission whose page it is. */
  current?: string;
  /** Whether rows name their form. */
  hasForms: boolean;
  /** Whether rows name their folder. */
  hasFolders?: boolean;
  /** Whether the rows of forms that the person may change can be selected. */
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
  titleOf,
  query,
  current,
  hasForms,
  hasFolders = false,
  isSelectable = false,
}: { submission: Submission } & Omit<RowsProps, "submissions">) {
  const { id, project, form, files, createdAt, state, spam, read } = submission;
  const { title, text, stars } = titleOf(submission);
  return (
    <li id={`row-${id}`} class={read ? undefined : "unread"}>
      {isSelectable && useMayWriteForms(project) && (
        <input type="checkbox" name="submission" value={id} aria-labelledby={`from-${id} at-${id}`} />
      )}
      <A to={submissionPath(submission)} query={query} current={id === current ? "page" : undefined}>
        <span class="from" id={`from-${id}`}>
          {!read && <span class="unseen">Unread: </span>}
          <Foreign text={title} />
        </span>
        <span class="text">
          {stars && <Stars {...stars} />}
          <Foreign text={text} />
        </span>
        <span class="marks">
          {hasFolders && state === "archived" && <Badge>archived</Badge>}
          {spam !== null && (
            <Badge tone="warn">{hasFolders ? `spam: ${spam}` : <Foreign text={spam} />}</Badge>
          )}
          {handledOf(submission).map(({ tone, badges }) =>
            badges.map((text) => (
              <Badge tone={tone}>
                <Foreign text={text} />
              </Badge>
            )),
          )}
          {hasForms && <Badge>{formOf({ project, form })}</Badge>}
          {files.length > 0 && (
            <span class="files">
              <Icon name="file" />
              {files.length}
              <span class="unseen">{files.length === 1 ? " file" : " files"}</span>
            </span>
          )}
        </span>
        <Time at={Date.parse(createdAt)} id={`at-${id}`} />
      </A>
    </li>
  );
}

/** A rating as stars. */
export function Stars({ count, of }: NonNullable<Title["stars"]>) {
  return (
    <span class="stars" role="img" aria-label={`${count} of ${of}`}>
      {"★".repeat(count)}
      {"☆".repeat(of - count)}
    </span>
  );
}
