import { isoTime } from "../../base/clock.ts";
import { createTurns } from "../../base/event-loop.ts";
import { parseExactly } from "../../base/json/exact-json.ts";
import { membersOf, withoutRepeats } from "../../base/json/json-members.ts";
import { sha256 } from "../../base/sum.ts";
import { boundOfArrivals } from "../inbox/arrival-bound.ts";
import { eachSubmission } from "../inbox/submission-list.ts";
import { type Titler, UNTITLED, titlerOf } from "../inbox/title.ts";
import { FEED_LIMITS } from "../limits.ts";
import type { FormsApp } from "../store.ts";
import type { RawSubmission } from "../submission.ts";
import { NO_COLUMNS } from "../submission-columns.ts";
import { addFields, createColumns, csvLines } from "../transfer/export-csv.ts";
import type { FeedFormat, FoundFeed } from "./feed.ts";
import { filterOf } from "./feeds.ts";

export const FEED_TYPES: Record<FeedFormat, string> = {
  csv: "text/csv; charset=utf-8",
  json: "application/feed+json; charset=utf-8",
  atom: "application/atom+xml; charset=utf-8",
};

/** Differs from the one before where the same submissions make another text. */
const FORMAT = 2;

/** A text that differs where the feed may have another text at a time, made without any submission. */
export async function feedVersion(app: FormsApp, feed: FoundFeed, now: number): Promise<string> {
  const { since } = filterOf(feed, now);
  const [content, form] = await Promise.all([
    app.store.submissions.contentVersion(feed.formKey),
    app.store.forms.findByKey(feed.formKey),
  ]);
  return sha256(JSON.stringify([FORMAT, feed.id, since ?? null, content, form?.updatedAt]));
}

/**
 * The text of a feed at a time, in chunks of about a page each: its submissions, newest first, up to its limit and about
 * `FEED_LIMITS.bytes`. Throws `unavailable`.
 */
export async function* feedChunks(app: FormsApp, feed: FoundFeed, now: number): AsyncGenerator<string> {
  const bound = await boundOfArrivals(app);
  const walk = () =>
    cut(
      feed,
      eachSubmission(app, { key: feed.formKey }, filterOf(feed, now), {
        bound,
        size: Math.min(feed.limit, 100),
      }),
    );
  if (feed.format === "csv") {
    const columns = createColumns([], feed.fields);
    if (feed.fields === null) for await (const page of walk()) addFields(columns, page);
    yield* csvLines(columns, walk());
    return;
  }
  const titler = titlerOf((await app.store.forms.findByKey(feed.formKey)) ?? UNTITLED);
  yield* feed.format === "json" ? jsonFeed(feed, titler, walk()) : atomOf(feed, titler, walk());
}

type Pages = AsyncGenerator<RawSubmission[]>;

/** The submissions that a feed shows, with its fields. */
async function* cut({ limit, fields }: FoundFeed, pages: Pages): Pages {
  let [count, bytes] = [0, 0];
  for await (const page of pages) {
    const shown: RawSubmission[] = [];
    for (const each of page) {
      const next = fields === null ? each : withFields(each, fields);
      bytes += next.data.length;
      if (count === limit || (count > 0 && bytes > FEED_LIMITS.bytes)) {
        yield shown;
        return;
      }
      count += 1;
      shown.push(next);
    }
    yield shown;
  }
}

/** A submission with these fields alone, in their order. */
function withFields(submission: RawSubmission, fields: readonly string[]): RawSubmission {
  const values = new Map<string, string>();
  for (const { name, value } of membersOf(withoutRepeats(submission.data))) values.set(name, value);
  const kept = fields.flatMap((name) =>
    values.has(name) ? [`${JSON.stringify(name)}:${values.get(name)}`] : [],
  );
  return { ...submission, data: `{${kept.join(",")}}`, files: [], ...NO_COLUMNS };
}

/** JSON Feed 1.1, with the data as it was sent: https://www.jsonfeed.org/version/1.1/ */
async function* jsonFeed({ name }: FoundFeed, titler: Titler, pages: Pages): AsyncGenerator<string> {
  const head = { version: "https://jsonfeed.org/version/1.1", title: name };
  yield `${JSON.stringify(head).slice(0, -1)},"items":[`;
  let separator = "";
  yield* inChunks(pages, function* jsonItem({ id, createdAt, data, files }) {
    const values = parseExactly(data) as Record<string, unknown>;
    const title = titler({ data: values, files, createdAt }).title || createdAt;
    const item = { id, title, date_published: createdAt };
    yield `${separator}${JSON.stringify(item).slice(0, -1)},"content_text":"`;
    separator = ",\n";
    for (const line of linesOf(values)) yield JSON.stringify(line).slice(1, -1);
    const names = files.length > 0 ? `,"files":${JSON.stringify(files.map((file) => file.name))}` : "";
    yield `","_formflag":{"data":`;
    yield withoutRepeats(data);
    yield `${names}}}`;
  });
  yield "]}\n";
}

/** Atom: https://www.rfc-editor.org/rfc/rfc4287 */
async function* atomOf(
  { id, name, createdAt }: FoundFeed,
  titler: Titler,
  pages: Pages,
): AsyncGenerator<string> {
  const first = (await pages.next()).value as RawSubmission[] | undefined;
  const updated = first?.[0]?.createdAt ?? isoTime(createdAt);
  yield `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:formflag:feed:${id}</id><title>${xmlText(name)}</title><updated>${updated}</updated><author><name>formflag</name></author>
`;
  const all = async function* (): Pages {
    if (first) yield first;
    yield* pages;
  };
  yield* inChunks(all(), function* entryOf(submission) {
    const values = parseExactly(submission.data) as Record<string, unknown>;
    const at = submission.createdAt;
    const title = titler({ ...submission, data: values }).title || at;
    yield `<entry><id>urn:uuid:${submission.id}</id><title>${xmlText(title)}</title><published>${at}</published><updated>${at}</updated><content type="text">`;
    for (const line of linesOf(values)) yield xmlText(line);
    yield "</content></entry>\n";
  });
  yield "</feed>\n";
}

/** Characters of a chunk, but for one field. */
const CHUNK = 65_536;

/** The parts of each submission, in turns with other requests: one field can have a quarter of a megabyte of quotes. */
async function* inChunks(
  pages: Pages,
  partsOf: (submission: RawSubmission) => Generator<string>,
): AsyncGenerator<string> {
  const takeTurns = createTurns();
  let text = "";
  for await (const page of pages)
    for (const each of page)
      for (const part of partsOf(each)) {
        text += part;
        if (text.length > CHUNK) {
          yield text;
          text = "";
        }
        const turn = takeTurns();
        if (turn !== undefined) await turn;
      }
  yield text;
}

/** A line for each field, with the line break before all but the first. */
function* linesOf(values: object): Generator<string> {
  let lineBreak = "";
  for (const [name, value] of Object.entries(values)) {
    yield `${lineBreak}${name}: ${textOf(value)}`;
    lineBreak = "\n";
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const ESCAPES = [
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["\r", "&#13;"],
] as const;

/** A text in XML 1.0, which has no control characters but tabs and line ends, not even as escapes. */
function xmlText(text: string): string {
  const allowed = text.toWellFormed().replaceAll(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, "\ufffd");
  return ESCAPES.reduce((escaped, [character, escape]) => escaped.replaceAll(character, escape), allowed);
}
