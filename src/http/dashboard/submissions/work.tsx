import { formOf } from "../forms/form-words.ts";
import type { Submission } from "../../../forms/submission.ts";
import { HANDLING_LIMITS } from "../../../forms/limits.ts";
import type { SeenFlags } from "../../../forms/seen-flags.ts";
import { Facts } from "../parts/card.tsx";
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { A, Button, ButtonForm, Form } from "../parts/link.tsx";
import { Foreign, ForeignValue } from "../parts/text.tsx";
import type { Faults } from "../parts/submit.ts";
import { ExactTime } from "../parts/time.tsx";
import { formPath } from "../paths.ts";
import { useView } from "../view.ts";
import type { Reading, Work } from "../inbox/load.ts";
import { Json } from "./content.tsx";
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

/** Whether the page sends mail to the sender. */
export function mayReply({ mails, address, submission }: SubmissionView): boolean {
  return mails && address !== null && submission.state !== "spam" && submission.state !== "unconfirmed";
}

/** A mail to the sender. */
export function Reply({ submission, work, typed, values, to }: Props & { to: string }) {
  const { templates } = work;
  return (
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
        rows={3}
        hint={`A mail to ${to}, which quotes the submission.`}
        value={typed.reply}
        error={typed.faults["text"]}
      />
      {templates.length > 0 && (
        <SelectField
          name="template"
          label="Template"
          value={typed.template}
          options={[
            { value: "", label: "None" },
            ...templates.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
      )}
      <p class="buttons">
        <Button icon="send">Send reply</Button>
        {templates.length > 0 && (
          <Button name="use" value="1">
            Use template
          </Button>
        )}
      </p>
    </Form>
  );
}

/** Users that are offered as buttons; of more, one is selected. */
const MAX_BUTTONS = 12;

/** The users to whom a submission can be assigned, behind the name of the one who has it. */
export function AssignMenu({ submission, work, values }: Omit<Props, "typed">) {
  const { caller } = useView();
  const { assignee } = submission;
  const users = [...new Set([...work.users, ...(assignee === null ? [] : [assignee])])];
  const label = assignee === null ? "Assign" : `Assigned to ${assignee === caller?.name ? "you" : assignee}`;
  return (
    <details class="menu" name="menu">
      <summary class="button" aria-keyshortcuts="a">
        <Foreign text={label} />
        <Icon name="chevronDown" kind="tiny" />
      </summary>
      <Form to={`${submissionPath(submission)}/assign`} id="assign" values={values}>
        {users.length > MAX_BUTTONS ? (
          <>
            <SelectField
              name="assignee"
              label="Assign to"
              value={assignee ?? ""}
              options={[
                { value: "", label: "Nobody" },
                ...users.map((name) => ({ value: name, label: name })),
              ]}
            />
            <Button>Assign</Button>
          </>
        ) : (
          <ul>
            {["", ...users].map((name) => (
              <li>
                <Button name="assignee" value={name}>
                  {name === (assignee ?? "") && <Icon name="check" kind="tiny" />}
                  <Foreign text={name === "" ? "Nobody" : name} />
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Form>
    </details>
  );
}

/** The labels of a submission, and notes on it for those who work on it. */
export function WorkForms({ submission, work, typed, values }: Props) {
  const path = submissionPath(submission);
  const { labels } = submission;
  return (
    <>
      {labels.length > 0 && (
        <div class="buttons">
          {labels.map((label) => (
            <ButtonForm
              to={`${path}/label`}
              values={{ ...values, remove: label }}
              kind="low"
              label={`Remove label ${label}`}
            >
              <Foreign text={label} /> ×
            </ButtonForm>
          ))}
        </div>
      )}
      <div class="stack">
        <Form to={`${path}/label`} class="filters" id="label-form" values={values}>
          <TextField
            name="label"
            label="Label"
            value={typed.label}
            error={typed.faults["label"]}
            maxlength={HANDLING_LIMITS.label}
            shortcut="l"
            suggestions={work.labels.filter((label) => !labels.includes(label))}
          />
          <Button>Add label</Button>
        </Form>
        <Form to={`${path}/note`} class="filters" id="note-form" values={values}>
          <AreaField
            name="note"
            label="Note"
            rows={1}
            shortcut="m"
            value={typed.note}
            error={typed.faults["note"]}
          />
          <Button>Add note</Button>
        </Form>
      </div>
    </>
  );
}

/** Senders and words that the form files as spam from then on. */
export function BlockFold({
  submission,
  typed,
  values,
  sender,
}: Omit<Props, "work"> & { sender: string | null }) {
  const to = `${submissionPath(submission)}/block`;
  return (
    <details class="small more-facts" id="block" open={typed.faults["word"] !== undefined}>
      <summary class="soft">Block a sender or a word</summary>
      <div class="stack">
        {sender !== null && (
          <p class="buttons">
            <ButtonForm to={to} values={{ ...values, what: "sender" }}>
              Block sender
            </ButtonForm>
            The form files what <Foreign text={sender} /> sends as spam, or refuses it.
          </p>
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
      </div>
    </details>
  );
}

/** The facts about a submission that are seldom needed, and its JSON. */
export function FactsFold({ view: { submission } }: { view: SubmissionView }) {
  const { id, createdAt, meta, flags, confirmedAt, unsubscribedAt, consent } = submission;
  const name = formOf(submission);
  return (
    <details class="small more-facts" id="facts">
      <summary class="soft">Received, form and id</summary>
      <Facts
        class="row"
        facts={[
          ["Received", <ExactTime at={Date.parse(createdAt)} />],
          ["Form", <A to={formPath(name)}>{name}</A>],
          confirmedAt !== null && ["Confirmed", <ExactTime at={Date.parse(confirmedAt)} />],
          unsubscribedAt !== null && ["Unsubscribed", <ExactTime at={Date.parse(unsubscribedAt)} />],
          consent !== null && ["Agreed to", <ForeignValue text={consent.text} />],
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
      <Json submission={submission} />
    </details>
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
