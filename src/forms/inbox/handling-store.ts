import type { Author } from "../../access/caller.ts";
import type { NewDelivery } from "../../delivery/delivery.ts";
import type { SubmissionMark } from "../submission-state.ts";
import type { HandlingRecord, LabelChange } from "./handling.ts";

/** An answer to a submission, on its way. */
export type NewAnswer = {
  text: string;
  subject: string;
  /** Its `target` is the address. */
  delivery: Pick<NewDelivery, "id" | "target">;
};

/** The part of the port by which people handle submissions. Every method throws `not_found` for an unknown id, and changes nothing. */
export type HandlingStore = {
  /** A text that differs once the submissions of the form of that key may be others, outside the spam folder, or handled otherwise. */
  contentVersion(formKey: string): Promise<string>;
  /** Gives submissions to a user, or with null to none. Returns the ids whose assignee changed. */
  assign(ids: readonly string[], user: string | null, by: Author): Promise<string[]>;
  /** Changes the labels of submissions. Returns the ids that changed. Throws `conflict` for too many. */
  label(ids: readonly string[], labels: LabelChange, by: Author): Promise<string[]>;
  note(id: string, text: string, by: Author): Promise<void>;
  /**
   * Queues an answer, and records it. Returns its delivery: that of the last answer, if that has the same text and author and
   * is younger than a minute, as when a form was sent twice.
   */
  answer(id: string, answer: NewAnswer, by: Author): Promise<string>;
  /** The newest `MAX_EVENTS_KEPT` events of a submission, oldest first; empty for an unknown id. */
  events(id: string): Promise<HandlingRecord[]>;
  /** The labels of the submissions of a form, without repeats: of the newest that have some. */
  labels(formKey: string): Promise<string[]>;
  /**
   * Number of unread submissions in the inboxes of all forms, or of the forms of some projects, that are assigned to a user.
   * Counts up to `limit`, and reads at most 10,000 assigned submissions.
   */
  unreadOf(user: string, limit: number, projects?: readonly string[] | null): Promise<number>;
};

/** A mark that a submission got. `spam` is why it was spam until then, where the mark took it out of that folder. */
export type MarkRecord = { mark: SubmissionMark; spam: string | null; who: string; at: number };
