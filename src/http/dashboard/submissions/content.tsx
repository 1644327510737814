import { type RawNumber, scalarText } from "../../../base/json/exact-json.ts";
import { isLargerThan, isStructure } from "../../../base/json.ts";
import { Foreign, ForeignValue, visible } from "../parts/text.tsx";
import { formatBytes } from "../../../base/bytes.ts";
import type { Submission } from "../../../forms/submission.ts";
import { Icon } from "../parts/icon.tsx";
import { A, CopyButton } from "../parts/link.tsx";
import { addressOf, useView } from "../view.ts";
import { Time } from "../parts/time.tsx";
import { Notice } from "../parts/status.tsx";
import { submissionPath } from "./rows.tsx";

/** Characters of a value that a page shows, fewer if several are long. */
const MAX_SHOWN = 20_000;
/** Characters that a page shows of all long values together, and of each at least. */
const MAX_SHOWN_OF_LONG = 200_000;
const MIN_SHOWN = 1000;
/** Members of a value, those of its members included, that are shown a line each; larger ones are shown as JSON. */
const MAX_MEMBERS = 50;
/** Lists and objects in each other that are shown in lines. */
const MAX_DEPTH = 4;

type Props = {
  submission: Submission;
  /** Null if the sender left none. */
  address: string | null;
  title: string;
  labelOf: (field: string) => string;
  choiceOf: (field: string, value: unknown) => unknown;
  /** Characters of all long values together. */
  most?: number;
};

/** The message of a submission, and its other fields in the order in which they came. A field that is the title is left out. */
export function Content({ submission: { data }, address, title, labelOf, choiceOf, most: all }: Props) {
  const fields = Object.entries(data).map(([name, value]) => [name, choiceOf(name, value)] as const);
  if (fields.length === 0) return <p class="soft">It has no fields.</p>;
  const most = shareOf(
    fields.map(([, value]) => value),
    all,
  );
  const message = messageIn(fields, title);
  const others = fields.filter(
    ([name, value]) => name !== message?.[0] && value !== "" && value !== title && value !== address,
  );
  return (
    <>
      {message && (
        <div class="message">
          <Value value={message[1]} most={most} />
        </div>
      )}
      {others.length > 0 && (
        <dl class="pairs">
          {others.map(([name, value]) => (
            <>
              <dt>
                <Foreign text={labelOf(name)} />
              </dt>
              <dd>
                <Value value={value} most={most} />
              </dd>
            </>
          ))}
        </dl>
      )}
    </>
  );
}

/** The field with the longest text, if that is more than a word and not the title. */
function messageIn(fields: readonly (readonly [string, unknown])[], title: string) {
  const texts = fields.filter(
    ([, value]) => typeof value === "string" && (value.length > 60 || /\S\s+\S/.test(value.slice(0, 200))),
  );
  const [longest] = texts.toSorted(([, a], [, b]) => (b as string).length - (a as string).length);
  return longest?.[1] === title ? undefined : longest;
}

/** The address of the sender of a submission, and its time. */
export function Heading({
  submission: { createdAt },
  address,
}: {
  submission: Submission;
  address: string | null;
}) {
  return (
    <>
      {address !== null && (
        <A to="/people" query={{ q: address }}>
          <Foreign text={address} />
        </A>
      )}
      <span class="soft small end">
        <Time at={Date.parse(createdAt)} />
      </span>
    </>
  );
}

/** How many characters of each value are shown: four megabytes of text would take half a second. */
function shareOf(values: readonly unknown[], all = MAX_SHOWN_OF_LONG): number {
  const long = values.filter(
    (each) => isStructure(each) || (scalarText(each) ?? "").length > MIN_SHOWN,
  ).length;
  return Math.max(MIN_SHOWN, Math.min(MAX_SHOWN, Math.floor(all / long)));
}

/** A value of any type, as a person reads it. */
function Value({ value, most }: { value: unknown; most: number }) {
  if (isPlain(value)) return <PlainValue value={value} most={most} />;
  if (membersLeft(value, MAX_MEMBERS, MAX_DEPTH) >= 0) return <Members value={value as object} most={most} />;
  const json = JSON.stringify(value, null, 2);
  return (
    <>
      <pre tabindex={0}>{visible(json.slice(0, most))}</pre>
      <Rest length={json.length} most={most} />
    </>
  );
}

/** A list or an object, a line for each plain value in it. */
function Members({ value, most }: { value: object; most: number }) {
  const memberOf = (each: unknown) =>
    isPlain(each) ? <PlainValue value={each} most={most} /> : <Members value={each as object} most={most} />;
  if (Array.isArray(value))
    return (
      <ul class="values">
        {value.map((each: unknown) => (
          <li>{memberOf(each)}</li>
        ))}
      </ul>
    );
  return (
    <dl class="facts down values">
      {Object.entries(value).map(([name, each]) => (
        <div>
          <dt>
            <Foreign text={name} />
          </dt>
          <dd>{memberOf(each)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many of the members that may be shown a value leaves over; less than 0 if it has more, or is too deep. */
function membersLeft(value: unknown, most: number, depth: number): number {
  if (isPlain(value)) return most;
  const members = Array.isArray(value) ? (value as unknown[]) : Object.values(value as object);
  if (depth === 0 || members.length === 0) return -1;
  let left = most - members.length;
  for (const each of members) {
    if (left < 0) return left;
    left = membersLeft(each, left, depth - 1);
  }
  return left;
}

type Plain = string | number | boolean | RawNumber | null;

function isPlain(value: unknown): value is Plain {
  return !isStructure(value);
}

function PlainValue({ value, most }: { value: Plain; most: number }) {
  if (value === "") return <span class="soft">empty</span>;
  const text = scalarText(value) ?? "null";
  const shown = text.length > most ? text.slice(0, most) : text;
  return (
    <>
      {typeof value === "string" ? <ForeignValue text={shown} /> : <code>{shown}</code>}
      <Rest length={text.length} most={most} />
    </>
  );
}

/** Replaces the end of a long value. */
function Rest({ length, most }: { length: number; most: number }) {
  if (length <= most) return null;
  return <p class="soft small">{(length - most).toLocaleString("en")} more characters: open it as JSON.</p>;
}

/** The files of a submission. `previews` has the numbers of those whose images are shown, from 1. */
export function Files({ submission, previews }: { submission: Submission; previews: ReadonlySet<number> }) {
  const view = useView();
  const path = submissionPath(submission);
  return (
    <ul class="stack" aria-label="Files">
      {submission.files.map(({ field, name, type, size }, index) => (
        <li class="file">
          {previews.has(index + 1) && (
            <A to={`${path}/previews/${index + 1}`} class="preview">
              <img
                src={addressOf(view, `${path}/previews/${index + 1}`)}
                alt={`Preview of ${visible(name)}`}
                loading="lazy"
              />
            </A>
          )}
          <div>
            <A to={`${path}/files/${index + 1}`}>
              <Icon name="download" />
              <Foreign text={name} />
            </A>
            <p class="soft small">
              {formatBytes(size)}, <Foreign text={type} />, field <Foreign text={field} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Characters of JSON that a page holds to be copied. */
const MAX_JSON = 32_768;

/** Characters that change how the text around them looks: JSON may have them escaped. */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The JSON of a submission to be copied; null for a large one, whose JSON would take other requests a quarter of a second. */
function shortJson(submission: Submission): string | null {
  if (isLargerThan(MAX_JSON, submission)) return null;
  const json = JSON.stringify(submission, null, 2).replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return json.length <= MAX_JSON ? json : null;
}

/** The JSON of a submission, to be copied or downloaded. */
export function Json({ submission }: { submission: Submission }) {
  const json = shortJson(submission);
  return (
    <>
      <p class="buttons">
        {json !== null && <CopyButton of="#json">Copy as JSON</CopyButton>}
        <A to={`${submissionPath(submission)}/json`}>Download as JSON</A>
      </p>
      {json !== null && (
        <details id="json-details">
          <summary>Show</summary>
          <pre id="json" tabindex={0}>
            {json}
          </pre>
        </details>
      )}
    </>
  );
}

/** Why a submission is in its folder that its sender has not confirmed. */
export function Unconfirmed() {
  return (
    <Notice>
      <p>
        Its sender was asked by mail to confirm it. It is not delivered and not counted, and deleted if they
        do not.
      </p>
    </Notice>
  );
}
