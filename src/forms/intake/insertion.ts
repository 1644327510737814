import type { NewDelivery } from "../../delivery/delivery.ts";
import type { Quota } from "../form.ts";
import type { Measured } from "./measured.ts";
import type { FileInfo } from "../submission.ts";
import type { SubmissionState } from "../submission-state.ts";

/** A submission to store. */
export type StoredSubmission = {
  id: string;
  /** The key of the form, because its slug may be reused. */
  formKey: string;
  /** A JSON object as text, as the sender sent it. */
  data: string;
  files: (FileInfo & { key: string })[];
  createdAt: number;
  /** Without these, it goes to the inbox. */
  conditions?: Conditions | undefined;
  /** Unless it is spam. */
  deliveries?: NewDelivery[] | undefined;
  /** Whether the form is known to fill segments, for which a submission takes a longer way. */
  fills?: boolean | undefined;
  /** Metadata of the sender: a JSON object as text. */
  meta?: string | null;
  /** `SeenFlags` as JSON. */
  flags?: string | null;
  /** Conversions of its visitor, which count unless it is spam. */
  measured?: readonly Measured[] | undefined;
};

/** Something that counts until it expires, in milliseconds since 1970; the hash is hexadecimal. */
export type Mark = { hash: string; expiresAt: number };

/** Checks in the transaction that decide whether a submission is stored, and in which folder. They run in this order. */
export type Conditions = {
  /** With a known key nothing is stored. `content` is the hash of what was sent, which has to be the same. */
  key: (Mark & { content: string }) | null;
  /** Why it is spam, if that was found before. */
  spam: string | null;
  /** Why an external check gave no verdict; stored with the submission. */
  unchecked?: string | null;
  /** Why the filter that learns takes it for spam, which counts if nothing else is found, and never refuses it. */
  learned?: string | null;
  /** Mark of its sender and content: if it is known, the submission is a `duplicate`. */
  recent: Mark | null;
  /** Not null if a challenge is required: of the solved one, whose nonce counts once. */
  challenge: { nonce: Mark | null } | null;
  /** Whether spam is stored. */
  keepsSpam: boolean;
  /** Most submissions outside the spam folder; null for any number. */
  maxSubmissions: number | null;
  /** The limits of the project of the form, if it has some. */
  quota?: Quota | null;
  /** For a form whose senders confirm: what the sender agrees to, as `StoredConsent` in JSON. Unless it is spam, the submission waits. */
  consent?: string | null;
};

/** The reason of an error after which a row may be stored or not: its files stay until their upload note is due. */
export const UNKNOWN_OUTCOME = "unknown-outcome";

/** Outcome of a submission. Only `stored` stored something. */
export type Insertion =
  /**
   * In the spam folder where `spam`, the reason, is not null. It `fills` segments where it may have made members, and `waits`
   * for its sender to confirm.
   */
  | { kind: "stored"; spam: string | null; fills?: boolean; waits?: boolean }
  /** The submission of that id came with the same key and content. */
  | { kind: "replayed"; id: string }
  /** The key came with other content before. */
  | { kind: "other-content" }
  | { kind: "spam"; reason: string }
  /** The form holds as many as it takes. */
  | { kind: "full" }
  /** The forms of the project have taken as many today as they may. */
  | { kind: "quota-day" }
  /** The forms of the project hold as much as they may. */
  | { kind: "quota-storage" };

/** The submission is stored, and not in the spam folder. */
export const IN_INBOX: Insertion = { kind: "stored", spam: null };

/** The folder of a submission that was stored. */
export function folderOf({ spam, waits }: Insertion & { kind: "stored" }): SubmissionState {
  return spam !== null ? "spam" : waits === true ? "unconfirmed" : "inbox";
}
