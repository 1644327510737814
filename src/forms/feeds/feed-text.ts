import { isoTime } from "../../base/clock.ts";
import { membersOf, withoutRepeats } from "../../base/json-members.ts";
import { eachSubmission } from "../inbox/submission-list.ts";
import { FEED_LIMITS } from "../limits.ts";
import type { FormsApp } from "../store.ts";
import type { RawSubmission } from "../submission.ts";
import { addFields, createColumns, csvLines } from "../transfer/export-csv.ts";
import type { FeedFormat, FoundFeed } from "./feed.ts";
import { filterOf } from "./feeds.ts";

export const FEED_TYPES: Record<FeedFormat, string> = {
  csv: "text/csv; charset=utf-8",
  json: "application/feed+json; charset=utf-8",
  atom: "application/atom+xml; charset=utf-8",
};

/** Characters of the title of an entry. */
const TITLE = 100;

/**
 * The text of a feed at a time: its submissions, newest first, up to its limit and about `FEED_LIMITS.bytes`. Throws
 * `unavailable`.
 */
export async function feedText(app: FormsApp, feed: FoundFeed, now: number): Promise<string> {
  const submissions = await submissionsOf(app, feed, now);
  if (feed.format === "csv") return csvOf(feed, submissions);
  return feed.format === "json" ? jsonFeed(feed, submissions) : atomOf(feed, submissions);
}

async function submissionsOf(app: FormsApp, feed: FoundFeed, now: number): Promise<RawSubmission[]> {
  const { limit, fields } = feed;
  const found: RawSubmission[] = [];
  let bytes = 0;
  const walk = eachSubmission(app, { key: feed.formKey }, filterOf(feed, now), {
    size: Math.min(limit, 100),
  });
  for await (const page of walk) {
    for (const each of page) {
      const shown = fields === null ? each : withFields(each, fields);
      bytes += shown.data.length;
      if (found.length === limit || (found.length > 0 && bytes > FEED_LIMITS.bytes)) return found;
      found.push(shown);
    }
  }
  return found;
}

/** A submission with these fields alone, in their order. */
function withFields(submission: RawSubmission, fields: readonly string[]): RawSubmission {
  const values = new Map<string, string>();
  for (const { name, value } of membersOf(withoutRepeats(submission.data))) values.set(name, value);
  const kept = fields.flatMap((name) =>
    values.has(name) ? [`${JSON.stringify(name)}:${values.get(name)}`] : [],
  );
  return { ...submission, data: `{${kept.join(",")}}`, files: [], flags: null, assignee: null, labels: [] };
}

async function csvOf({ fields }: FoundFeed, submissions: RawSubmission[]): Promise<string> {
  const columns = createColumns([], fields);
  addFields(columns, submissions);
  let text = "";
  for await (const chunk of csvLines(columns, pagesOf(submissions))) text += chunk;
  return text;
}

async function* pagesOf(submissions: RawSubmission[]): AsyncGenerator<RawSubmission[]> {
  for (let at = 0; at < submissions.length; at += 100) yield submissions.slice(at, at + 100);
}

/** JSON Feed 1.1, with the data as it was sent: https://www.jsonfeed.org/version/1.1/ */
function jsonFeed({ name }: FoundFeed, submissions: RawSubmission[]): string {
  const items = submissions.map(({ id, createdAt, data, files }) => {
    const head = {
      id,
      title: titleOf(data, createdAt),
      date_published: createdAt,
      content_text: contentOf(data),
    };
    const names = files.length > 0 ? `,"files":${JSON.stringify(files.map((file) => file.name))}` : "";
    return `${JSON.stringify(head).slice(0, -1)},"_formflag":{"data":${withoutRepeats(data)}${names}}}`;
  });
  const head = { version: "https://jsonfeed.org/version/1.1", title: name };
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items.join(",\n")}]}\n`;
}

/** Atom: https://www.rfc-editor.org/rfc/rfc4287 */
function atomOf({ id, name, createdAt }: FoundFeed, submissions: RawSubmission[]): string {
  const updated = submissions[0]?.createdAt ?? isoTime(createdAt);
  const entries = submissions.map((each) => {
    const title = xmlText(titleOf(each.data, each.createdAt));
    return `<entry><id>urn:uuid:${each.id}</id><title>${title}</title><published>${each.createdAt}</published><updated>${each.createdAt}</updated><content type="text">${xmlText(contentOf(each.data))}</content></entry>\n`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:formflag:feed:${id}</id><title>${xmlText(name)}</title><updated>${updated}</updated><author><name>formflag</name></author>
${entries.join("")}</feed>
`;
}

/** The first value that a person sees, or else the time. */
function titleOf(data: string, createdAt: string): string {
  for (const value of Object.values(JSON.parse(data) as object)) {
    const text = textOf(value).replaceAll(/\s+/g, " ").trim();
    if (text === "") continue;
    const characters = Array.from(text.slice(0, 2 * TITLE + 2));
    return characters.length > TITLE ? `${characters.slice(0, TITLE - 1).join("")}…` : text;
  }
  return createdAt;
}

/** A line for each field. */
function contentOf(data: string): string {
  const fields = Object.entries(JSON.parse(data) as object);
  return fields.map(([name, value]) => `${name}: ${textOf(value)}`).join("\n");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\r": "&#13;",
};

/** A text in XML 1.0, which has no control characters but tabs and line ends, not even as escapes. */
function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
    .replaceAll(/[&<>"'\r]/g, (character) => ESCAPES[character]!);
}
