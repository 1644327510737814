import type { SetupChange } from "../../../src/documents/setup.ts";
import { dropFlag, dropSegment, putFlag } from "../../../src/flags/plan.ts";
import type { Conditions } from "../../../src/forms/intake/insertion.ts";
import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { ANN, deleteFormChange } from "../../support/records/apply.ts";
import {
  NOW,
  fileKept,
  newBegun,
  newSession,
  nextId,
  submissionTo,
  tokenCalled,
  userCalled,
} from "../../support/records/records.ts";
import { HASH, NO_CONDITIONS, OTHER_HASH, type Shop } from "./shop.ts";

/** What an operation of the store is called with: one replica, what there is, and what this call alone has. */
type Call = (store: PostgresStore, shop: Shop, own: Own) => Promise<unknown>;
export type Own = { id: string; name: string; hash: string; session: ReturnType<typeof newSession> };

export function createOwn(name: string): Own {
  return { id: nextId(), name, hash: Bun.SHA256.hash(name, "hex"), session: newSession("ann") };
}

const conditional =
  (conditions: Partial<Conditions>): Call =>
  ({ submissions }, { form }, { id }) =>
    submissions.insert(submissionTo(form.key, { id, conditions: { ...NO_CONDITIONS, ...conditions } }));
const until = { hash: OTHER_HASH, expiresAt: NOW + 1000 };

const SUBMISSIONS = {
  insert: ({ submissions }, { form }, { id }) => submissions.insert(submissionTo(form.key, { id })),
  "insert delivered": ({ submissions }, { form, target }, { id }) =>
    submissions.insert(
      submissionTo(form.key, { id, deliveries: [{ id, kind: "webhook", target: target.id }] }),
    ),
  "insert replied": ({ submissions }, { form }, { id, hash }) => {
    const limit = { hash, expiresAt: NOW + 1000, since: NOW - 1, most: 1 };
    const deliveries = [{ id, kind: "autoreply" as const, target: "a@example.com", limit }];
    return submissions.insert(submissionTo(form.key, { id, deliveries }));
  },
  "insert with a file": ({ submissions }, { form, noted }) =>
    submissions.insert(submissionTo(form.key, { id: noted, files: [fileKept("c.1")] })),
  "insert with a file and conditions": ({ submissions }, { form, noted }) =>
    submissions.insert(
      submissionTo(form.key, { id: noted, files: [fileKept("c.1")], conditions: NO_CONDITIONS }),
    ),
  "insert the last": conditional({ maxSubmissions: 3 }),
  "insert once by key": conditional({ key: { ...until, content: HASH } }),
  "insert no duplicate": conditional({ recent: until }),
  "insert solved": conditional({ challenge: { nonce: until } }),
  "insert spam": conditional({ spam: "words" }),
  "insert elsewhere": ({ submissions }, { empty }, { id }) =>
    submissions.insert(submissionTo(empty.key, { id })),
  "mark as spam": ({ submissions }, { inbox, by }) => submissions.mark(inbox, "spam", {}, by),
  "mark as archived": ({ submissions }, { inbox, spam, by }) =>
    submissions.mark([spam, ...inbox.toReversed()], "archived", {}, by),
  "mark as read": ({ submissions }, { inbox, by }) => submissions.mark(inbox, "read", {}, by),
  "mark as no spam": ({ submissions }, { spam, target, by }, { id }) =>
    submissions.mark([spam], "inbox", { [spam]: [{ id, kind: "webhook", target: target.id }] }, by),
  delete: ({ submissions }, { inbox }) => submissions.delete(inbox),
  "delete backwards": ({ submissions }, { inbox, spam, elsewhere }) =>
    submissions.delete([elsewhere, spam, ...inbox.toReversed()]),
  "delete spam": ({ submissions }, { spam, inbox }) => submissions.delete([spam, ...inbox], ["spam"]),
  "delete aged": ({ submissions }, { form, inbox }) =>
    submissions.deleteAged({ formKey: form.key, state: "inbox", createdBefore: NOW }, [...inbox]),
  purge: ({ submissions }, { inbox, spam, placeOf }) =>
    submissions.purge([inbox[1]!, spam].map(placeOf), [HASH]),
  "clear deleted": ({ submissions }) => submissions.clearDeleted(10),
  "clear expired": ({ submissions }) => submissions.clearExpired(NOW, 10),
  import: ({ submissions }, { form, inbox }, { id }) =>
    submissions.import(
      form.key,
      [id, inbox[0]!].map((id) => ({
        id,
        data: "{}",
        createdAt: NOW,
        state: "inbox" as const,
        spam: null,
        read: true,
        meta: null,
      })),
    ),
  recount: ({ submissions }) => submissions.recount(),
  index: ({ submissions }) => submissions.updateIndex(),
} satisfies Record<string, Call>;

const DELIVERIES = {
  claim: ({ deliveries }, { turn }, { name }) => deliveries.turn({ ...turn, holder: name }),
  "settle and claim": ({ deliveries }, { turn, deliveries: ids }) =>
    deliveries.turn({
      ...turn,
      settled: ids.map((id) => ({
        id,
        status: "delivered" as const,
        attempts: 1,
        dueAt: NOW + 5000,
        code: 200,
        error: null,
        attempt: { at: NOW, duration: 1 },
      })),
    }),
  "fail and renew": ({ deliveries }, { turn, deliveries: ids }) =>
    deliveries.turn({
      ...turn,
      renewed: ids,
      leaseUntil: NOW + 9000,
      settled: [{ id: ids[0]!, status: "failed", attempts: 9, dueAt: NOW, code: 500, error: "no" }],
    }),
  "claim what has ended": ({ deliveries }, { turn }, { name }) =>
    deliveries.turn({
      ...turn,
      holder: name,
      now: NOW + 2000,
      databaseNow: NOW + 2000,
      leaseUntil: NOW + 5000,
      limit: 9,
    }),
  release: ({ deliveries }) => deliveries.release("s1", NOW),
  "cancel targetless": ({ deliveries }) => deliveries.cancelTargetless(NOW, 10),
  retry: ({ deliveries }, { deliveries: ids }) => deliveries.retry(ids.toReversed(), NOW),
  "retry failed": ({ deliveries }) => deliveries.retryFailed(null, NOW, 10),
  "clear ended": ({ deliveries }) => deliveries.clearEnded(NOW + 9000, NOW + 9999, 10),
  "claim an alert": ({ deliveries }, { target }) => deliveries.claimAlert(target.id, NOW, NOW + 1000),
} satisfies Record<string, Call>;

const ofEve = ({ session, ...start }: Own["session"]) => ({ ...start, session: { ...session, user: "eve" } });

const PEOPLE = {
  "sign in": ({ sessions }, _, { session }) => sessions.insert({ ...session, most: 2 }, null),
  "sign in by password": ({ sessions }, _, { session }) => sessions.insert(session, "old"),
  "sign in by link": ({ sessions }, _, { session }) => sessions.spendLink(HASH, NOW, session, newBegun()),
  "make a link": ({ sessions }, _, { hash }) =>
    sessions.insertLink({ user: "ann", hash, expiresAt: NOW + 1 }, ANN),
  "use a session": ({ sessions }, { session }) => sessions.markSeen(session.hash, NOW + 5),
  "sign out": ({ sessions }, { session }) => sessions.delete(session.session.id, ANN),
  "spend a code": ({ factors }, { factors: { key, begun } }, { session }) =>
    factors.spendCode(begun, { key, step: 6 }, ofEve(session), 5),
  "spend a recovery code": ({ factors }, { factors: { begun } }, { session }) =>
    factors.spendCode(begun, { recovery: HASH }, ofEve(session), 5),
  "spend a wrong code": ({ factors }, { factors: { begun } }, { session }) =>
    factors.spendCode(begun, null, ofEve(session), 2),
  "use a passkey": ({ factors }, { factors: { passkey } }, { session }) =>
    factors.usePasskey({ id: passkey.id, counter: 2, challenge: until }, ofEve(session)),
  "clear sessions": ({ sessions }) =>
    sessions.clearEnded({ seenBefore: NOW + 1, createdBefore: NOW + 1, now: NOW + 2000 }, 10),
  "keep a secret": ({ secrets }, _, { name }) => secrets.keep("instance", name),
  tally: ({ tallies }) =>
    tallies.add(
      ["b", "a"].map((what) => ({ kind: "reads" as const, hour: 5, what, variant: "one", count: 1 })),
    ),
  "clear tallies": ({ tallies }) => tallies.clear("reads", 6, 10),
} satisfies Record<string, Call>;

const FLAGS = {
  "mark flags read": ({ flags }, { shop }) =>
    flags.markRead([{ environmentKey: shop.environments[0]!.key, slug: "sale", at: NOW }]),
  feedback: ({ feedback }, { shop }, { id }) => {
    const [environment] = shop.environments;
    const given = {
      id,
      projectKey: shop.key,
      environmentKey: environment!.key,
      flag: "sale",
      createdAt: NOW,
    };
    const said = { mood: "HAPPY" as const, rating: 4, description: null, metadata: null };
    return feedback.insert({ ...given, ...said }, until);
  },
  "delete feedback": ({ feedback }) =>
    feedback.deleteSome({ project: "shop", environment: null, flag: "sale" }, 10),
  "replace code": ({ code }, _, { name }) =>
    code.replace(
      "shop",
      { branch: "main", projectName: "web", repositoryUrl: null, uploadedAt: NOW },
      [{ slug: "sale", part: 0, places: JSON.stringify([[name, 1, "x"]]) }],
      2,
    ),
  "add code": ({ code }, _, { name }) =>
    code.replace("shop", { branch: name, projectName: "web", repositoryUrl: null, uploadedAt: NOW }, [], 1),
  "remove code": ({ code }) => code.remove("shop", { branch: "main", projectName: "web" }),
} satisfies Record<string, Call>;

const SHARED = {
  count: ({ shared }) => shared!.count(HASH, NOW, 1000),
  "keep a text": ({ shared }, _, { name }) => shared!.keep(HASH, name, NOW + 1),
  "take a text": ({ shared }) => shared!.take(HASH, NOW),
  "claim notes": ({ notes }) => notes.claim(NOW, 10),
  "clear a note": ({ notes }, { noted }) => notes.clear([noted]),
  "forget files": ({ notes }) => notes.forget(["a.1", "b.1"]),
} satisfies Record<string, Call>;

/** A change as the door makes it: planned on the version that it has read. */
const change =
  (make: (shop: Shop, own: Own) => SetupChange): Call =>
  async (store, shop, own) => {
    const { version } = await store.readVersion();
    await store.apply([make(shop, own)], version, shop.by);
  };

const CHANGES = {
  "put a flag": change(({ place, flag }) => putFlag(place, flag, { ...flag, enabled: true })),
  "delete a flag": change(({ flag }) => dropFlag("shop", "sale", new Map([["live", flag]]))),
  "delete a segment": change(() =>
    dropSegment({ project: "shop", environment: "live", segment: "staff" }, { rule: "true" }),
  ),
  "delete a scheduled change": change(({ scheduled }) => ({
    change: "deleteScheduled",
    project: "shop",
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
} satisfies Record<string, Call>;

const READS = {
  "read the setup": ({ setup }) => setup.read(null, true),
} satisfies Record<string, Call>;

/** Every operation of the store that changes something, and those that read as of one moment. */
export const OPERATIONS = {
  ...SUBMISSIONS,
  ...DELIVERIES,
  ...PEOPLE,
  ...FLAGS,
  ...SHARED,
  ...CHANGES,
  ...READS,
};

/** Operations that leave out what others have locked, and are repeated by a job until nothing is left. */
export const SKIPPING: ReadonlySet<string> = new Set<keyof typeof OPERATIONS>([
  "clear deleted",
  "clear expired",
  "index",
  "claim",
  "settle and claim",
  "fail and renew",
  "claim what has ended",
  "cancel targetless",
  "retry failed",
  "clear ended",
  "clear sessions",
  "claim notes",
]);
