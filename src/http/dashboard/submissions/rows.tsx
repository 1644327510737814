import { chosenIn, formOf } from "../forms/form-words.ts";
import type { Submission } from "../../../forms/submission.ts";
import { userInWords } from "../../../forms/submission-columns.ts";
import type { Title } from "../../../forms/inbox/title.ts";
import { spamInBrief } from "../../../forms/spam/spam-reason.ts";
import type { TitleOf } from "../../../forms/inbox/titles.ts";
import { inboxPath } from "../paths.ts";
import { Icon } from "../parts/icon.tsx";
import { A } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { dayIn, formatExact, timeIn } from "../parts/time.tsx";
import { type InboxQuery, parametersOf } from "../inbox/query.ts";
import { useMayWriteForms, useView } from "../view.ts";

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
  /** The id of the submission that is open. */
  current?: string | undefined;
  /** Whether rows name their form. */
  hasForms: boolean;
  /** Whether rows name their folder. */
  hasFolders?: boolean;
  /** Whether the rows of forms that the person may change can be selected. */
  isSelectable?: boolean;
};

/** Submissions as a list by days, a link each. */
export function Rows({ submissions, ...props }: RowsProps) {
  const { now, timeZone } = useView();
  let last = "";
  return (
    <ol class="card flush mail submissions" aria-label="Submissions">
      {submissions.map((submission) => {
        const day = dayIn(Date.parse(submission.createdAt), now, timeZone);
        const isFirst = day !== last;
        last = day;
        return (
          <>
            {isFirst && <li class="day">{day}</li>}
            <Row submission={submission} {...props} />
          </>
        );
      })}
    </ol>
  );
}

function Row({
  submission,
  titleOf,
  query,
  current,
  isSelectable = false,
  ...about
}: { submission: Submission } & Omit<RowsProps, "submissions">) {
  const { timeZone } = useView();
  const { id, project, read } = submission;
  const { title, text, stars, formName } = titleOf(submission);
  const at = Date.parse(submission.createdAt);
  return (
    <li id={`row-${id}`} class={read ? undefined : "unread"}>
      {isSelectable && useMayWriteForms(project) && (
        <label>
          <input
            type="checkbox"
            name="submission"
            value={id}
            aria-labelledby={`from-${id} at-${id} text-${id}`}
          />
        </label>
      )}
      <A to={submissionPath(submission)} query={query} current={id === current ? "page" : undefined}>
        <span class="l">
          <span class="from" id={`from-${id}`}>
            {!read && <span class="unseen">Unread: </span>}
            <Foreign text={title} />
          </span>{" "}
          <span title={formatExact(at, timeZone)}>
            <time id={`at-${id}`} datetime={submission.createdAt}>
              {timeIn(at, timeZone)}
            </time>
          </span>
        </span>
        <span class="l">
          <span class="text" dir="auto" id={`text-${id}`}>
            {stars && <Stars {...stars} />} {visible(text)}
          </span>{" "}
          <About submission={submission} formName={formName} {...about} />
        </span>
      </A>
    </li>
  );
}

/** The form of a submission, its user, and its marks. */
function About({
  submission,
  formName,
  hasForms,
  hasFolders = false,
}: { submission: Submission; formName: string } & Pick<RowsProps, "hasForms" | "hasFolders">) {
  const { caller } = useView();
  const { files, labels, state, spam } = submission;
  const user = userInWords(submission, caller?.name, "yours");
  const words = [hasForms ? formName : null, user].filter(Boolean).join(" · ");
  return (
    <>
      {hasFolders && (state === "archived" || state === "unconfirmed") && <Badge>{state}</Badge>}
      {spam !== null && (
        <Badge tone="warn">
          {hasFolders ? `spam: ${spamInBrief(spam)}` : <Foreign text={spamInBrief(spam)} />}
        </Badge>
      )}
      {labels.map((label) => (
        <Badge tone="info">
          <Foreign text={label} />
        </Badge>
      ))}
      {files.length > 0 && (
        <span class="soft small">
          <Icon name="file" />
          {files.length}
          <span class="unseen">{files.length === 1 ? " file" : " files"}</span>
        </span>
      )}
      {words !== "" && (
        <span class="form">
          <Foreign text={words} />
        </span>
      )}
    </>
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
