import type { SetupChange } from "../../../../src/documents/setup.ts";
import { dropFlag, dropSegment, putFlag } from "../../../../src/flags/plan.ts";
import { deleteFormChange } from "../../../support/records/apply.ts";
import { NOW, targetRecord, tokenCalled, userCalled } from "../../../support/records/records.ts";
import { OTHER_HASH, type Shop } from "../shop.ts";
import type { Call, Own } from "./call.ts";

/** A change as the door makes it: planned on the version that it has read. */
export const change =
  (make: (shop: Shop, own: Own) => SetupChange): Call =>
  async (store, shop, own) => {
    const { version } = await store.readVersion();
    await store.apply([make(shop, own)], version, shop.by);
  };

export const CHANGES = {
  "put a flag": change(({ place, flag }) => putFlag(place, flag, { ...flag, enabled: true })),
  "delete a flag": change(({ flag }) => dropFlag("shop", "sale", new Map([["live", flag]]))),
  "delete a segment": change(() =>
    dropSegment({ project: "shop", environment: "live", segment: "staff" }, { rule: "true" }),
  ),
  "delete a scheduled change": change(({ scheduled }) => ({
    change: "deleteScheduled",
    project: "shop",
    environment: scheduled.environment,
    id: scheduled.id,
    history: null,
  })),
  "delete a project": change(() => ({ change: "deleteProject", project: "shop", history: null })),
  "set a form": change(({ form }) => ({
    change: "updateForm",
    project: "default",
    form: { ...form, enabled: false },
  })),
  "delete a form": change(({ form }) => deleteFormChange(form)),
  "delete an empty form": change(({ empty }) => deleteFormChange(empty, true)),
  "set a target": change(({ target }) => ({ change: "updateTarget", target: { ...target, enabled: false } })),
  "delete a target": change(({ target }) => ({ change: "deleteTarget", id: target.id })),
  "reset factors": change(() => ({ change: "resetFactors", name: "eve" })),
  "renew recovery codes": change((_, { hash }) => ({
    change: "setRecoveryCodes",
    name: "eve",
    recovery: [hash],
    keep: null,
  })),
  "delete a token": change(() => ({ change: "deleteToken", name: "ci" })),
  "add a token": change((_, { hash }) => ({ change: "insertToken", token: tokenCalled("new"), hash })),
  "add a user": change(() => ({ change: "insertUser", user: userCalled("ben") })),
  "set a password": change(() => ({ change: "setPassword", name: "ann", password: "hash", keep: null })),
  "delete a user": change(() => ({ change: "deleteUser", name: "ann" })),
  "set a user": change(() => ({ change: "updateUser", name: "ann", role: "editor" })),
  "add a code": change((_, { hash }) => ({
    change: "setTotp",
    name: "ann",
    key: Buffer.from("key"),
    step: 1,
    recovery: [hash],
    at: NOW,
    keep: null,
  })),
  "delete a code": change(() => ({ change: "deleteTotp", name: "eve", keep: null })),
  "add a passkey": change(({ factors }, { hash }) => ({
    change: "insertPasskey",
    name: "eve",
    passkey: { ...factors.passkey, id: "kkkk-kkkk-kkkk", credential: Buffer.from(hash, "hex") },
    challenge: { hash: OTHER_HASH, expiresAt: NOW + 1000 },
    keep: null,
  })),
  "rename a passkey": change(({ factors }, { name }) => ({
    change: "renamePasskey",
    name: "eve",
    id: factors.passkey.id,
    label: name,
  })),
  "delete a passkey": change(({ factors }) => ({
    change: "deletePasskey",
    name: "eve",
    id: factors.passkey.id,
    keep: null,
  })),
  "set an identity": change(() => ({
    change: "putIdentity",
    user: "eve",
    issuer: "https://id.example.com",
    subject: "eve",
    at: NOW,
  })),
  "delete an identity": change(() => ({ change: "deleteIdentity", user: "ann" })),
  "set a role by groups": change(() => ({ change: "setGroupRole", user: "ann", role: "admin" })),
  "add a target": change(({ ordered }, { name }) => ({
    change: "insertTarget",
    target: targetRecord(ordered.key, { id: `tttt-tttt-ttt${name.toLowerCase()}`, secrets: [] }),
  })),
} satisfies Record<string, Call>;
