import { chosenIn } from "../forms/form-words.ts";
import { shortName } from "../../../access/place.ts";
import type { SeenFlags } from "../../../forms/seen-flags.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { SubmissionMark } from "../../../forms/submission-state.ts";
import { explainSpam } from "../../../forms/spam/spam-reason.ts";
import type { TimelineEvent } from "../../../forms/inbox/timeline.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { Foreign, ForeignValue, visible } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";
import { useMayWriteForms } from "../view.ts";
import { Files, JsonCard, FieldValues } from "./content.tsx";
import { FOLDER_NAMES, MOVES } from "../inbox/controls.tsx";
import { type InboxQuery, addressIn, parametersOf, pathOf, valuesOf } from "../inbox/query.ts";
import { Rows, besideOf, submissionPath, summaryOf, type SubmissionPlace } from "./rows.tsx";
import { Timeline } from "./timeline.tsx";
import { formPath } from "../paths.ts";

/** A submission, and the list that it was opened from. */
export type SubmissionView = {
  submission: Submission;
  /** The list beside it. */
  query: InboxQuery;
  beside: readonly Submission[];
  /** Cursor of the rest of the list; null at its end. */
  next: string | null;
  /** The submissions before and after it in that list. */
  newer: Neighbour | null;
  older: Neighbour | null;
  events: readonly TimelineEvent[];
  previews: ReadonlySet<number>;
  /** The sender's address, if it is known. */
  address: string | null;
  /** The name of the form. */
  formName: string;
};

/** `before` is where the list beside it begins. */
export type Neighbour = SubmissionPlace & { before: string | null };

/** A submission with all that is known about it; on a wide screen beside its list. */
export function submissionPage(view: SubmissionView): Page {
  const { submission, query } = view;
  const { id, form, data, state, spam, read } = submission;
  const { from } = summaryOf(data);
  return {
    title: `Submission by ${visible(from)}, ${form}`,
    heading: (
      <>
        <Foreign text={from} />
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
      { label: "Print it", text: formflag("submissions get", id, { json: true }) },
      { label: "What happened to it", text: formflag("submissions timeline", id) },
      { label: "Archive it", text: formflag("submissions mark", id, "archived") },
    ],
    content: (
      <div class="split">
        <nav class="beside" aria-label="Submissions in this list">
          <Rows
            submissions={view.beside}
            query={besideOf(query)}
            current={id}
            hasForms={chosenIn(query.form).form === null}
          />
          {view.next !== null && (
            <ButtonLink to={pathOf(query)} query={parametersOf({ ...query, before: view.next })}>
              Older
            </ButtonLink>
          )}
        </nav>
        <article class="stack" data-submission={id}>
          {spam !== null && (
            <Notice tone="warn">
              <p>
                Spam: <Foreign text={explainSpam(spam)} />.
              </p>
            </Notice>
          )}
          <Card id="fields-title" title="Fields">
            <FieldValues data={data} />
          </Card>
          {submission.files.length > 0 && <Files submission={submission} previews={view.previews} />}
          <Sender view={view} />
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

function Actions({ view: { submission, query, newer, older } }: { view: SubmissionView }) {
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
      <nav class="buttons" aria-label="Neighbours">
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

function Sender({ view: { submission, address, formName } }: { view: SubmissionView }) {
  const { id, createdAt, meta, flags, project, form } = submission;
  const name = shortName({ project, slug: form });
  const subject = encodeURIComponent(`Re: ${formName.toWellFormed()}`);
  return (
    <Card id="sender-title" title="Sender">
      {address !== null && (
        <p class="buttons">
          <a
            class="button primary"
            aria-keyshortcuts="r"
            href={`mailto:${encodeURIComponent(address.toWellFormed())}?subject=${subject}`}
          >
            Reply by mail
          </a>
          <A to="/people" query={{ q: address }}>
            Everything from <Foreign text={address} />
          </A>
        </p>
      )}
      <Facts
        facts={[
          ["Received", <ExactTime at={Date.parse(createdAt)} />],
          ["Form", <A to={formPath(name)}>{name}</A>],
          has(meta?.address) && ["Address", <Foreign text={meta!.address!} />],
          has(meta?.referrer) && ["Sent from", <ForeignValue text={meta!.referrer!} />],
          flags !== null && [
            `Flags of ${flags.project}/${flags.environment}`,
            <SeenVariants flags={flags} />,
          ],
          has(meta?.language) && ["Language", <Foreign text={meta!.language!} />],
          has(meta?.userAgent) && ["Browser", <Foreign text={meta!.userAgent!} />],
          ["Id", <code>{id}</code>],
        ]}
      />
    </Card>
  );
}

/** The variants that a sender got, each a link to the submissions of those who got the same. */
function SeenVariants({ flags: { variants } }: { flags: SeenFlags }) {
  return (
    <>
      {Object.entries(variants).map(([flag, variant], index) => (
        <>
          {index > 0 && " "}
          <A to="/inbox" query={{ flag: `${flag}=${variant}` }}>
            <Foreign text={`${flag}=${variant}`} />
          </A>
        </>
      ))}
    </>
  );
}

function has(text: string | null | undefined): boolean {
  return text !== null && text !== undefined && text !== "";
}
