import { type Telemetry, traceparentOf } from "../../delivery/trace.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { createAddressList } from "../../base/network.ts";
import type { StagedBlob } from "../../blobs/blobs.ts";
import type { Challenger } from "../../forms/intake/challenge.ts";
import type { Form } from "../../forms/form.ts";
import {
  type IntakeRules,
  type Receipt,
  checkOpen,
  loadRules,
  receiveSubmission,
} from "../../forms/intake/intake.ts";
import type { Judge } from "../../forms/spam/external-checks.ts";
import { ASSIGNMENT_HEADER } from "../../forms/intake/control-fields.ts";
import { checkFlag } from "../../forms/intake/open-when.ts";
import type { Sender } from "../../forms/intake/conditions.ts";
import type { SenderDetails } from "../../forms/intake/metadata.ts";
import { type Client, limitKey, networkOf } from "../address.ts";
import { type Report, type Shown, showError } from "../errors.ts";
import type { Guard, SharedRateLimiter } from "../rate-limit.ts";
import { type Body, openBody } from "../body.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import { readDraft } from "./draft.ts";
import { type Entered, nothingEntered } from "../../forms/intake/sent.ts";
import type { Links } from "./links.ts";
import { createHourly } from "../hourly.ts";

/** Mistakes of pages, by the reason of the refusals that follow: what is sent to a form, and how its page is fixed. */
const FAULTS: Record<string, [sent: string, remedy: string]> = {
  "file-lost": [
    "the names of files without the files",
    'add enctype="multipart/form-data" to its form, or let its script send FormData',
  ],
  "not-utf-8": ["text that is not UTF-8", 'add accept-charset="utf-8" to its form'],
};

/**
 * Returns a function that reports a page whose submissions are refused because of how it sends them, at most hourly for
 * each form and mistake: its visitors see the refusal, and they cannot fix the page.
 */
export function createPageFaultReport(now: () => number, { warn }: Pick<Report, "warn">) {
  const write = createHourly(now, warn);
  return ({ key, slug }: Pick<Form, "key" | "slug">, { reason }: Pick<Shown, "reason">): void => {
    const fault = reason !== null && Object.hasOwn(FAULTS, reason) && FAULTS[reason];
    if (!fault) return;
    const [sent, remedy] = fault;
    write(`${reason} ${key}`, `a page sends the form ${slug} ${sent}, which is refused: ${remedy}`);
  };
}

/** How a route that takes submissions answers. */
export type Route = {
  /** Throws `forbidden` or `not_found` if the form does not take submissions here from the page of the request. */
  admit: (form: Form, request: Request) => void;
  stored: (form: Form, prepared: Prepared, receipt: Receipt, request: Request) => Response;
  refused: (shown: Shown, refusal: Refusal) => Response | Promise<Response>;
  /** Whether a refusal shows again what was sent. */
  keeps: boolean;
};

/** A submission that was refused. */
type Refusal = {
  request: Request;
  /** Undefined without one. */
  form: Form | undefined;
  /** Null on a route that keeps nothing. */
  entered: Entered | null;
  headers: Record<string, string>;
};

/** Per-form data that every submission needs, prepared once. */
type Prepared = {
  isBlocked: (address: string) => boolean;
  /** Redirect target of a stored submission. */
  url: string;
  /** The JSON answer up to the id. */
  restPrefix: string;
  /** Once the first submission has loaded it. */
  rules?: IntakeRules;
  loading?: Promise<IntakeRules>;
};

/** Dependencies of the routes that receive submissions. */
export type SubmissionHandler = {
  /** Takes in the submission of a request, and answers it as the route does. */
  receive: (request: Request, formKey: string, client: () => Client, route: Route) => Promise<Response>;
  /** Throws, at once or later, if a sender may not post to a form, or posts too often. */
  admit: (
    form: Form,
    request: Request,
    client: () => Client,
    count: SharedRateLimiter,
    route: Route,
  ) => void | Promise<void>;
};

/** Everything that the two functions of {@link SubmissionHandler} use. */
type Parts = {
  app: App;
  links: Links;
  report: Report;
  guard: Guard;
  challenger: () => Promise<Challenger>;
  judge: () => Promise<Judge>;
  findForm: (key: string) => Form | undefined | Promise<Form | undefined>;
  countSubmission: SharedRateLimiter;
  /** Begins the span of a request; null without a collector. */
  spanOf: Telemetry["spanOf"] | null;
};

/** Receives submissions, for any route. */
export function createSubmissionHandler(parts: Parts): SubmissionHandler {
  const { app, report, guard, challenger, judge, findForm, countSubmission, spanOf } = parts;
  const prepare = preparer(parts.links);
  const reportPageFault = createPageFaultReport(app.now, report);

  const admit: SubmissionHandler["admit"] = (form, request, client, count, route) => {
    if (!form.enabled) throw new AppError("conflict", "this form is closed");
    if (form.blockedSenders.length > 0 && prepare(form).isBlocked(client().address)) {
      throw new AppError("forbidden", "this form takes no submissions from your address");
    }
    route.admit(form, request);
    const network = form.rateLimit && limitKey(client());
    if (form.rateLimit && network !== null) return count(`${form.key} ${network}`, form.rateLimit);
  };

  const receive: SubmissionHandler["receive"] = async (request, formKey, client, route) => {
    let opened: Body | undefined;
    const body = () => (opened ??= openBody(request));
    const staged: StagedBlob[] = [];
    const entered = route.keeps ? nothingEntered() : null;
    let form: Form | undefined;
    let receipt: Receipt;
    let leave: (() => void) | undefined;
    try {
      leave = guard(client);
      const finding = findForm(formKey);
      form = finding instanceof Promise ? await finding : finding;
      if (!form) throw noSuchAddress();
      // Without a wait in front, the body is read in less time: `npm run bench -- submissions`.
      const admitted = admit(form, request, client, countSubmission, route);
      if (admitted) await admitted;
      checkOpen(form, app.now());
      const flagged = form.openWhen === null ? undefined : checkFlag(app.flags, form, request.headers);
      if (flagged) await flagged;
      const idempotencyKey = idempotencyKeyOf(request);
      const ready = prepare(form);
      const rules = ready.rules ?? (await load(app, ready, form));
      const sent = await readDraft(app, form, request, body, staged, rules.controlNames, entered);
      const sender: Sender = {
        network: () => networkOf(client().address),
        idempotencyKey,
        assignment: request.headers.get(ASSIGNMENT_HEADER),
        trace: spanOf === null ? null : traceparentOf(spanOf(request)),
        details: () => detailsOf(request, client()),
        // The runtime closes a connection with further bytes behind the body, and notices one that its sender closed: see reliability.md.
        isAbandoned: () => request.signal.aborted,
      };
      receipt = await receiveSubmission(app, {
        form,
        rules,
        sent,
        sender,
        challenger,
        judge,
        countSpam: report.spam,
        report: (cause) => report.error(cause, request),
      });
      if (receipt.isReplay) await discardAll(staged, report);
    } catch (error) {
      const shown = showError(error, report, request);
      if (form) reportPageFault(form, shown);
      // A rate limit counts before the body is read.
      if (entered && form && shown.code === "rate_limited")
        await keepTexts(app, form, request, body, entered);
      await discardAll(staged, report);
      const isDrained = await body().drain();
      const headers = isDrained ? shown.headers : { ...shown.headers, Connection: "close" };
      return await route.refused(shown, { request, form, entered, headers });
    } finally {
      leave?.();
    }
    return route.stored(form, prepare(form), receipt, request);
  };
  return { receive, admit };
}

/** Prepares forms, each once: a form that changes is read as a new object. */
function preparer(links: Links): (form: Form) => Prepared {
  const prepared = new WeakMap<Form, Prepared>();
  return (form) => {
    const known = prepared.get(form);
    if (known) return known;
    // Encodes characters of the address that a header cannot hold.
    const url = form.successUrl === null ? links.thanks(form) : new URL(form.successUrl).href;
    const created: Prepared = {
      url,
      isBlocked: createAddressList(form.blockedSenders),
      restPrefix: restPrefixOf(url, form.optIn === null ? RECEIVED : TO_CONFIRM),
    };
    prepared.set(form, created);
    return created;
  };
}

/** Keeps the fields of a submission, and no file. */
async function keepTexts(
  app: App,
  form: Form,
  request: Request,
  body: () => Body,
  entered: Entered,
): Promise<void> {
  try {
    await readDraft(app, { ...form, uploads: false }, request, body, [], new Set(), entered);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  for (const file of entered.files) file.error = null;
}

/** The error for an address that belongs to no form. */
export function noSuchAddress(): AppError {
  return new AppError(
    "not_found",
    "there is no form at this address, which ends in the key of a form, not its name",
  );
}

async function load(app: App, prepared: Prepared, form: Form): Promise<IntakeRules> {
  prepared.loading ??= loadRules(app, form);
  try {
    return (prepared.rules = await prepared.loading);
  } catch (error) {
    delete prepared.loading;
    throw error;
  }
}

function detailsOf({ headers }: Request, { address }: Client): SenderDetails {
  return {
    address,
    userAgent: headers.get("user-agent"),
    referrer: headers.get("referer"),
    language: headers.get("accept-language"),
  };
}

const RECEIVED = "Thank you, your submission was received.";
const TO_CONFIRM = "A message was sent to your address: open the link in it to confirm your submission.";

function restPrefixOf(url: string, message: string): string {
  const answer = { code: 200, success: true, message, url };
  return `${JSON.stringify(answer).slice(0, -1)},"id":"`;
}

/** Removes the files of a refused or failed submission; a file that cannot be removed goes at the next start. */
async function discardAll(staged: StagedBlob[], report: Report): Promise<void> {
  for (const result of await Promise.allSettled(staged.map((blob) => blob.discard()))) {
    if (result.status === "rejected") report.error(result.reason);
  }
}
