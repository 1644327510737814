import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { hasScope, hasScopeSomewhere, requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { recordOf } from "../base/kinds/records.ts";
import type { SetResult } from "../base/result.ts";
import { recordTarget, type TargetChange } from "../delivery/change.ts";
import { DEFAULT_OVERLAP, MAX_SECRETS, MAX_TARGETS } from "../delivery/limits.ts";
import { NOTICES } from "../delivery/notices/notice-card.ts";
import type { Outgoing } from "../delivery/outgoing.ts";
import type { DeliveryOwner } from "../delivery/owner.ts";
import { type GivenRequest, keepsHeaders, requestAfter } from "../delivery/requests/request.ts";
import {
  activeSecrets,
  createWebhookSecret,
  newTarget,
  noSuchTarget,
  parseTarget,
  viewTarget,
  type Target,
  type TargetRecord,
  type TargetView,
} from "../delivery/target.ts";
import type { FormRecord } from "./form.ts";
import type { FormName } from "./form-name.ts";
import { findForm, seesFlagsOf, seesFormsOf } from "./lookup.ts";
import type { FormChange } from "./change.ts";
import type { FormsApp } from "./store.ts";

type FormsChange = FormChange | TargetChange;

type NewTarget = { id: string; secret: string | null };

type SetTarget = { target: TargetView; result: SetResult };

type RotatedSecret = { id: string; secret: string };

/**
 * Adds a target to a form, with the request that it gets, and returns its id with its secret, which is not shown again; null for a chat service. Throws
 * `invalid` for a text that is no target and for what `outgoing.check` refuses, `not_found` for the form, `conflict` past
 * `MAX_TARGETS`, `forbidden`.
 */
export async function addTarget(
  app: FormsApp,
  caller: Caller,
  form: FormName,
  text: string,
  outgoing: Outgoing,
  given: GivenRequest = {},
): Promise<NewTarget> {
  const target = parseTarget(text);
  const request = await requestAfter(target, given, null);
  await findForm(app, caller, "forms:write", form);
  // A plan must not wait for a name service.
  await outgoing.check(target);
  return change(app, caller, async ({ at }): Promise<Plan<FormsChange, NewTarget>> => {
    const owner = await findForm(app, caller, "forms:write", form);
    const { slug, key } = owner;
    if ((await app.store.targets.list(key)).length >= MAX_TARGETS) {
      throw new AppError("conflict", `form "${slug}" has ${MAX_TARGETS} targets, the most there may be`, {
        reason: "target-limit",
      });
    }
    const record = newTarget(
      target,
      { formKey: key, project: null, request, ...recordOf(NOTICES, {}) },
      app.random,
      at,
    );
    return {
      changes: [
        { change: "insertTarget", target: record },
        ...recordTarget({ form: owner }, undefined, record),
      ],
      result: { id: record.id, secret: record.secrets[0]?.secret ?? null },
    };
  });
}

/** The targets of a form, oldest first, at most `MAX_TARGETS`. Throws `not_found` for the form. */
export async function listTargets(app: FormsApp, caller: Caller, form: FormName): Promise<TargetView[]> {
  const owner = await findForm(app, caller, "forms:read", form);
  return (await app.store.targets.list(owner.key)).map((record) => viewTarget(record, { form: owner }));
}

/** The target of that id. Throws `not_found`. */
export async function getTarget(app: FormsApp, caller: Caller, id: string): Promise<TargetView> {
  const { record, owner } = await findTarget(app, caller, "read", id);
  return viewTarget(record, owner);
}

/**
 * Enables or disables a target, or gives it another request, or another URL of its kind, to which what waits is sent too, signed
 * with the same secret. Submissions and notices create no delivery for a disabled one, and deliveries that wait for it are cancelled. Throws
 * `not_found`, `forbidden`, and `invalid` for a text of another kind or that is no target, and for what `outgoing.check` refuses.
 */
export async function setTarget(
  app: FormsApp,
  caller: Caller,
  id: string,
  {
    enabled,
    target: text,
    ...given
  }: { enabled?: boolean | undefined; target?: string | undefined } & GivenRequest,
  outgoing: () => Promise<Pick<Outgoing, "check">>,
): Promise<SetTarget> {
  const moved = text === undefined ? null : parseTarget(text);
  const { kind } = (await findTarget(app, caller, "write", id)).record;
  if (moved !== null && moved.kind !== kind)
    throw new AppError("invalid", `target "${id}" is one of ${kind}: add another target for ${moved.kind}`);
  if (moved !== null) await (await outgoing()).check(moved);
  return change(app, caller, async ({ at }): Promise<Plan<FormsChange, SetTarget>> => {
    const { record, owner } = await findTarget(app, caller, "write", id);
    if (moved !== null && keepsHeaders(given, record.request)) requireSameOrigin(moved, record);
    const target: TargetRecord = {
      ...record,
      enabled: enabled ?? record.enabled,
      url: moved?.url ?? record.url,
      request: await requestAfter(record, given, record.request),
    };
    const isSet = Bun.deepEquals(target, record);
    if (!isSet) target.updatedAt = at;
    return {
      changes: isSet ? [] : [{ change: "updateTarget", target }, ...recordTarget(owner, record, target)],
      result: { target: viewTarget(target, owner), result: isSet ? "unchanged" : "updated" },
    };
  });
}

/** Throws `invalid` for another server: who may set a URL need not know the headers, and would receive them there. */
function requireSameOrigin(moved: Target, before: Target): void {
  if (new URL(moved.url).origin === new URL(before.url).origin) return;
  throw new AppError(
    "invalid",
    `the headers of the target were given for ${new URL(before.url).host}: give their values again for another server, or send none`,
    { reason: "target-header" },
  );
}

/**
 * Gives a webhook a new secret, and returns it; it is not shown again. The secrets before it sign too for `overlapSeconds`,
 * 0 to `MAX_OVERLAP`, unless they end earlier. Throws `not_found`, `invalid` for a chat service, `conflict` if
 * `MAX_SECRETS` would sign, `forbidden`.
 */
export function rotateSecret(
  app: FormsApp,
  caller: Caller,
  id: string,
  overlapSeconds = DEFAULT_OVERLAP,
): Promise<RotatedSecret> {
  return change(app, caller, async ({ at }): Promise<Plan<FormsChange, RotatedSecret>> => {
    const { record, owner } = await findTarget(app, caller, "write", id);
    if (record.kind !== "webhook") {
      throw new AppError("invalid", `target "${id}" sends to ${record.kind}: only webhooks have a secret`, {
        reason: "target-without-secret",
      });
    }
    const end = at + overlapSeconds * 1000;
    const ending = record.secrets.map(({ secret, until }) => ({
      secret,
      until: Math.min(until ?? end, end),
    }));
    const secret = createWebhookSecret(app.random);
    const secrets = activeSecrets({ secrets: [{ secret, until: null }, ...ending] }, at);
    if (secrets.length > MAX_SECRETS) {
      throw new AppError("conflict", `target "${id}" has ${MAX_SECRETS} secrets that have not ended yet`, {
        reason: "target-secrets",
      });
    }
    const target = { ...record, secrets, updatedAt: at };
    const changes: FormsChange[] = [
      { change: "updateTarget", target },
      ...recordTarget(owner, record, target),
    ];
    return { changes, result: { id, secret } };
  });
}

/** Deletes a target; deliveries that wait for it are cancelled. Throws `not_found`, `forbidden`. */
export function deleteTarget(app: FormsApp, caller: Caller, id: string): Promise<void> {
  return change(app, caller, async (): Promise<Plan<FormsChange, void>> => {
    const { record, owner } = await findTarget(app, caller, "write", id);
    const changes: FormsChange[] = [
      { change: "deleteTarget", id },
      ...recordTarget(owner, record, undefined),
    ];
    return { changes, result: undefined };
  });
}

/** Whether a target is of a project in which the caller has the scope. */
export async function mayUseNoticeTarget(
  { store }: FormsApp,
  caller: Caller,
  scope: "flags:read" | "flags:write",
  id: string,
): Promise<boolean> {
  if (!hasScopeSomewhere(caller, scope)) return false;
  const project = (await store.targets.find(id))?.project ?? null;
  return project !== null && hasScope(caller, scope, { project });
}

/** Rights on what a target is of. */
type Access = "read" | "write";

/** A target with what it is of. */
export type OwnedTarget = { record: TargetRecord; owner: DeliveryOwner; form: FormRecord | null };

/** Throws `not_found` for an unknown id, and one that the caller does not see, `forbidden`. */
export async function findTarget(
  { store }: FormsApp,
  caller: Caller,
  access: Access,
  id: string,
): Promise<OwnedTarget> {
  const record = await store.targets.find(id);
  if (record?.project != null) {
    const { project } = record;
    if (!seesFlagsOf(caller, project)) throw noSuchTarget(id);
    requireScope(caller, `flags:${access}`, { project });
    return { record, owner: { project }, form: null };
  }
  const form = record?.formKey == null ? undefined : await store.forms.findByKey(record.formKey);
  if (!record || !form || !seesFormsOf(caller, form.project)) throw noSuchTarget(id);
  requireScope(caller, `forms:${access}`, { project: form.project });
  return { record, owner: { form }, form };
}
