import type { NewDelivery } from "../../delivery/delivery.ts";
import type { Measured } from "../intake/measured.ts";
import type { SubmissionState } from "../submission-state.ts";
import type { StoredConsent } from "./consent.ts";

/** A submission, for its sender. */
export type Awaited = {
  formKey: string;
  folder: SubmissionState;
  /** A JSON object as text. */
  data: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Times in ISO 8601; null for not yet. */
  confirmedAt: string | null;
  unsubscribedAt: string | null;
  /** Null for a form that does not ask its senders. */
  consent: StoredConsent | null;
};

/** A confirmation: when, in milliseconds since 1970, by whom, and what follows from it. */
export type Confirming = {
  at: number;
  /** A hash of the network. */
  address: string | null;
  /** Most submissions that the form holds; null for any number. */
  maxSubmissions: number | null;
  deliveries: readonly NewDelivery[];
  measured: readonly Measured[];
};

/** The part of the port of submissions for senders who confirm and unsubscribe. */
export type OptInStore = {
  /** A submission, for its sender; undefined for an unknown id. */
  awaited(id: string): Promise<Awaited | undefined>;
  /**
   * Moves a submission that waits for its sender to the inbox, as one that arrives then. Returns false, and changes nothing, for one
   * that was confirmed before. Throws `not_found` for one that does not wait, `conflict` for a full form.
   */
  confirm(id: string, confirming: Confirming): Promise<boolean>;
  /**
   * Takes the sender of a submission out of the segments that its form fills, by some values in other submissions too, and marks
   * these submissions at a time. Returns false, and changes nothing, for one that was marked before. Throws `not_found`.
   */
  unsubscribe(id: string, values: readonly string[], at: number): Promise<boolean>;
};
