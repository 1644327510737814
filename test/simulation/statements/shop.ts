import type { DeviceLogin } from "../../../src/access/device/device-login.ts";
import type { Invitation } from "../../../src/access/members/invitation.ts";
import type { OutboxTurn as Turn } from "../../../src/delivery/store.ts";
import type { NewSession } from "../../../src/access/session.ts";
import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { planScheduled, putFlag, putRamp, putSegment } from "../../../src/flags/plan.ts";
import { applyDefinition, filledDefinition } from "../../../src/flags/segment.ts";
import { planStart } from "../../../src/flags/ramps/ramp-plan.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { putExperiment } from "../../../src/experiments/plan.ts";
import { experimentOf } from "../../support/records/experiments.ts";
import type { Conditions } from "../../../src/forms/intake/insertion.ts";
import { ANN, addForm, addProject, apply, deleteFormChange } from "../../support/records/apply.ts";
import { codeOf, grantOf, issue } from "../../support/records/grants.ts";
import {
  NOW,
  fileKept,
  flagRecord,
  newPasskey,
  newSession,
  nextId,
  noticeTarget,
  proposalOf,
  random,
  submissionTo,
  targetRecord,
  tokenCalled,
  userCalled,
} from "../../support/records/records.ts";

export const HASH = "ab".repeat(32);
export const OTHER_HASH = "cd".repeat(32);
/** When deliveries are due that no claim takes: two that take at once may share several lanes. */
export const LATER = NOW + 50_000;
export const NO_CONDITIONS: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** A visitor of the experiment, as hex. */
export const VISITOR = "00ff".repeat(4);

export const BY = { who: "ann", why: null, isGuarded: false };

/** The definition of a segment that the form of the shop fills. */
export const filled = (segment: string, field: string, approve = false) =>
  applyDefinition(
    segment,
    undefined,
    filledDefinition(segment, { project: "shop", form: "waitlist", field, attribute: field, approve }),
    NOW,
  ).record;
/** What operations begin with: one of each, some of which two operations may both want. */
export type Shop = Awaited<ReturnType<typeof furnish>>;

export async function furnish(store: PostgresStore) {
  const [form, other, empty, gone] = [
    await addForm(store, "contact", { learn: true }),
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
    limit: 9,
  };
  await furnishEnded(store, other.key, turn);
  const key = { hash: OTHER_HASH, content: HASH, expiresAt: NOW - 1 };
  const inbox = [
    await insert(form.key, { files: [fileKept("a.1")], deliveries: delivery(), createdAt: NOW - 1000 }),
    await insert(form.key, { deliveries: delivery(), conditions: { ...NO_CONDITIONS, key } }),
  ];
  const spam = await insert(form.key, { conditions: { ...NO_CONDITIONS, spam: "links" } });
  const reply = { id: nextId(), kind: "autoreply" as const, target: "b@example.com" };
  // Its target is gone.
  const lost = { id: nextId(), kind: "webhook" as const, target: "gone-gone-gone" };
  await insert(other.key, { deliveries: [lost], createdAt: LATER });
  const loose = await insert(other.key, { files: [fileKept("d.1")] });
  await store.submissions.delete([loose]);
  const elsewhere = await insert(other.key, { deliveries: [reply], createdAt: LATER });
  await insert(gone.key, { files: [fileKept("b.1")] });
  await apply(store, deleteFormChange(gone));
  // One is sent by a server.
  await store.deliveries.turn({ ...turn, limit: 1 });
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
  await apply(store, { change: "setPassword", ...eve, password: "old" });
  await apply(store, { change: "setTotp", ...eve, key: totpKey, step: 5, recovery: [HASH], at: NOW });
  await apply(store, { change: "insertPasskey", ...eve, passkey, challenge });
  await store.sessions.insertLink({ user: "eve", hash: OTHER_HASH, expiresAt: NOW + 1000 }, ANN);
  const begun = { hash: OTHER_HASH, expiresAt: NOW + 1000 };
  await store.sessions.spendLink(OTHER_HASH, NOW, newSession(""), begun);
  await store.tallies.add([{ kind: "reads", hour: 5, what: "a", variant: "one", count: 2 }]);
  const feedbackId = nextId();
  const said = { mood: "HAPPY" as const, rating: 1, description: null, metadata: null };
  await store.feedback.insert(
    {
      id: feedbackId,
      projectKey: shop.key,
      environmentKey: shop.environments[0]!.key,
      flag: "sale",
      createdAt: NOW,
      ...said,
    },
    { hash: HASH, expiresAt: NOW - 1 },
  );
  const noted = nextId();
  await store.notes.add(noted, 1, NOW - 1);
  const [people, work] = [await furnishPeople(store, session), await furnishProject(store, insert)];
  const rollouts = await furnishRollouts(store, insert);
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
    feedbackId,
    ...people,
    ...work,
    ...rollouts,
    factors: { key: totpKey, passkey, begun: begun.hash },
    placeOf,
    by: ANN,
  };
}

/** Two deliveries that have ended: one is to be removed, the other has failed. */
async function furnishEnded(store: PostgresStore, formKey: string, turn: Turn): Promise<void> {
  const deliveries = ["c", "d"].map((name) => ({
    id: nextId(),
    kind: "autoreply" as const,
    target: `${name}@example.com`,
  }));
  await store.submissions.insert(submissionTo(formKey, { deliveries }));
  await store.deliveries.turn(turn);
  const settled = deliveries.map(({ id }, index) => ({
    id,
    status: index === 0 ? ("delivered" as const) : ("failed" as const),
    attempts: 1,
    dueAt: NOW + 5000,
    code: 200,
    error: null,
  }));
  await store.deliveries.turn({ ...turn, settled, limit: 0 });
}

/** A login that waits and one that is approved, grants of assistants, an account of a provider, and logins as they begin. */
async function furnishPeople(store: PostgresStore, { session }: NewSession) {
  const login: DeviceLogin = {
    client: "laptop",
    address: "192.0.2.1",
    lasts: 60,
    createdAt: NOW,
    expiresAt: NOW + 1000,
  };
  const logins = { waiting: "11".repeat(32), approved: "22".repeat(32) };
  for (const hash of Object.values(logins)) await store.deviceLogins.insert({ login, hash, code: hash }, 10);
  await store.deviceLogins.answer(logins.approved, { user: session.user, session: session.id }, NOW);
  const grants = { waiting: grantOf("ann"), started: grantOf("ann"), tokens: issue() };
  for (const each of [grants.waiting, grants.started]) await store.grants.insert(each, 10);
  await store.grants.start(codeOf(grants.started), grants.tokens, { at: NOW });
  const identity = { issuer: "https://id.example.com", subject: "ann" };
  await apply(store, { change: "putIdentity", user: "ann", at: NOW, ...identity });
  await store.sessions.insert(newSession("ann", { method: "oidc" }), null);
  return { login, logins, grants, identity };
}

/** In the project: two forms, one with a submission, a member, an invitation, a proposed change and an event on its way. */
async function furnishProject(
  store: PostgresStore,
  insert: (key: string, more?: Parameters<typeof submissionTo>[1]) => Promise<string>,
) {
  const project = "shop";
  await addProject(store, "blog", "main");
  const [ordered, returned] = [
    await addForm(store, "orders", { project }),
    await addForm(store, "returns", { project }),
  ];
  const order = await insert(ordered.key, { createdAt: NOW - 1000 });
  await apply(store, { change: "setProject", project, settings: { maxStorage: 100_000 }, history: null });
  const member = { project, user: "eve", source: "manual", role: "editor", environments: ["live"] } as const;
  await apply(store, { change: "putMember", isNew: true, ...member, environments: ["live"] });
  const invitation: Invitation = {
    id: "iiii-iiii-iiii",
    project,
    role: "editor",
    environments: ["live", "test"],
    maker: { type: "user", name: "ann" },
    createdAt: NOW,
    expiresAt: NOW + 1000,
  };
  await apply(store, { change: "insertInvitation", invitation, hash: HASH });
  const token = tokenCalled("deploy", { project, environment: "live" });
  await apply(store, { change: "insertToken", token, hash: OTHER_HASH });
  const hook = {
    id: "hhhh-hhhh-hhhh",
    project,
    url: "https://example.com",
    secret: "whsec_a",
    createdAt: NOW,
  };
  await apply(store, { change: "insertProjectTarget", project, target: hook });
  await store.shared!.keep(HASH, "kept", NOW + 1);
  const upload = { branch: "main", projectName: "web", repositoryUrl: null, commit: null, uploadedAt: NOW };
  await store.code.replace(project, upload, [], 2);
  const proposal = proposalOf(project, { id: "pppp-pppp-pppp" });
  const events = ["first", "second"].map((body) => ({ type: "change.proposed", body }));
  await apply(store, { change: "insertProposal", project, proposal, action: "change.propose", events });
  const [event, ended] = await store.proposals.claimDeliveries(NOW, NOW, 2);
  await store.proposals.settleDelivery({ id: ended!.id, dueAt: NOW, endedAt: NOW, error: null });
  return { ordered, returned, order, invitation, hook, proposal, event: event!.id };
}

/** In the project: a ramp whose first step is due, segments that a form fills, and targets that get notices. */
async function furnishRollouts(
  store: PostgresStore,
  insert: (key: string, more?: Parameters<typeof submissionTo>[1]) => Promise<string>,
) {
  const project = "shop";
  const ramped = { project, environment: "live", flag: "grow" };
  const ended = { project, environment: "live", flag: "ended" };
  await apply(store, putFlag(ramped, undefined, flagRecord("grow")));
  await apply(store, putFlag(ended, undefined, flagRecord("ended", { enabled: true, expiresAt: NOW + 1 })));
  const flag = (await store.flags.find(ramped))!;
  const start = isoTime(NOW - 1);
  const course = { variant: "on", to: [10, 100], every: 1, start };
  await apply(store, putRamp(project, undefined, planStart(ramped, flag, course, BY, NOW - 2).ramp));
  const waitlist = await addForm(store, "waitlist", { project });
  const at = (segment: string) => ({ project, environment: "test", segment });
  const invited = filled("invited", "email");
  await apply(store, putSegment(at("invited"), undefined, invited));
  await apply(store, putSegment(at("friends"), undefined, filled("friends", "friend", true)));
  const data = '{"email":"ann@example.com","friend":"ben@example.com"}';
  const named = [await insert(waitlist.key, { data })];
  const conditions = { ...NO_CONDITIONS, spam: "words" as const };
  const namedSpam = await insert(waitlist.key, { data: '{"email":"cyd@example.com"}', conditions });
  const noticed = noticeTarget(project, { id: "nnnn-nnnn-nnnn" });
  // Before the targets, so that their notices are no deliveries that two claims may share.
  const experiments = await furnishExperiments(store);
  await apply(store, { change: "insertTarget", target: noticed });
  const gathered = noticeTarget(project, { id: "gggg-gggg-gggg", digest: 60 });
  await apply(store, { change: "insertTarget", target: gathered });
  return { ramped, waitlist, invited, named, namedSpam, noticed, ...experiments };
}

/** In the project: an experiment with a visitor, a draft, and a visitor of one that has ended. */
async function furnishExperiments(store: PostgresStore) {
  const [project, environment, flag] = ["shop", "live", "tried"];
  await apply(store, putFlag({ project, environment, flag }, undefined, flagRecord(flag)));
  const running = { status: "running", startedAt: NOW } as const;
  const metrics = ["event:signup", "submissions:waitlist"];
  const begin = async (name: string) => {
    const experiment = experimentOf(environment, flag, { ...running, name, metrics });
    await apply(store, putExperiment(project, undefined, experiment, [], "ab".repeat(16)));
    const { id } = (await store.measurements.live())[0]!;
    await store.measurements.count([{ measurement: id, visitor: VISITOR, variant: 0, metrics: 0 }]);
    return { id, experiment };
  };
  const { experiment } = await begin("over");
  await apply(store, putExperiment(project, experiment, { ...experiment, status: "ended", endedAt: NOW }));
  const { id: measurement } = await begin("hero");
  const draft = experimentOf(environment, flag, { name: "draft" });
  await apply(store, putExperiment(project, undefined, draft));
  return { measurement, tried: { project, environment, experiment: "hero" }, draft };
}
