import { formOf } from "../forms/form-words.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { Title } from "../../../forms/inbox/title.ts";
import { HANDLING_LIMITS } from "../../../forms/limits.ts";
import type { SeenFlags } from "../../../forms/seen-flags.ts";
import { handledOf } from "../../../forms/submission-columns.ts";
import { Card, Facts } from "../parts/card.tsx";
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import { A, Button, ButtonForm, ButtonLink, Form } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Foreign, ForeignValue } from "../parts/text.tsx";
import type { Faults } from "../parts/submit.ts";
import { ExactTime, Time } from "../parts/time.tsx";
import { formPath } from "../paths.ts";
import type { Reading, Work } from "../inbox/load.ts";
import { submissionPath } from "./rows.tsx";

/** Texts that were typed and not taken, with what was wrong. */
export type Typed = Partial<Record<"reply" | "template" | "label" | "note" | "word", string | undefined>> & {
  faults: Faults;
};

/** A submission, the list that it was opened from, and whether there is a mail server. */
export type SubmissionView = Reading & { mails: boolean; typed: Typed };

type Props = {
  submission: Submission;
  work: Work;
  typed: Typed;
  /** Hidden fields by which an answer leads back. */
  values: Readonly<Record<string, string | null>>;
};

/** A mail to the sender. */
export function ReplyCard({ submission, work, typed, values, to }: Props & { to: string }) {
  const { templates } = work;
  return (
    <Card id="reply-title" title="Reply">
      <Form
        to={`${submissionPath(submission)}/reply`}
        class="stack"
        id={`reply-${submission.id}`}
        values={values}
        isChanged={typed.reply !== undefined}
      >
        <AreaField
          name="text"
          id="reply-text"
          label="Reply text"
          hint={`A mail to ${to}, which quotes the submission.`}
          value={typed.reply}
          error={typed.faults["text"]}
        />
        <SelectField
          name="template"
          label="Template"
          value={typed.template}
          options={[
            { value: "", label: "None" },
            ...templates.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <p class="buttons">
          <Button kind="primary" icon="send">
            Send reply
          </Button>
          {templates.length > 0 && (
            <Button name="use" value="1">
              Use template
            </Button>
          )}
        </p>
      </Form>
    </Card>
  );
}

/** Keys that lead to a field of {@link WorkCard}. */
export const JUMPS = [
  ["a", "Assign", "assignee"],
  ["l", "Label", "label"],
  ["m", "Note", "note"],
] as const;

/** The assignee of a submission, its labels, and notes on it. */
export function WorkCard({ submission, work, typed, values }: Props) {
  const path = submissionPath(submission);
  const { assignee, labels } = submission;
  const users = [...new Set([...work.users, ...(assignee === null ? [] : [assignee])])];
  return (
    <Card id="work-title" title="Assignee, labels and notes">
      <Form to={`${path}/assign`} class="filters" id="assign" values={values}>
        <SelectField
          name="assignee"
          label="Assign to"
          value={assignee ?? ""}
          options={[{ value: "", label: "Nobody" }, ...users.map((name) => ({ value: name, label: name }))]}
        />
        <Button>Assign</Button>
      </Form>
      {labels.length > 0 && (
        <div class="buttons">
          {labels.map((label) => (
            <ButtonForm
              to={`${path}/label`}
              values={{ ...values, remove: label }}
              label={`Remove label ${label}`}
            >
              <Foreign text={label} /> ×
            </ButtonForm>
          ))}
        </div>
      )}
      <Form to={`${path}/label`} class="filters" id="label-form" values={values}>
        <TextField
          name="label"
          label="Label"
          value={typed.label}
          error={typed.faults["label"]}
          maxlength={HANDLING_LIMITS.label}
          suggestions={work.labels.filter((label) => !labels.includes(label))}
        />
        <Button>Add label</Button>
      </Form>
      <Form to={`${path}/note`} class="stack" id="note-form" values={values}>
        <AreaField
          name="note"
          label="Note"
          rows={3}
          hint="For those who work on it; the sender never gets it."
          value={typed.note}
          error={typed.faults["note"]}
        />
        <p class="buttons">
          <Button>Add note</Button>
        </p>
      </Form>
    </Card>
  );
}

/** Senders and words that the form files as spam from then on. */
export function BlockCard({
  submission,
  typed,
  values,
  sender,
}: Omit<Props, "work"> & { sender: string | null }) {
  const to = `${submissionPath(submission)}/block`;
  return (
    <Card id="block-title" title="Block">
      {sender !== null && (
        <>
          <p>
            The form files what <Foreign text={sender} /> sends as spam, or refuses it.
          </p>
          <ButtonForm to={to} values={{ ...values, what: "sender" }}>
            Block sender
          </ButtonForm>
        </>
      )}
      <Form to={to} class="filters" id="block-form" values={{ ...values, what: "word" }}>
        <TextField
          name="word"
          label="Word"
          hint="A submission to this form with it is spam from then on."
          value={typed.word}
          error={typed.faults["word"]}
        />
        <Button>Block word</Button>
      </Form>
    </Card>
  );
}

/** Submissions that a page names. */
const MAX_NAMED = 5;

/** Other submissions of the same person. */
export function OthersCard({
  others,
  titleOf,
  title,
  address,
}: Pick<Reading, "titleOf"> & {
  title: string;
  others: NonNullable<Reading["others"]>;
  address: string;
}) {
  const { submissions, isMore } = others;
  if (submissions.length === 0) return null;
  const count = `${submissions.length}${isMore ? "+" : ""}`;
  return (
    <Card id="others-title" title={`${count} ${count === "1" ? "other" : "others"} by this person`}>
      <ul class="changes">
        {submissions.slice(0, MAX_NAMED).map((submission) => (
          <li>
            <Time at={Date.parse(submission.createdAt)} />
            <div>
              <A to={submissionPath(submission)} class="clamp">
                <Foreign text={otherTitle(titleOf(submission), title)} />
              </A>
              {submission.state !== "inbox" && <Badge>{submission.state}</Badge>}
            </div>
          </li>
        ))}
      </ul>
      <p class="buttons">
        <ButtonLink to="/people" query={{ q: address }}>
          All by this person
        </ButtonLink>
      </p>
    </Card>
  );
}

/** The title of another submission, or its text where both have the same. */
function otherTitle({ title, text }: Title, same: string): string {
  return title === same && text !== "" ? text : title;
}

/** The facts about the sender of a submission. */
export function Sender({ view: { submission, address, formName, mails, work } }: { view: SubmissionView }) {
  const { id, createdAt, meta, flags } = submission;
  const name = formOf(submission);
  const subject = encodeURIComponent(`Re: ${formName.toWellFormed()}`);
  return (
    <Card id="sender-title" title="Sender">
      {address !== null && (
        <p class="buttons">
          <a
            class={mails ? "button" : "button primary"}
            aria-keyshortcuts={mails && work !== null ? undefined : "r"}
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
        class="row"
        facts={[
          ["Received", <ExactTime at={Date.parse(createdAt)} />],
          ["Form", <A to={formPath(name)}>{name}</A>],
          ...handledOf(submission).map(({ label, words }) => [label, <Foreign text={words} />] as const),
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
