import { chosenIn } from "../forms/form-words.ts";
import type { SubmissionMark } from "../../../forms/submission-state.ts";
import { explainSpam } from "../../../forms/spam/spam-reason.ts";
import type { Page } from "../page.tsx";
import { Button, ButtonLink, Form, Hidden } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Card } from "../parts/card.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { addressOf, useMayWriteForms, useView } from "../view.ts";
import { Files, JsonCard, FieldValues } from "./content.tsx";
import { FOLDER_NAMES, MOVES, MarkButtons } from "../inbox/controls.tsx";
import { type InboxQuery, addressIn, parametersOf, pathOf, valuesOf } from "../inbox/query.ts";
import { Rows, besideOf, submissionPath, type SubmissionPlace } from "./rows.tsx";
import { BlockCard, JUMPS, OthersCard, ReplyCard, Sender, type SubmissionView, WorkCard } from "./work.tsx";
import type { Neighbour } from "../inbox/load.ts";
import { Timeline } from "./timeline.tsx";

/** A submission with all that is known about it; on a wide screen beside its list. */
export function submissionPage(view: SubmissionView): Page {
  const { submission, query } = view;
  const { id, form, data, state, spam, read } = submission;
  const { title } = view.titleOf(submission);
  return {
    title: `${visible(title)}, ${form}`,
    heading: (
      <>
        <Foreign text={title} />
        {!read && <Badge tone="info">unread</Badge>}
        {state === "archived" && <Badge>archived</Badge>}
        {spam !== null && <Badge tone="warn">spam</Badge>}
      </>
    ),
    section: "inbox",
    topics: ["submissions", "deliveries"],
    back: { to: addressIn(query), label: FOLDER_NAMES[query.folder] },
    actions: <Actions view={view} />,
    commands: [
      ["Print it", "submissions get", id, { json: true }],
      ["What happened to it", "submissions timeline", id],
      ["Archive it", "submissions mark", id, "archived"],
    ],
    content: (
      <div class="split reader">
        <Beside view={view} />
        <article class="stack" data-submission={id}>
          {spam !== null && (
            <Notice tone="warn">
              <p>
                Spam: <Foreign text={explainSpam(spam)} />.
              </p>
            </Notice>
          )}
          <Card id="fields-title" title="Fields">
            <FieldValues data={data} labelOf={view.labelOf} choiceOf={view.choiceOf} />
          </Card>
          {submission.files.length > 0 && <Files submission={submission} previews={view.previews} />}
          <Sender view={view} />
          <WorkCards view={view} />
          <Timeline
            events={view.events}
            project={submission.project}
            retry={`${submissionPath(submission)}/retry`}
          />
          <JsonCard submission={submission} />
        </article>
      </div>
    ),
  };
}

/** The list that a submission was opened from, and what is done with its ticked rows. */
function Beside({ view: { submission, query, beside, titleOf, next } }: { view: SubmissionView }) {
  const hasForms = chosenIn(query.form).form === null;
  const mayWrite = useMayWriteForms(hasForms ? null : submission.project);
  const rows = (
    <Rows
      submissions={beside}
      titleOf={titleOf}
      query={besideOf(query)}
      current={submission.id}
      hasForms={hasForms}
      isSelectable={mayWrite}
    />
  );
  return (
    <nav class="beside" aria-label="Submissions in this list">
      <Search query={query} />
      {mayWrite ? (
        <Form
          to="/inbox/marks"
          id="bulk"
          values={{ ...valuesOf(query), page: addressOfSubmission(submission, query) }}
        >
          {rows}
          <div class="ticked">
            <MarkButtons folder={query.folder} hasKeys />
          </div>
        </Form>
      ) : (
        rows
      )}
      {next !== null && (
        <ButtonLink to={pathOf(query)} query={parametersOf({ ...query, before: next })}>
          Older
        </ButtonLink>
      )}
    </nav>
  );
}

/** A search of the list beside a submission. */
function Search({ query }: { query: InboxQuery }) {
  const { folder, q, form } = query;
  return (
    <form method="get" action={addressOf(useView(), "/inbox")} class="searchbar" role="search">
      <Hidden values={{ folder: folder === "inbox" ? null : folder, form }} />
      <input
        type="search"
        name="q"
        id="q"
        aria-label="Search"
        value={q}
        placeholder="Search"
        aria-keyshortcuts="/"
      />
      <Button icon="search" label="Search" />
    </form>
  );
}

/** The cards of those who work on the submission. */
function WorkCards({ view }: { view: SubmissionView }) {
  const { submission, query, work, typed, address, sender, others, mails } = view;
  const values = { ...valuesOf(query), page: addressOfSubmission(submission, query) };
  const props = { submission, typed, values };
  const mayReply = mails && address !== null && submission.spam === null;
  return (
    <>
      {work !== null && (mayReply || typed.faults["text"] !== undefined) && (
        <ReplyCard {...props} work={work} to={address ?? "the sender"} />
      )}
      {work !== null && <WorkCard {...props} work={work} />}
      {others !== null && (
        <OthersCard
          others={others}
          titleOf={view.titleOf}
          title={view.titleOf(submission).title}
          address={address!}
        />
      )}
      {work !== null && <BlockCard {...props} sender={sender} />}
    </>
  );
}

function Actions({ view }: { view: SubmissionView }) {
  const { submission, query, newer, older } = view;
  const { id, state, read } = submission;
  const mayWrite = useMayWriteForms(submission.project);
  const toggle: [SubmissionMark, string, string] = read
    ? ["unread", "Mark as unread", "u"]
    : ["read", "Mark as read", "u"];
  const page = addressOfSubmission(submission, query);
  const after = older ?? newer;
  const next = after && addressOfSubmission(after, { ...query, before: after.before });
  return (
    <>
      {mayWrite && (
        <Form
          to="/inbox/marks"
          class="buttons"
          id="marks"
          values={{ ...valuesOf(query), submission: id, folder: state, page, next }}
        >
          {[toggle, ...MOVES[state]].map(([mark, label, key]) => (
            <Button name="mark" value={mark} shortcut={key}>
              {label}
            </Button>
          ))}
          <Button name="mark" value="delete" kind="danger" shortcut="#">
            Delete
          </Button>
        </Form>
      )}
      {view.work !== null && (
        <p class="buttons">
          {view.mails && view.address !== null && (
            <a class="button" href="#reply-text" aria-keyshortcuts="r">
              Reply
            </a>
          )}
          {JUMPS.map(([key, label, field]) => (
            <a class="button" href={`#${field}`} aria-keyshortcuts={key}>
              {label}
            </a>
          ))}
        </p>
      )}
      <nav class="buttons" aria-label="Neighbours">
        {view.position !== null && <span class="soft">{view.position}</span>}
        <NeighbourLink neighbour={newer} query={query} label="Newer" shortcut="k" />
        <NeighbourLink neighbour={older} query={query} label="Older" shortcut="j" />
      </nav>
    </>
  );
}

function NeighbourLink({
  neighbour,
  query,
  label,
  shortcut,
}: {
  neighbour: Neighbour | null;
  query: InboxQuery;
  label: string;
  shortcut: string;
}) {
  if (!neighbour) return null;
  const { before } = neighbour;
  return (
    <ButtonLink
      to={submissionPath(neighbour)}
      query={besideOf({ ...query, before })}
      kind="quiet"
      label={`${label} submission`}
      shortcut={shortcut}
    >
      {label}
    </ButtonLink>
  );
}

/** The address of a submission's page beside its list, behind the dashboard's path. */
function addressOfSubmission(submission: SubmissionPlace, query: InboxQuery): string {
  const given = Object.entries(besideOf(query)).filter(([, value]) => value);
  return `${submissionPath(submission)}?${new URLSearchParams(given as [string, string][]).toString()}`;
}
