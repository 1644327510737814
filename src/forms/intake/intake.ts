import { DAY_MS } from "../../base/days.ts";
import { AppError, type FieldError } from "../../base/errors.ts";
import type { NewDelivery } from "../../delivery/delivery.ts";
import { sendsMailItself } from "../../delivery/delivery-status.ts";
import type { Challenger } from "./challenge.ts";
import { type Sender, conditionsFor, predict } from "./conditions.ts";
import { ASSIGNMENT_FIELD, IDEMPOTENCY_FIELD, controlNames, controlText } from "./control-fields.ts";
import { type IntakeTarget, allDeliveriesOf, enabledTargets } from "../deliveries.ts";
import type { Form } from "../form.ts";
import type { Judge } from "../spam/external-checks.ts";
import type { Filter } from "../spam/learning.ts";
import { type FindSpam, compileSpamRules } from "../spam/spam.ts";
import { metadataOf } from "./metadata.ts";
import { type Conditions, IN_INBOX, type Insertion, type StoredSubmission } from "./insertion.ts";
import type { Measured, Visitor } from "./measured.ts";
import type { SentAssignment } from "../seen-flags.ts";
import type { FormsApp } from "../store.ts";
import type * as OptIn from "../opt-in/opt-in.ts";
import type { Sent } from "./sent.ts";
import { openingOf } from "./opening.ts";
import { NOT_SPAM } from "../submission-state.ts";
import { storeSubmission } from "../submissions.ts";

/** The rules of a form, compiled once for all its submissions. */
export type IntakeRules = {
  /** The fields that are cut out of a submission. */
  controlNames: ReadonlySet<string>;
  findSpam: FindSpam;
  /** The filter of its project, which comes last; null for a form that does not learn. */
  filter: Filter | null;
  /** Whether the store decides about every submission. */
  hasConditions: boolean;
  /** Returns the field errors of a submission; null for a form without a schema. */
  findErrors: ((sent: Sent) => FieldError[]) | null;
  /** The code for a form whose senders confirm; null for any other. */
  optIn: typeof OptIn | null;
  /** The enabled targets of the form. */
  targets: IntakeTarget[];
};

export type Receipt = {
  id: string;
  /** Whether the submission of that id was stored before, with the same key. */
  isReplay: boolean;
};

/** A submission that arrives: its content, its form and its sender. */
export type Incoming = {
  form: Form;
  rules: IntakeRules;
  sent: Sent;
  sender: Sender;
  /** Loads the keys of the challenges; called only for a form that requires one. */
  challenger: () => Promise<Challenger>;
  /** Loads the external checks; called only for a form that has some. */
  judge: () => Promise<Judge>;
  /** Receives the reason for each submission that is spam, whether it is stored or refused. */
  countSpam: (reason: string) => void;
  /** Receives an error after the commit. */
  report: (error: unknown) => void;
};

/** Compiles the rules of a form and reads its targets. Throws `unavailable`. */
export async function loadRules(app: FormsApp, form: Form): Promise<IntakeRules> {
  const targets = await enabledTargets(app, form.key);
  return { ...(await compileRules(form)), filter: form.learn ? await loadFilter(app, form) : null, targets };
}

/** Loads the filter with the first form that learns. */
async function loadFilter(app: FormsApp, { project }: Form): Promise<Filter> {
  const { projectFilter } = await import("../spam/learning.ts");
  return projectFilter(app, project);
}

/** Any error is a bug: the settings were checked when they were made. */
async function compileRules(form: Form): Promise<Omit<IntakeRules, "targets" | "filter">> {
  try {
    // Few forms have senders who confirm.
    const optIn = form.optIn === null ? null : await import("../opt-in/opt-in.ts");
    return {
      controlNames: controlNames(form.honeypots),
      findSpam: await compileSpamRules(form),
      hasConditions:
        form.duplicates !== null ||
        form.challenge ||
        form.optIn !== null ||
        form.maxSubmissions !== null ||
        form.checks.length > 0 ||
        form.ofProject?.quota != null,
      optIn,
      findErrors: faultsOf(form, form.schema && (await compileErrors(form.schema)), optIn),
    };
  } catch (error) {
    // An AppError would be shown to the sender, who did not write the schema.
    throw new Error(`the rules of the form ${form.key} cannot be compiled`, { cause: error });
  }
}

/** The errors of the schema, and the fault of the address that confirms unless the schema found one. */
function faultsOf(
  form: Form,
  findErrors: IntakeRules["findErrors"],
  optIn: IntakeRules["optIn"],
): IntakeRules["findErrors"] {
  if (optIn === null) return findErrors;
  return (sent) => {
    const errors = findErrors === null ? NO_ERRORS : findErrors(sent);
    const isKnown = errors.some(({ field }) => field === form.optIn);
    return isKnown ? errors : [...errors, ...optIn.optInFaults(form, sent.fields)];
  };
}

/** Loads the validation with the first schema. */
async function compileErrors(schema: object): Promise<NonNullable<IntakeRules["findErrors"]>> {
  const { compileSchema, validate } = await import("../validation/validation.ts");
  const validation = await compileSchema(schema);
  return ({ fields, source, files }) => validate(validation, fields, source, files);
}

/** Throws `conflict` before a form opens and once it has closed. `now` is in milliseconds since 1970. */
export function checkOpen({ opensAt, closesAt }: Form, now: number): void {
  const opening = openingOf({ opensAt, closesAt }, now);
  if (opening === "early") {
    throw new AppError("conflict", `this form takes no submissions before ${opensAt}`, {
      reason: "form-not-open",
    });
  }
  if (opening === "late") {
    throw new AppError("conflict", `this form has taken no submissions since ${closesAt}`, {
      reason: "form-closed",
    });
  }
}

/** Throws `conflict` for a full form. */
export async function checkRoom(app: FormsApp, { key, maxSubmissions }: Form): Promise<void> {
  if (maxSubmissions === null) return;
  const count = await app.store.submissions.count(key, NOT_SPAM);
  if (count >= maxSubmissions) throw REFUSALS.full();
}

/**
 * Checks and stores a submission. A repeat gets the first answer. Spam goes to its folder. Any other submission must
 * match the schema of the form, which must have room. Throws `forbidden` for spam that the form rejects,
 * `unprocessable` with the errors of the fields, or for a key that was used for other content, `conflict` for a full
 * form, and like {@link storeSubmission}.
 */
export function receiveSubmission(app: FormsApp, incoming: Incoming): Promise<Receipt> {
  const { rules, sent, sender } = incoming;
  const receive = (spam: string | null) => {
    const keyText = sender.idempotencyKey ?? controlText(sent.control, IDEMPOTENCY_FIELD);
    const errors = spam === null && rules.findErrors ? rules.findErrors(sent) : NO_ERRORS;
    const isFiltered = spam === null && errors.length === 0;
    const found = isFiltered ? (rules.filter?.findSpam(sent.fields, incoming.report) ?? null) : null;
    const receiveFound = (learned: string | null) =>
      // The store takes most submissions without conditions, in less time: `npm run bench -- submissions`.
      spam !== null || learned !== null || keyText !== null || rules.hasConditions
        ? receiveOnConditions(app, incoming, { spam, learned, keyText, errors })
        : store(app, incoming, errors, IN_INBOX);
    return found instanceof Promise ? found.then(receiveFound) : receiveFound(found);
  };
  const judge = () => {
    const found = sent.hasHoneypotFile ? "honeypot" : rules.findSpam(sent.fields, sent.control);
    // Without rules for spam, nothing is waited for.
    return found instanceof Promise ? found.then(receive) : receive(found);
  };
  const texts = assignmentsIn(incoming);
  if (texts.length === 0) return judge();
  const judgeWith = (assignment: SentAssignment | null) => {
    sent.assignment = assignment;
    return judge();
  };
  const assignment = app.assignments.read(texts);
  return assignment instanceof Promise ? assignment.then(judgeWith) : judgeWith(assignment);
}

/** The texts that may be the assignment of a sender. */
function assignmentsIn({ sent, sender }: Incoming): readonly string[] {
  const values = sent.control.get(ASSIGNMENT_FIELD);
  if (values === undefined && sender.assignment === null) return NO_TEXTS;
  const listed = (values ?? []).flat().slice(0, MAX_ASSIGNMENTS);
  return [...listed, sender.assignment].filter((each) => typeof each === "string");
}

/** Texts that are read as assignments, each of which costs a hash: a page sends one. */
const MAX_ASSIGNMENTS = 10;

const NO_TEXTS: readonly string[] = [];

type Judged = { spam: string | null; learned: string | null; keyText: string | null; errors: FieldError[] };

async function receiveOnConditions(
  app: FormsApp,
  incoming: Incoming,
  { spam, learned, keyText, errors }: Judged,
): Promise<Receipt> {
  const { form, rules, sent, sender, challenger } = incoming;
  const others = await conditionsFor(app, form, { sent, spam, keyText }, sender, challenger);
  if (rules.optIn) others.consent = await rules.optIn.consentOf(app, form, sender, visitorOf(sent));
  const predicted = await predict(app, form, others, errors.length > 0);
  const conditions = { ...others, learned };
  // The schema comes after repeats and spam, and before the limits.
  const isLimited = predicted.kind === "full" || predicted.kind.startsWith("quota-");
  if (predicted.kind !== "stored" && !isLimited) return receiptOf(app, predicted, "", incoming);
  if (form.checks.length === 0) return store(app, incoming, errors, predicted, conditions);
  if (predicted.kind !== "stored" && errors.length === 0) return receiptOf(app, predicted, "", incoming);
  // The prediction holds, so that nothing comes to the inbox without a judgement.
  const found = predicted.kind === "stored" ? predicted.spam : null;
  const judge = found === null ? judgeOf(incoming, conditions) : undefined;
  return store(app, incoming, errors, predicted, { ...conditions, spam: found }, judge);
}

/** Asks the external checks of the form, and adds what they find to the conditions. */
function judgeOf({ form, judge, sender: { trace = null } }: Incoming, conditions: Conditions) {
  return async (row: StoredSubmission): Promise<Conditions> => {
    const ask = await judge();
    return { ...conditions, ...(await ask(form, row, trace)) };
  };
}

/** Stores a submission, or throws `unprocessable`. */
function store(
  app: FormsApp,
  incoming: Incoming,
  errors: FieldError[],
  predicted: Insertion,
  conditions?: Conditions,
  judge?: (row: StoredSubmission) => Promise<Conditions>,
): Promise<Receipt> {
  const { form, sent, sender, report } = incoming;
  const isSpam = predicted.kind === "stored" && predicted.spam !== null;
  if (errors.length > 0 && !isSpam) {
    throw new AppError("unprocessable", "the submission does not match what this form asks for", { errors });
  }
  const { isAbandoned } = sender;
  const draft =
    form.metadata === "none"
      ? sent
      : { ...sent, meta: JSON.stringify(metadataOf(form.metadata, sender.details())) };
  const deliveries = isSpam ? NO_DELIVERIES : deliveriesFor(app, incoming);
  const storeWith = async (measured: readonly Measured[] | undefined) => {
    const storing = { report, isAbandoned, conditions, deliveries, measured, judge };
    const { id, insertion } = await storeSubmission(app, form, draft, storing);
    if (deliveries.length > 0) app.onQueued();
    return receiptOf(app, insertion, id, incoming);
  };
  const visitor = visitorOf(sent);
  // Conversions of a sender who confirms count then.
  if (visitor === null || isSpam || form.optIn !== null) return storeWith(undefined);
  const measured = app.measuring.conversions(form.key, visitor);
  return measured instanceof Promise ? measured.then(storeWith) : storeWith(measured);
}

/** The visitor whose assignment came with a submission; null for none. */
function visitorOf({ assignment }: Sent): Visitor | null {
  if (!assignment?.pseudonym) return null;
  return { environmentKey: assignment.environmentKey, pseudonym: assignment.pseudonym };
}

const NO_ERRORS: FieldError[] = [];

function deliveriesFor(app: FormsApp, { form, rules, sent, sender }: Incoming): NewDelivery[] {
  const { targets, optIn } = rules;
  if (targets.length === 0 && !sendsMailItself(form)) return NO_DELIVERIES;
  const deliveries = optIn
    ? [optIn.confirmationTo(app, form, optIn.optInAddress(form, sent.fields)!)]
    : allDeliveriesOf(app, form, targets, sent.fields);
  const { trace = null } = sender;
  return trace === null ? deliveries : deliveries.map((each) => ({ ...each, trace }));
}

const NO_DELIVERIES: NewDelivery[] = [];

function receiptOf({ now }: FormsApp, insertion: Insertion, id: string, { countSpam }: Incoming): Receipt {
  if (insertion.kind === "stored") {
    if (insertion.spam !== null) countSpam(insertion.spam);
    return { id, isReplay: false };
  }
  if (insertion.kind === "replayed") return { id: insertion.id, isReplay: true };
  if (insertion.kind === "spam") countSpam(insertion.reason);
  throw REFUSALS[insertion.kind](now());
}

const REFUSALS = {
  "other-content": () =>
    new AppError("unprocessable", "this idempotency key was used for a different submission"),
  spam: () => new AppError("forbidden", "this submission looks like spam, and was not stored"),
  full: () =>
    new AppError("conflict", "this form has reached its maximum number of submissions", {
      reason: "form-full",
    }),
  "quota-day": (now: number) =>
    new AppError("rate_limited", "this form takes no more submissions today", {
      reason: "quota-submissions",
      retryAfter: Math.ceil((DAY_MS - (((now % DAY_MS) + DAY_MS) % DAY_MS)) / 1000),
    }),
  "quota-storage": () =>
    new AppError("conflict", "this form has no room for more submissions", { reason: "quota-storage" }),
};
