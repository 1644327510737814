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
import { isObject } from "../../../base/json.ts";
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
  query,
  current,
  hasForms,
  hasFolders = false,
  isSelectable = false,
}: { submission: Submission } & Omit<RowsProps, "submissions">) {
  const { id, project, form, data, files, createdAt, state, spam, read } = submission;
  const { from, text } = summaryOf(data);
  return (
    <li id={`row-${id}`} class={read ? undefined : "unread"}>
      {isSelectable && useMayWriteForms(project) && (
        <input type="checkbox" name="submission" value={id} aria-labelledby={`from-${id} at-${id}`} />
      )}
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

/** Characters of a name and of a summary in a list. */
const MAX_NAME = 80;
const MAX_SUMMARY = 160;
/** Fields in a summary beside the sender and the subject. */
const MAX_FIELDS = 6;

const NAMES = /^(full[_ -]?|your[_ -]?)?name$/i;
const FIRST_NAMES = /^(first|given)[_ -]?name$/i;
const LAST_NAMES = /^(last|family|sur)[_ -]?name$/i;
const ADDRESSES = /^(e-?mail|_replyto|mail|from)$/i;
const TOPICS = /^(subject|topic|title)$/i;

/** How a list shows a submission: who sent it, and the first fields in one line. */
export type Summary = { from: string; text: string };

/**
 * The summary of the data of a submission. The sender is the field of a name, of an address, or else the first field;
 * the subject comes first in the text.
 */
export function summaryOf(data: Readonly<Record<string, unknown>>): Summary {
  const fields = Object.entries(data).map(([name, value]) => ({ name, text: oneLine(value) }));
  const filled = fields.filter(({ text }) => text !== "");
  const sender = senderOf(filled);
  const rest = filled.filter((field) => !sender.includes(field));
  const topic = rest.filter(({ name }) => TOPICS.test(name)).slice(0, 1);
  const shown = [...topic, ...rest.filter((field) => !topic.includes(field)).slice(0, MAX_FIELDS)];
  return {
    from: cut(sender.map(({ text }) => text).join(" ") || "No fields", MAX_NAME),
    text: cut(shown.map(({ text }) => text).join(" · "), MAX_SUMMARY),
  };
}

type Field = { name: string; text: string };

function senderOf(filled: readonly Field[]): Field[] {
  const find = (names: RegExp) => filled.filter(({ name }) => names.test(name)).slice(0, 1);
  const choices = [find(NAMES), [...find(FIRST_NAMES), ...find(LAST_NAMES)], find(ADDRESSES)];
  return choices.find((fields) => fields.length > 0) ?? filled.slice(0, 1);
}

/** A value in one line, as far as a summary needs it. */
function oneLine(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.slice(0, 10).map(oneLine).filter(Boolean).join(", ");
  if (isObject(value)) return Object.values(value).slice(0, 10).map(oneLine).filter(Boolean).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const start = text.slice(0, 1000);
  return (/[^\S ]|  /.test(start) ? start.replaceAll(/\s+/g, " ") : start).trim();
}

/** Cut between characters, never inside one. */
function cut(text: string, length: number): string {
  // No text has more characters than units, and nearly all have as many.
  if (text.length <= length) return text;
  if (!/[\ud800-\udfff]/.test(text.slice(0, length + 1))) return `${text.slice(0, length - 1)}…`;
  const characters = Array.from(text.slice(0, 2 * (length + 1)));
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`;
}
