import { DAY_MS } from "../../base/days.ts";
import { findSenderAddress } from "../../delivery/address.ts";
import { allDeliveriesOf, enabledTargets } from "../deliveries.ts";
import { type Form, viewForm } from "../form.ts";
import { ID, OPT_IN_PATHS, createLinkTokens, idBytes, idIn } from "../inbox/link-tokens.ts";
import type { FormsApp } from "../store.ts";
import { noSuchSubmission } from "../submission.ts";
import type { Awaited } from "./opt-in-store.ts";
import { hashNetwork } from "./opt-in.ts";

/** A submission that a link names, and its form. */
export type Linked = { form: Form; isDone: boolean };

export type OptInLinks = {
  /** The link by which the sender of a submission confirms it, until a time in milliseconds since 1970. */
  confirmUrl: (submission: string, until: number) => Promise<string>;
  /** The link by which the sender of a submission unsubscribes. */
  unsubscribeUrl: (submission: string) => Promise<string>;
  /** The submission of a token from either link. Throws `not_found`, and `gone` once the link has expired. */
  find: (action: OptInAction, token: string) => Promise<Linked>;
  /**
   * Confirms the submission of a token for a sender of a network, or unsubscribes its sender: once, however often. Throws as
   * `find`, and `conflict` for a full form.
   */
  act: (action: OptInAction, token: string, network: string) => Promise<Linked>;
};

export type OptInAction = keyof typeof OPT_IN_PATHS;

/** Links for senders who confirm. They begin with `base`, the public URL or a base path. */
export function createOptInLinks(app: FormsApp, base: string): OptInLinks {
  const tokensFor = (secret: string) =>
    createLinkTokens(app, {
      secret,
      size: ID,
      lifetime: 36_525 * DAY_MS,
      missing: "there is nothing to confirm at this address",
    });
  const tokens = { confirm: tokensFor("confirm-links"), unsubscribe: tokensFor("unsubscribe-links") };

  const read = async (action: OptInAction, token: string) => {
    const id = idIn(await tokens[action].read(token));
    const awaited = await app.store.submissions.awaited(id);
    const record = awaited && (await app.store.forms.findByKey(awaited.formKey));
    if (!record || !isShown(action, awaited)) throw noSuchSubmission(id);
    const form = viewForm(record);
    const isDone = (action === "confirm" ? awaited.confirmedAt : awaited.unsubscribedAt) !== null;
    return { id, awaited, form, isDone };
  };

  return {
    confirmUrl: async (submission, until) =>
      `${base}${OPT_IN_PATHS.confirm}/${await tokens.confirm.create(idBytes(submission), until)}`,
    unsubscribeUrl: async (submission) =>
      `${base}${OPT_IN_PATHS.unsubscribe}/${await tokens.unsubscribe.create(idBytes(submission))}`,
    find: read,
    async act(action, token, network) {
      const { id, awaited, form, isDone } = await read(action, token);
      if (isDone) return { form, isDone };
      if (action === "confirm") await confirm(app, form, { id, ...awaited }, network);
      else await app.store.submissions.unsubscribe(id, ownValues(form, awaited), app.now());
      return { form, isDone: true };
    },
  };
}

/** Whether a link still leads to a submission: one that is spam can be confirmed only once it is not. */
function isShown(action: OptInAction, { folder, confirmedAt }: Awaited): boolean {
  return action === "unsubscribe" || confirmedAt !== null || folder === "unconfirmed";
}

async function confirm(
  app: FormsApp,
  form: Form,
  { id, data, consent }: Awaited & { id: string },
  network: string,
): Promise<void> {
  const targets = await enabledTargets(app, form.key);
  const deliveries = allDeliveriesOf(app, form, targets, JSON.parse(data) as object);
  const visitor = consent?.visitor;
  const isNew = await app.store.submissions.confirm(id, {
    at: app.now(),
    address: await hashNetwork(app, network),
    maxSubmissions: form.maxSubmissions,
    deliveries,
    measured: visitor ? await app.measuring.conversions(form.key, visitor) : [],
  });
  if (isNew && deliveries.length > 0) app.onQueued();
}

/** The values by which a sender is a member, in other submissions too: the address. */
function ownValues({ optIn }: Form, { data }: Awaited): string[] {
  const fields = JSON.parse(data) as Record<string, unknown>;
  const address = findSenderAddress(fields, optIn, null);
  return address === null ? [] : [address];
}
