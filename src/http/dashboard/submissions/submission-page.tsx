import type { SavedView } from "../../../access/user.ts";
import { eventText } from "../../../forms/inbox/handling.ts";
import { explainSpam } from "../../../forms/spam/spam-reason.ts";
import type { SubmissionMark } from "../../../forms/submission-state.ts";
import type { Page } from "../page.tsx";
import { Menu } from "../parts/fold.tsx";
import { Icon } from "../parts/icon.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Foreign, ForeignValue, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useMayWriteForms } from "../view.ts";
import { FOLDER_NAMES, MOVES } from "../inbox/controls.tsx";
import { Toolbar } from "../inbox/toolbar.tsx";
import { TickedRows } from "../inbox/list.tsx";
import { type InboxQuery, addressIn, parametersOf, pathOf, valuesOf } from "../inbox/query.ts";
import type { Neighbour } from "../inbox/load.ts";
import { Content, Files, Heading, Unconfirmed } from "./content.tsx";
import { Stars, besideOf, submissionPath, type SubmissionPlace } from "./rows.tsx";
import {
  AssignMenu,
  BlockFold,
  FactsFold,
  type SubmissionView,
  WorkForms,
  Reply,
  mayReply,
} from "./work.tsx";
import { Timeline } from "./timeline.tsx";

/** A submission with all that is known about it; on a wide screen beside its list. */
export function submissionPage(view: SubmissionView & { views: readonly SavedView[] }): Page {
  const { submission, query, titleOf } = view;
  const { id, form, state, spam, read } = submission;
  const { title } = titleOf(submission);
  return {
    title: `${visible(title)}, ${form}`,
    heading: <Foreign text={title} />,
    badges: (
      <>
        {!read && <Badge tone="info">unread</Badge>}
        {(state === "archived" || state === "unconfirmed") && <Badge>{state}</Badge>}
        {submission.unsubscribedAt !== null && <Badge tone="warn">unsubscribed</Badge>}
        {spam !== null && <Badge tone="warn">spam</Badge>}
      </>
    ),
    section: "inbox",
    topics: ["submissions", "deliveries"],
    back: { to: addressIn(query), label: FOLDER_NAMES[query.folder] },
    commands: [
      ["Print it", "submissions get", id, { json: true }],
      ["What happened to it", "submissions timeline", id],
      ["Archive it", "submissions mark", id, "archived"],
    ],
    content: (
      <div class="stack">
        <div class="only-wide">
          <Toolbar {...view} />
        </div>
        <div class="split reader">
          <Beside view={view} />
          <article class="card flush pane" data-submission={id}>
            <Bar view={view} />
            <Body view={view} />
          </article>
        </div>
      </div>
    ),
  };
}

/** The list that a submission was opened from, and what is done with its ticked rows. */
function Beside({ view: { submission, query, beside, titleOf, next } }: { view: SubmissionView }) {
  const mayWrite = useMayWriteForms(query.form === null ? null : submission.project);
  return (
    <nav class="beside only-wide" aria-label="Submissions in this list">
      <TickedRows
        query={query}
        values={{ ...valuesOf(query), page: addressOfSubmission(submission, query) }}
        total={null}
        mayWrite={mayWrite}
        rows={{ submissions: beside, titleOf, current: submission.id }}
      />
      {next !== null && (
        <ButtonLink to={pathOf(query)} query={parametersOf({ ...query, before: next })}>
          Older
        </ButtonLink>
      )}
    </nav>
  );
}

/** The content of a submission, notes and replies, and what is seldom looked at. */
function Body({ view }: { view: SubmissionView }) {
  const { submission, query, work, typed, address, previews, events, titleOf } = view;
  const { title, stars, formName } = titleOf(submission);
  const values = { ...valuesOf(query), page: addressOfSubmission(submission, query) };
  const props = { submission, typed, values };
  const failed = events.some((event) => event.event === "queued" && event.status === "failed");
  return (
    <div class="body">
      {submission.spam !== null && (
        <Notice tone="warn">
          <p>
            Spam: <Foreign text={explainSpam(submission.spam)} />.
          </p>
        </Notice>
      )}
      {submission.unchecked !== null && (
        <Notice tone="warn">
          <p>
            Not checked: <Foreign text={submission.unchecked} />.
          </p>
        </Notice>
      )}
      {submission.state === "unconfirmed" && <Unconfirmed />}
      <div>
        <div class="title">
          <Heading submission={submission} address={address} />
        </div>
        <p class="soft small">
          <Foreign text={formName} />
          <Others view={view} />
        </p>
      </div>
      {stars && <Stars {...stars} />}
      <Content {...view} title={title} />
      {work === null && submission.labels.length > 0 && (
        <p class="buttons">
          {submission.labels.map((label) => (
            <Badge tone="info">
              <Foreign text={label} />
            </Badge>
          ))}
        </p>
      )}
      {submission.files.length > 0 && <Files submission={submission} previews={previews} />}
      {events.map((event) =>
        event.event === "noted" || event.event === "answered" ? (
          <div class="note">
            <b>
              {event.event === "noted" ? "Note by" : "Answered by"} <Foreign text={event.who} />
            </b>
            , <Time at={Date.parse(event.at)} />: <ForeignValue text={eventText(event)!} />
          </div>
        ) : null,
      )}
      {work !== null && (mayReply(view) || typed.faults["text"] !== undefined) && (
        <Reply {...props} work={work} to={address ?? "the sender"} />
      )}
      {work !== null && <WorkForms {...props} work={work} />}
      <FactsFold view={view} />
      <details class="small more-facts" id="timeline" open={failed}>
        <summary class="soft">What happened</summary>
        <Timeline
          events={events}
          project={submission.project}
          retry={`${submissionPath(submission)}/retry`}
        />
      </details>
      {work !== null && <BlockFold {...props} sender={view.sender} />}
    </div>
  );
}

/** The number of other submissions of the sender, with the way to them. */
function Others({ view: { others, address } }: { view: SubmissionView }) {
  const count = others?.submissions.length ?? 0;
  if (others === null || count === 0) return null;
  return (
    <>
      {" · "}
      <A to="/people" query={{ q: address }}>
        {`${count}${others.isMore ? "+" : ""} ${count === 1 ? "other" : "others"} by this person`}
      </A>{" "}
      in all folders, the last <Time at={Date.parse(others.submissions[0]!.createdAt)} />
    </>
  );
}

/** The actions on a submission: the reply first, what is seldom done behind "⋯", and its neighbours. */
function Bar({ view }: { view: SubmissionView }) {
  const { submission, query, newer, older, work, address, mails, formName } = view;
  const { id, state, read } = submission;
  const mayWrite = useMayWriteForms(submission.project);
  const [first, ...others] = MOVES[state];
  const toggle: [SubmissionMark, string, string] = [
    read ? "unread" : "read",
    read ? "Mark as unread" : "Mark as read",
    "u",
  ];
  const page = addressOfSubmission(submission, query);
  const after = older ?? newer;
  const next = after && addressOfSubmission(after, { ...query, before: after.before });
  const replies = mayReply(view) && work !== null;
  const mailto =
    address === null
      ? null
      : `mailto:${encodeURIComponent(address.toWellFormed())}?subject=${encodeURIComponent(`Re: ${formName.toWellFormed()}`)}`;
  return (
    <div class="bar">
      {replies ? (
        <a class="button primary" href="#reply-text" aria-keyshortcuts="r">
          <Icon name="reply" />
          Reply
        </a>
      ) : (
        mailto !== null && (
          <a class={mails ? "button" : "button primary"} aria-keyshortcuts="r" href={mailto}>
            Reply by mail
          </a>
        )
      )}
      {mayWrite && (
        <Form
          to="/inbox/marks"
          class="inline"
          id="marks"
          values={{ ...valuesOf(query), submission: id, folder: state, page, next }}
        >
          <Button
            name="mark"
            value={first![0]}
            shortcut={first![2]}
            icon={state === "inbox" ? "archive" : "inbox"}
          >
            {first![1]}
          </Button>
        </Form>
      )}
      {work !== null && (
        <AssignMenu submission={submission} work={work} values={{ ...valuesOf(query), page }} />
      )}
      {mayWrite && (
        <Menu label="More actions">
          {[toggle, ...others].map(([mark, label, key]) => (
            <li>
              <Button form="marks" name="mark" value={mark} shortcut={key}>
                {label}
              </Button>
            </li>
          ))}
          {replies && mailto !== null && (
            <li>
              <a href={mailto}>Reply by mail</a>
            </li>
          )}
          <li>
            <Button form="marks" name="mark" value="delete" shortcut="#">
              Delete…
            </Button>
          </li>
        </Menu>
      )}
      <nav class="end small" aria-label="Neighbours">
        {view.position !== null && <span class="soft">{view.position}</span>}
        <NeighbourLink neighbour={newer} query={query} label="Newer" shortcut="k" />
        <NeighbourLink neighbour={older} query={query} label="Older" shortcut="j" />
      </nav>
    </div>
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
