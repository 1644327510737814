import { isObject, isStructure } from "../../base/json.ts";
import type { ChatMessage } from "../outgoing.ts";
import type { NoticeContent } from "../store.ts";
import { oneLine } from "../text.ts";
import type { FieldChange } from "./change-notice.ts";
import { DIGEST, type NoticeType } from "./notice-types.ts";

/** Characters of a value, a name and a reason. */
const MAX_TEXT = 200;

/** A notice as it is stored. */
export type Notice = {
  type: NoticeType;
  data: {
    project: string;
    environment: string | null;
    name: string;
    revision: number;
    who: string;
    why: string | null;
    changes: FieldChange[];
    dropped?: string | null;
    /** The proposed change that a notice is about. */
    change?: { summary: string; via: string | null; impact?: { lines: readonly string[] } };
  };
};

/** The words of a member that a change set, such as a rule; null for one that is shown as its value. */
export type ChangeInWords = (field: string, value: unknown) => string | null;

/** The addresses of pages of the dashboard; null if the server does not know its address. */
export type NoticePages = {
  ofNotice: (notice: Notice) => string | null;
  /** The history of a project or an environment. */
  ofProject: (project: string, environment: string | null) => string | null;
};

/** The page of the notices of a delivery: that of the only one, or the history for a digest. */
export function pageOf(
  { event, project, environment, notices }: NoticeContent,
  pages: NoticePages,
): string | null {
  return event === DIGEST
    ? pages.ofProject(project, environment)
    : pages.ofNotice(JSON.parse(notices[0]!) as Notice);
}

/** The message for people about the notices of a delivery: plain texts without markup, and the address of its page. */
export function noticeMessage(
  content: NoticeContent,
  inWords: ChangeInWords,
  pages: NoticePages,
): ChatMessage {
  const link = pageOf(content, pages) ?? "";
  const notices = content.notices.map((text) => JSON.parse(text) as Notice);
  if (content.event === DIGEST) return { ...digestMessage(content, notices), link };
  const [notice] = notices as [Notice];
  const { why, changes } = notice.data;
  const fields = changes.map(({ field, before, after }) => {
    const text = (value: unknown) => oneLine(inWords(field, value) ?? textOf(value), MAX_TEXT);
    return [field === "targeting" ? "rule" : field, `${text(before)} → ${text(after)}`] as const;
  });
  return {
    title: `${placeOf(notice)}: ${eventOf(notice)}`,
    // Fields are cut from the end.
    fields: [
      ...(why === null ? [] : [["Reason", oneLine(why, MAX_TEXT)] as const]),
      ...fields,
      ...(notice.data.change?.impact?.lines ?? []).map(
        (line) => ["Impact", oneLine(line, MAX_TEXT)] as const,
      ),
    ],
    link,
  };
}

function digestMessage(
  { project, environment, count }: NoticeContent,
  notices: Notice[],
): Omit<ChatMessage, "link"> {
  const place = environment === null ? project : `${project}/${environment}`;
  const left = count - notices.length;
  return {
    title: `${place}: ${count} ${count === 1 ? "change" : "changes"}`,
    fields: [
      ...notices.map((notice) => [placeOf(notice), eventOf(notice)] as const),
      ...(left > 0 ? [["More", String(left)] as const] : []),
    ],
  };
}

function placeOf({ data: { project, environment } }: Notice): string {
  return environment === null ? project : `${project}/${environment}`;
}

/** `search changed by ann`. */
function eventOf({ type, data }: Notice): string {
  const { change } = data;
  // An assistant proposes for its author; people alone review.
  const via = type === "change.proposed" && change?.via ? ` via ${change.via}` : "";
  const name = oneLine(change?.summary ?? data.name, MAX_TEXT);
  const who = oneLine(data.who + via, MAX_TEXT);
  if (type === "flag.scheduled")
    return data.dropped == null
      ? `a change of ${name} scheduled by ${who}`
      : `a scheduled change of ${name} dropped: ${oneLine(data.dropped, MAX_TEXT)}`;
  const isDeleted = data.changes.length > 0 && data.changes.every(({ after }) => after === null);
  return WORDS[type](name, who, isDeleted ? "deleted" : "changed");
}

const WORDS: Record<
  Exclude<NoticeType, "flag.scheduled">,
  (name: string, who: string, done: string) => string
> = {
  "flag.changed": (name, who, done) => `${name} ${done} by ${who}`,
  "flag.expired": (name) => `${name} expired`,
  "flag.stale": (name) => `${name} is stale`,
  "flag.removable": (name) => `${name} is done and can be removed`,
  "segment.changed": (name, who, done) => `segment ${name} ${done} by ${who}`,
  "segment.full": (name) => `segment ${name} is full`,
  "environment.changed": (name, who, done) => `environment ${name} ${done} by ${who}`,
  "ramp.stepped": (name) => `the ramp of ${name} took a step`,
  "ramp.paused": (name) => `the ramp of ${name} was paused`,
  "ramp.ended": (name) => `the ramp of ${name} ended`,
  "guard.fired": (name) => `a guard of ${name} fired`,
  "experiment.started": (name, who) => `experiment ${name} started by ${who}`,
  "experiment.paused": (name) => `experiment ${name} was paused`,
  "experiment.ended": (name) => `experiment ${name} ended`,
  "experiment.decided": (name) => `experiment ${name} was decided`,
  "change.proposed": (name, who) => `${who} proposed: ${name}`,
  "change.approved": (name, who) => `${who} approved: ${name}`,
  "change.applied": (name, who) => `${who} applied: ${name}`,
  "change.rejected": (name, who) => `${who} rejected: ${name}`,
};

/** A value: on or off for a state, `none` for no value, lists and simple objects with commas. */
function textOf(value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((each) => !isStructure(each))) return value.join(", ") || "none";
  if (isObject(value) && Object.values(value).every((each) => !isStructure(each)))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${JSON.stringify(each)}`)
      .join(", ");
  return JSON.stringify(value);
}
