import type { Caller } from "../access/caller.ts";
import {
  hasScope,
  hasScopeSomewhere,
  requireScope,
  requireScopeSomewhere,
  visibleProjects,
} from "../access/rights.ts";
import { noSuchProject } from "../access/place.ts";
import { isoTime } from "../base/clock.ts";
import { SUBMISSION_ID } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import { MAX_PAGE } from "../base/pages.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import { HOUR_MS } from "../base/days.ts";
import { sha256 } from "../base/sum.ts";
import { mailboxOf, senderAddress } from "../delivery/address.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetails,
  noSuchDelivery,
  type NewDelivery,
} from "../delivery/delivery.ts";
import type { DeliveryStatus } from "../delivery/delivery-status.ts";
import { AUTOREPLY_LIMITS } from "../delivery/limits.ts";
import type { Form } from "./form.ts";
import type { FormName } from "./form-name.ts";
import { type FormSelection, seesFlagsOf, seesFormsOf, selectKeys } from "./lookup.ts";
import type { FormsApp } from "./store.ts";

/** A target as intake knows it. */
export type IntakeTarget = Pick<NewDelivery, "kind" | "target">;

/** The enabled targets of a form. */
export async function enabledTargets(app: FormsApp, formKey: string): Promise<IntakeTarget[]> {
  const targets = await app.store.targets.list(formKey);
  return targets.filter(({ enabled }) => enabled).map(({ id, kind }) => ({ kind, target: id }));
}

/** The deliveries of a submission that is not spam: to the form's targets and to the addresses that it notifies. */
export function deliveriesOf(app: FormsApp, form: Form, targets: readonly IntakeTarget[]): NewDelivery[] {
  const notifications = form.notify.map((target) => ({ kind: "notification" as const, target }));
  return [...targets, ...notifications].map((each) => ({ id: app.nextId(), ...each }));
}

/** The automatic reply to a submission with these fields; null if the form sends none or no address is found. */
function autoreplyTo(app: FormsApp, form: Form, fields: object): NewDelivery | null {
  if (!form.autoreply) return null;
  const target = senderAddress(form, fields);
  if (target === null) return null;
  const now = app.now();
  const limit = {
    hash: autoreplyHash(form.key, target),
    expiresAt: now + AUTOREPLY_LIMITS.apart * 1000,
    since: now - HOUR_MS,
    most: AUTOREPLY_LIMITS.ofForm,
  };
  return { id: app.nextId(), kind: "autoreply", target, limit };
}

/** The deliveries of a submission with these fields that arrives, with the automatic reply. */
export function allDeliveriesOf(
  app: FormsApp,
  form: Form,
  targets: readonly IntakeTarget[],
  fields: object,
): NewDelivery[] {
  const reply = autoreplyTo(app, form, fields);
  return [...deliveriesOf(app, form, targets), ...(reply === null ? [] : [reply])];
}

/** The hash of the mailbox of an address that got an automatic reply of a form, in hex. */
export function autoreplyHash(formKey: string, address: string): string {
  return sha256(JSON.stringify(["autoreply", formKey, mailboxOf(address)]));
}

type Listing = {
  limit: number;
  before: string | null;
  form: FormName | null;
  /** The slug of a project; null for all that the caller sees. */
  project?: string | null;
  submission: string | null;
  status: DeliveryStatus | null;
  /** How many times 1,000 deliveries are searched; without it, until the page is full. */
  searches?: number;
};

/**
 * A page of deliveries that the caller sees, newest first; `next` is where the next page begins. Throws `not_found` for the
 * form and the project, `forbidden`.
 */
export async function listDeliveries(
  app: FormsApp,
  caller: Caller,
  { form, project = null, searches = Number.POSITIVE_INFINITY, ...query }: Listing,
): Promise<{ items: Delivery[]; next: string | null }> {
  const of = await selectDeliveries(app, caller, "read", { form, project });
  // Notices are of no submission.
  const projects = query.submission === null ? of.projects : [];
  const items: Delivery[] = [];
  let before = query.before;
  for (let search = 1; ; search += 1) {
    const limit = query.limit - items.length;
    const page = await app.store.deliveries.page({ ...query, ...of, projects, limit, before });
    items.push(...page.items);
    if (page.next === null || items.length >= query.limit || search >= searches)
      return { items, next: page.next };
    before = page.next;
    await yieldToEventLoop();
  }
}

/** Deliveries of the submissions of some forms, and of the notices of some projects; null is for all. */
type Selected = { formKeys: readonly string[] | null; projects: readonly string[] | null };

/** The deliveries that a caller may see or change. Throws as `selectKeys`, and `forbidden` for a caller without any. */
async function selectDeliveries(
  app: FormsApp,
  caller: Caller,
  access: "read" | "write",
  selection: FormSelection,
): Promise<Selected> {
  const [ofForms, ofFlags] = [`forms:${access}`, `flags:${access}`] as const;
  const { form, project } = selection;
  const reach = project == null ? undefined : { project };
  const mayFlags = reach ? hasScope(caller, ofFlags, reach) : hasScopeSomewhere(caller, ofFlags);
  const mayForms = reach ? hasScope(caller, ofForms, reach) : hasScopeSomewhere(caller, ofForms);
  // Without either, the answer is that of forms.
  const isOfForms = form != null || mayForms || !mayFlags;
  const keys = isOfForms ? await selectKeys(app, caller, ofForms, selection) : new Set<string>();
  if (!isOfForms && project != null && !(await app.store.projects.find(project)))
    throw noSuchProject(project);
  const places = project == null ? visibleProjects(caller, ofFlags) : [project];
  return { formKeys: keys && [...keys], projects: form == null && mayFlags ? places : [] };
}

/**
 * Whether a request for deliveries, as an unchecked body, names only notices of projects in which the caller has the
 * scope.
 */
export async function mayUseNotices(
  app: FormsApp,
  caller: Caller,
  scope: "flags:read" | "flags:write",
  asked: unknown,
): Promise<boolean> {
  if (!hasScopeSomewhere(caller, scope) || !isObject(asked)) return false;
  const { ids, project, form } = asked;
  const isIn = (place: unknown) => typeof place === "string" && hasScope(caller, scope, { project: place });
  if (!Array.isArray(ids)) return form === undefined && isIn(project);
  if (ids.length === 0 || ids.length > MAX_PAGE) return false;
  for (const id of ids) {
    if (typeof id !== "string" || !SUBMISSION_ID.test(id)) return false;
    const delivery = await app.store.deliveries.find(id);
    if (!delivery || delivery.form !== null || !isIn(delivery.project)) return false;
  }
  return true;
}

/** Whether a caller sees a delivery: of a form, or of the notices of a project. */
function seesDelivery(caller: Caller, { form, project }: Delivery): boolean {
  return form === null ? seesFlagsOf(caller, project) : seesFormsOf(caller, project);
}

/** The delivery of that id, with its attempts. Throws `not_found`. */
export async function getDelivery(app: FormsApp, caller: Caller, id: string): Promise<DeliveryDetails> {
  const delivery = await app.store.deliveries.find(id);
  if (!delivery || !seesDelivery(caller, delivery)) throw noSuchDelivery(id);
  return { ...delivery, history: await attemptsOf(app, id) };
}

/** The newest attempts of a delivery, oldest first, `MAX_ATTEMPTS_KEPT` at most. */
export async function attemptsOf(app: FormsApp, id: string): Promise<DeliveryAttempt[]> {
  const attempts = await app.store.deliveries.attempts(id);
  return attempts.map((each) => ({ ...each, at: isoTime(each.at) }));
}

/** Failed deliveries that are queued again in one transaction. */
const STEP = 500;

/** Selects deliveries to send again: by id, or all failed ones, optionally of one form or project. */
export type Retry = { ids: string[] } | ({ failed: true } & FormSelection);

/**
 * Queues deliveries that have ended or wait for their next attempt, and makes all attempts available again. Returns
 * their number. Throws `forbidden`, and `not_found` for a form, a project or an id; then nothing changes.
 */
export async function retryDeliveries(app: FormsApp, caller: Caller, retry: Retry): Promise<number> {
  if (!hasScopeSomewhere(caller, "flags:write")) requireScopeSomewhere(caller, "forms:write");
  await caller.verify();
  const count =
    "ids" in retry ? await retryThese(app, caller, retry.ids) : await retryFailed(app, caller, retry);
  app.onQueued();
  return count;
}

async function retryThese(app: FormsApp, caller: Caller, ids: string[]): Promise<number> {
  const unique = [...new Set(ids)];
  const isLimited = (["forms:write", "flags:write"] as const).some(
    (scope) => visibleProjects(caller, scope) !== null,
  );
  if (isLimited)
    for (const id of unique) {
      const { form, project } = await getDelivery(app, caller, id);
      requireScope(caller, form === null ? "flags:write" : "forms:write", { project });
    }
  await app.store.deliveries.retry(unique, app.now());
  return unique.length;
}

async function retryFailed(app: FormsApp, caller: Caller, selection: FormSelection): Promise<number> {
  const selected = await selectDeliveries(app, caller, "write", selection);
  const now = app.now();
  for (let total = 0; ;) {
    const count = await app.store.deliveries.retryFailed(selected, now, STEP);
    total += count;
    if (count < STEP) return total;
    await yieldToEventLoop();
  }
}
