import type { TitleOf } from "../../../forms/inbox/titles.ts";
import { A, ButtonForm, ButtonLink } from "../parts/link.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Content, Heading, Unconfirmed } from "../submissions/content.tsx";
import { besideOf, submissionPath } from "../submissions/rows.tsx";
import { useMayWriteForms } from "../view.ts";
import { MOVES } from "./controls.tsx";
import type { Preview } from "./preview.ts";
import { type InboxQuery, valuesOf } from "./query.ts";

/** Characters of the long values of a preview together. */
const MOST = 4000;

/** The newest submission beside a list on a wide screen, with the way to its page. */
export function PreviewPane({
  preview,
  titleOf,
  query,
}: {
  preview: Preview;
  titleOf: TitleOf;
  query: InboxQuery;
}) {
  const { submission, address } = preview;
  const { id, project, spam, state } = submission;
  const { title, formName } = titleOf(submission);
  const mayWrite = useMayWriteForms(project);
  const isUnconfirmed = state === "unconfirmed";
  const replies = mayWrite && address !== null && spam === null && !isUnconfirmed;
  const [mark, label] = MOVES[state][0]!;
  const to = { to: submissionPath(submission), query: besideOf(query) };
  return (
    <article class="card flush pane sticky only-wide" aria-label={visible(title)}>
      <div class="bar">
        {replies ? (
          <ButtonLink {...to} hash="reply-text" kind="primary" icon="reply">
            Reply
          </ButtonLink>
        ) : (
          <ButtonLink {...to} kind="primary">
            Open
          </ButtonLink>
        )}
        {mayWrite && (
          <ButtonForm
            to="/inbox/marks"
            values={{ ...valuesOf(query), submission: id, mark }}
            icon={state === "inbox" ? "archive" : "inbox"}
            label={`${label}: ${visible(title)}`}
          >
            {label}
          </ButtonForm>
        )}
        {replies && (
          <A {...to} class="end small">
            Open
          </A>
        )}
      </div>
      <div class="body">
        {isUnconfirmed && <Unconfirmed />}
        <div>
          <div class="title">
            <h2>
              <Foreign text={title} />
            </h2>
            <Heading submission={submission} address={address} />
          </div>
          <p class="soft small">
            <Foreign text={[formName, ...submission.labels].join(" · ")} />
          </p>
        </div>
        <Content {...preview} title={title} most={MOST} />
      </div>
    </article>
  );
}
