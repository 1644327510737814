import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { planScheduled, putFlag } from "../../../src/flags/plan.ts";
import type { Conditions } from "../../../src/forms/intake/insertion.ts";
import { ANN, addForm, addProject, apply, deleteFormChange } from "../../support/records/apply.ts";
import {
  NOW,
  fileKept,
  flagRecord,
  newPasskey,
  newSession,
  nextId,
  random,
  submissionTo,
  targetRecord,
  tokenCalled,
  userCalled,
} from "../../support/records/records.ts";

export const HASH = "ab".repeat(32);
export const OTHER_HASH = "cd".repeat(32);
export const NO_CONDITIONS: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** What operations begin with: one of each, some of which two operations may both want. */
export type Shop = Awaited<ReturnType<typeof furnish>>;

export async function furnish(store: PostgresStore) {
  const [form, other, empty, gone] = [
    await addForm(store, "contact"),
    await addForm(store, "other"),
    await addForm(store, "empty"),
    await addForm(store, "gone"),
  ];
  const target = targetRecord(form.key);
  await apply(store, { change: "insertTarget", target });
  const deliveries: string[] = [];
  const insert = async (key: string, more: Parameters<typeof submissionTo>[1] = {}) => {
    const submission = submissionTo(key, more);
    if (submission.files.length > 0)
      await store.notes.add(submission.id, submission.files.length, NOW + 1000);
    await store.submissions.insert(submission);
    return submission.id;
  };
  const delivery = () => {
    const id = nextId();
    deliveries.push(id);
    return [{ id, kind: "webhook" as const, target: target.id }];
  };
  const key = { hash: OTHER_HASH, content: HASH, expiresAt: NOW - 1 };
  const inbox = [
    await insert(form.key, { files: [fileKept("a.1")], deliveries: delivery(), createdAt: NOW - 1000 }),
    await insert(form.key, { deliveries: delivery(), conditions: { ...NO_CONDITIONS, key } }),
  ];
  const spam = await insert(form.key, { conditions: { ...NO_CONDITIONS, spam: "links" } });
  const elsewhere = await insert(other.key);
  await insert(gone.key, { files: [fileKept("b.1")] });
  await apply(store, deleteFormChange(gone));
  // One is sent by a server, and one has failed.
  const turn = {
    holder: "s1",
    now: NOW + 1,
    databaseNow: NOW + 1,
    leaseUntil: NOW + 1000,
    settled: [],
    renewed: [],
    blocked: [],
    after: null,
    perLane: 10,
    limit: 1,
  };
  await store.deliveries.turn(turn);
  const place = { project: "shop", environment: "live", flag: "sale" };
  const shop = await addProject(store, "shop", "live", "test");
  await apply(store, putFlag(place, undefined, flagRecord("sale")));
  await shop.setSegment("live", "staff", true);
  const [flag, scheduled] = [
    (await store.flags.find(place))!,
    {
      id: "aaaa-bbbb-cccc",
      environment: "live",
      flag: "sale",
      patch: {},
      at: NOW + 9,
      who: "ann",
      why: null,
      createdAt: NOW,
    },
  ];
  await apply(store, planScheduled("shop", scheduled));
  await apply(store, { change: "insertToken", token: tokenCalled("ci"), hash: HASH });
  await apply(store, { change: "insertUser", user: userCalled("ann") });
  await apply(store, { change: "setPassword", name: "ann", password: "old", keep: null });
  const session = newSession("ann");
  await store.sessions.insert(session, null);
  await store.sessions.insertLink({ user: "ann", hash: HASH, expiresAt: NOW + 1000 }, ANN);
  const eve = { name: "eve", keep: null };
  const [totpKey, passkey] = [random(20), newPasskey({ counter: 1 })];
  const challenge = { hash: HASH, expiresAt: NOW - 1 };
  await apply(store, { change: "insertUser", user: userCalled("eve") });
  await apply(store, { change: "setTotp", ...eve, key: totpKey, step: 5, recovery: [HASH], at: NOW });
  await apply(store, { change: "insertPasskey", ...eve, passkey, challenge });
  await store.sessions.insertLink({ user: "eve", hash: OTHER_HASH, expiresAt: NOW + 1000 }, ANN);
  const begun = { hash: OTHER_HASH, expiresAt: NOW + 1000 };
  await store.sessions.spendLink(OTHER_HASH, NOW, newSession(""), begun);
  await store.tallies.add([{ kind: "reads", hour: 5, what: "a", variant: "one", count: 2 }]);
  const noted = nextId();
  await store.notes.add(noted, 1, NOW - 1);
  const { items } = await store.submissions.scanAll(0, 100);
  const placeOf = (id: string) => ({ id, place: items.find((each) => each.id === id)!.place });
  return {
    form,
    other,
    empty,
    target,
    inbox,
    spam,
    elsewhere,
    deliveries,
    turn,
    place,
    shop,
    flag,
    scheduled,
    session,
    noted,
    factors: { key: totpKey, passkey, begun: begun.hash },
    placeOf,
    by: ANN,
  };
}
