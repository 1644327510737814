import { AppError } from "../../base/errors.ts";
import { HANDLING_LIMITS } from "../limits.ts";
import { equals } from "../words.ts";

/** Kinds of events of a submission, besides its marks. */
export const HANDLING_KINDS = ["assigned", "labeled", "unlabeled", "noted", "answered"] as const;

export type HandlingKind = (typeof HANDLING_KINDS)[number];

/** An event of a submission. */
export type HandlingRecord = {
  kind: HandlingKind;
  /** The user or null, the label, the note or the answer. */
  text: string | null;
  /** The delivery of an answer. */
  delivery: string | null;
  who: string;
  at: number;
};

/** The member of an event in a timeline that has its text. */
export const TEXT_MEMBERS = {
  assigned: "assignee",
  labeled: "label",
  unlabeled: "label",
  noted: "text",
  answered: "text",
} as const satisfies Record<HandlingKind, string>;

/** The text of an event in a timeline; null for no user. */
export function eventText(event: { event: HandlingKind }): string | null {
  return (event as Record<string, unknown>)[TEXT_MEMBERS[event.event]] as string | null;
}

/** Labels that are put on submissions and taken from them. */
export type LabelChange = { add: readonly string[]; remove: readonly string[] };

/** Whether a text can be a label: on one line, without commas, quotes and spaces around it. */
export function isLabel(text: string): boolean {
  return (
    text.length <= HANDLING_LIMITS.label &&
    /^[^\s,"](?:[^,"]*[^\s,"])?$/u.test(text) &&
    !/\p{Cc}/u.test(text) &&
    text.isWellFormed()
  );
}

/** The labels of a text with commas; none for null. */
export function labelsOf(text: string | null): string[] {
  return text === null ? [] : text.split(",");
}

/** The text of labels; null for none. */
export function labelsText(labels: readonly string[]): string | null {
  return labels.length === 0 ? null : labels.join(",");
}

/** Whether a stored text has labels as {@link labelsText} makes it. */
export function areLabels(text: string): boolean {
  const labels = labelsOf(text);
  return labels.length <= HANDLING_LIMITS.labels && labels.every(isLabel);
}

/** Finds a label, without regard to case. */
export function labelAmong(labels: readonly string[], label: string): string | undefined {
  return labels.find(equals(label));
}

/** The labels after a change. A label that is there stays as it was first written. Throws `conflict` for too many. */
export function changedLabels(
  labels: readonly string[],
  { add, remove }: LabelChange,
): { labels: string[]; added: string[]; removed: string[] } {
  const removed = labels.filter((label) => labelAmong(remove, label) !== undefined);
  const next = labels.filter((label) => !removed.includes(label));
  const added: string[] = [];
  for (const label of add) {
    if (labelAmong(next, label) !== undefined) continue;
    next.push(label);
    added.push(label);
  }
  if (next.length > HANDLING_LIMITS.labels)
    throw new AppError("conflict", `a submission has at most ${HANDLING_LIMITS.labels} labels`);
  return { labels: next.toSorted(), added, removed };
}
