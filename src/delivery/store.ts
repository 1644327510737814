import type { Delivery, DeliveryKind, Lane, Pace } from "./delivery.ts";
import type { DeliveryStatus } from "./delivery-status.ts";
import type { TargetRecord } from "./target.ts";
import type { SeenVariants } from "./text.ts";

type TargetStore = {
  /** The targets of the form of that key, oldest first. */
  list(formKey: string): Promise<TargetRecord[]>;
  /** The targets of a project itself, oldest first. Throws `not_found`. */
  ofProject(project: string): Promise<TargetRecord[]>;
  find(id: string): Promise<TargetRecord | undefined>;
};

/** A delivery that its holder leases until it records a result. */
export type ClaimedDelivery = {
  id: string;
  /** Null for a delivery of notices. */
  submission: string | null;
  kind: DeliveryKind;
  target: string;
  attempts: number;
  /** Status code of the last attempt. */
  code: number | null;
  error: string | null;
  /** The span of the request that made it, as `traceparent`. */
  trace: string | null;
};

/** The result of a delivery that was claimed. `dueAt` is the next attempt, or the time at which an ended one is removed. */
export type SettledDelivery = {
  id: string;
  status: DeliveryStatus;
  attempts: number;
  dueAt: number;
  code: number | null;
  error: string | null;
  /** When the attempt began, and its milliseconds; absent if none was made. */
  attempt?: AttemptTime;
};

type AttemptTime = { at: number; duration: number };

/** An attempt that has ended. */
export type AttemptRecord = AttemptTime & { code: number | null; error: string | null };

/** One exchange of an outbox with the store, in one transaction: results, renewed leases, a new claim. */
export type OutboxTurn = {
  /** Name of the holder of leases, which stays the same when the server restarts. */
  holder: string;
  /** Until when deliveries are due, by the clock of this process. */
  now: number;
  /** Until when leases have ended, and until when those of this turn last, by the clock of the database. */
  databaseNow: number;
  leaseUntil: number;
  settled: SettledDelivery[];
  /** Deliveries whose lease is renewed. */
  renewed: string[];
  /** Lanes of which nothing is claimed. */
  blocked: Lane[];
  /** The lane behind which a claim begins, so that lanes with many deliveries leave some of the limit to others. */
  after: Lane | null;
  /** Most deliveries that are claimed, of one lane and in all. */
  perLane: number;
  limit: number;
};

/** The content of a delivery. */
export type DeliveryContent = {
  form: DeliveryForm;
  submission: {
    id: string;
    /** A JSON object, as it was sent. */
    data: string;
    /** Milliseconds since 1970. */
    createdAt: number;
    /** The folder. */
    state: string;
    spam: string | null;
    /** When its sender confirmed it, and unsubscribed, in ISO 8601; null for not. */
    confirmedAt: string | null;
    unsubscribedAt: string | null;
    /** The variants of flags that the sender got; null for none. */
    flags: SeenVariants;
    files: DeliveryFile[];
    /** Everything else that the admin API shows of it. */
    [column: string]: unknown;
  };
  /** The language of its sender, where the form has that; null for none. */
  language: string | null;
  /** Submissions in the spam folder of the form. */
  spamCount: number;
};

/** The title of the submission of a delivery, as lists have it; empty if it has nothing. */
export type TitleOfContent = (content: DeliveryContent) => string;

/** An answer that a user wrote. `thread` is the id of the message that all answers to its submission refer to. */
export type AnswerContent = { text: string; subject: string; thread: string };

/** The notices of a delivery. Times are milliseconds since 1970. */
export type NoticeContent = {
  /** The slug of the project. */
  project: string;
  environment: string | null;
  /** The event, or `DIGEST`. */
  event: string;
  since: number;
  until: number;
  /** How many there are, and the first of them as JSON. */
  count: number;
  notices: string[];
};

/** The settings of a form that deliveries follow. */
type DeliveryForm = {
  project: string;
  /** The sender of mail about its submissions, as text; null for that of the server. */
  mailFrom: string | null;
  slug: string;
  name: string;
  key: string;
  schema: Record<string, unknown> | null;
  titleField: string | null;
  notifySubject: string | null;
  emailField: string | null;
  attach: number;
  /** The zone of times in mail; null for UTC. */
  timeZone: string | null;
  autoreplySubject: string | null;
  autoreplyText: string | null;
  /** Seconds. */
  optInWithin: number;
  optInSubject: string | null;
  optInText: string | null;
  language: string | null;
};

export type DeliveryFile = { field: string; name: string; type: string; size: number; sha256: string };

export type DeliveryQuery = {
  limit: number;
  before: string | null;
  /** Forms whose deliveries are meant; null for every form. */
  formKeys: readonly string[] | null;
  /** Projects whose notices are meant; null for every project. */
  projects: readonly string[] | null;
  submission: string | null;
  status: DeliveryStatus | null;
};

/** A digest that is sent at `at`, in milliseconds since 1970, with `count` notices so far. */
export type WaitingDigest = { project: string; target: string; at: number; count: number };

/** Whether an automatic reply may be sent: now, perhaps later since another one is being sent, or not any more. */
export type ReplyHold = "held" | "pending" | "sent";

type DeliveryStore = {
  /** Newest first: at most `limit`, of at most `MAX_SCANNED`; `next` is the id to go on before, null at the end. */
  page(query: DeliveryQuery): Promise<{ items: Delivery[]; next: string | null }>;
  find(id: string): Promise<Delivery | undefined>;
  /** The newest `MAX_ATTEMPTS_KEPT` attempts of a delivery, oldest first; empty for an unknown id. */
  attempts(id: string): Promise<AttemptRecord[]>;
  /** Records results, renews leases and claims due deliveries, in the order of the lanes from `after` on. */
  turn(turn: OutboxTurn): Promise<ClaimedDelivery[]>;
  /** The clock of the database in milliseconds since 1970, by which leases end: those of its servers may differ. */
  clock(): Promise<number>;
  /** When the next delivery outside the blocked lanes is due, in milliseconds since 1970; null for never. */
  nextAt(blocked: readonly Lane[]): Promise<number | null>;
  /** Ends the leases of a holder. */
  release(holder: string, now: number): Promise<void>;
  /** The content of a delivery; undefined if its submission or form was deleted. */
  content(submission: string): Promise<DeliveryContent | undefined>;
  /** The answer that a delivery of that id carries; undefined for one of another kind. */
  answer(id: string): Promise<AnswerContent | undefined>;
  /** The template of a welcome; null once its sender is no approved member of the segment, or that has no welcome. */
  welcome(id: string): Promise<string | null>;
  /** The notices of a delivery of that id; undefined if their project was deleted. */
  notices(id: string): Promise<NoticeContent | undefined>;
  /**
   * Records of at most `limit` deliveries by mail, due behind `after` and until `now`, that they wait for a mail server.
   * Returns whether any may be left.
   */
  explainMail(after: number, now: number, limit: number): Promise<boolean>;
  /** Cancels at most `limit` queued deliveries whose target is disabled or was deleted. Returns whether any may be left. */
  cancelTargetless(removeAt: number, limit: number): Promise<boolean>;
  /**
   * Queues deliveries at `now` with all attempts before them, unless they are being sent. Throws `not_found` for an
   * unknown id, and changes nothing.
   */
  retry(ids: readonly string[], now: number): Promise<void>;
  /**
   * Queues at most `limit` failed deliveries again, of the forms of some keys and the notices of some projects; null is for
   * every one. Returns how many.
   */
  retryFailed(of: Pick<DeliveryQuery, "formKeys" | "projects">, now: number, limit: number): Promise<number>;
  /**
   * Removes at most `limit` ended deliveries that are due for it; those of spam that were cancelled are kept until `later`.
   * Returns whether any may be left.
   */
  clearEnded(now: number, later: number, limit: number): Promise<boolean>;
  /** Records an alert about a target until `until`, unless an earlier one has not expired. Returns whether it did. */
  claimAlert(target: string, now: number, until: number): Promise<boolean>;
  /** Records that something is sent now, by a pace that waits; if it may not be yet, returns when it may, and records nothing. */
  admit(pace: Pace, now: number): Promise<number>;
  /** Takes back what `admit` recorded for a time. */
  giveBack(pace: Pace, at: number): Promise<void>;
  /** Records until when a mailbox, by its hash, is sent no other automatic reply than a delivery, unless that holds for another one. */
  holdReply(hash: string, delivery: string, now: number, until: number): Promise<ReplyHold>;
  /** Takes back what `holdReply` recorded for a delivery. */
  releaseReply(hash: string, delivery: string): Promise<void>;
  /** How many deliveries of some projects are queued; no more than `atMost` are counted. Default: of all. */
  countQueued(atMost: number, projects?: readonly string[] | null): Promise<number>;
  /** The digests that wait to be sent in some projects, or with null in all: at most `limit`, the next one first. */
  digests(projects: readonly string[] | null, limit: number): Promise<WaitingDigest[]>;
  /** How many deliveries have failed, in the same way. */
  countFailed(atMost: number, projects?: readonly string[] | null): Promise<number>;
};

export type DeliveriesStore = { targets: TargetStore; deliveries: DeliveryStore };
