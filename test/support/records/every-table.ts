import { readFileSync } from "node:fs";
import { dashedKey } from "../../../src/base/ids.ts";
import {
  NOW,
  proposalOf,
  newPasskey,
  noticeTarget,
  nextId,
  random,
  submissionTo,
  targetRecord,
  userCalled,
} from "./records.ts";
import type { App } from "../../../src/app.ts";
import { putSegment } from "../../../src/flags/plan.ts";
import { applyDefinition, filledDefinition } from "../../../src/flags/segment.ts";
import type { Batch } from "../../../src/maintenance/store.ts";
import type { Environment } from "../../../src/projects/environment.ts";
import { planUpdate } from "../../../src/projects/plan.ts";
import type { Project } from "../../../src/projects/project.ts";
import { type ClockedApp, openTestApp } from "../app.ts";
import { putExperiment } from "../../../src/experiments/plan.ts";
import { ANN, addForm, addProject, apply } from "./apply.ts";
import { experimentOf } from "./experiments.ts";
import { furnish } from "../pages/furnished.ts";
import { uploadsOf } from "../uploads.ts";

const hash = () => Buffer.from(random(32)).toString("hex");

/** One of everything that pages show, and a row in every table that a dump has besides. */
async function fillEveryTable(app: App & { clock: { now: number } }): Promise<void> {
  await furnish(app);
  const { store } = app;
  const { key } = await addForm(store, "every-table");
  const headers = [{ name: "X-Api-Key", value: "é: secret" }];
  const request = { method: "PUT" as const, headers, body: '{"a": "{{form}}"}' };
  await apply(store, { change: "insertTarget", target: targetRecord(key, { request }) });
  const feed = {
    id: dashedKey(random),
    formKey: key,
    name: "Every table",
    format: "csv" as const,
    fields: ["name"],
    search: "a",
    since: 60,
    limit: 5,
    createdAt: NOW,
    expiresAt: NOW,
    lastReadAt: NOW,
  };
  await apply(store, { change: "insertFeed", feed, hash: hash() });
  await addFactors(store);
  await apply(store, { change: "insertUser", user: userCalled("a-member") });
  const member = {
    user: "a-member",
    role: "viewer",
    source: "manual",
    isNew: true,
    environments: null,
  } as const;
  await apply(store, { change: "putMember", project: "shop", ...member });
  const [user] = (await store.users.page({ limit: 1 })).items;
  const identity = { issuer: "https://auth.example.com", subject: "one" };
  await apply(store, { change: "putIdentity", user: user!.name, at: NOW, ...identity });
  await addChanges(app);
  await addNotices(store);
  await addExperiment(app);
  await store.secrets.keep("links", "x".repeat(43));
  await store.tallies.add([{ kind: "reads", hour: 5, what: "a", variant: "one", count: 2 }]);
  await store.deliveries.claimAlert("t", NOW, NOW + 1000);
  const conditions = {
    key: { hash: hash(), expiresAt: NOW, content: hash() },
    spam: null,
    recent: { hash: hash(), expiresAt: NOW },
    challenge: { nonce: { hash: hash(), expiresAt: NOW } },
    keepsSpam: true,
    maxSubmissions: null,
  };
  const reply = {
    id: nextId(),
    kind: "autoreply" as const,
    target: "ada@example.com",
    limit: { hash: hash(), expiresAt: NOW + 1000, since: NOW, most: 5 },
    paces: [{ hash: hash(), most: 1, within: 1000, apart: 0 }],
  };
  await store.submissions.insert(submissionTo(key, { conditions, deliveries: [reply] }));
  await store.deliveries.holdReply(hash(), reply.id, NOW, NOW + 1000);
  await addMember(store, key);
  await addExample(store);
}

/** An example of spam for the filter of a form that learns. */
async function addExample(store: App["store"]): Promise<void> {
  const { submissions, learning } = store;
  const { key } = await addForm(store, "learning", { learn: true });
  const sent = submissionTo(key);
  await submissions.insert(sent);
  await submissions.mark([sent.id], "spam", {}, ANN);
  await learning.keep([{ id: sent.id, hashes: Uint8Array.of(1, 2, 3, 4) }]);
}

/** A segment that a form fills, with a member. */
async function addMember(store: App["store"], key: string): Promise<void> {
  const [{ slug: project, environments }] = (await store.projects.list()) as [Project, ...Project[]];
  const place = { project, environment: environments[0]!.slug, segment: "beta" };
  const source = {
    project: "default",
    form: "every-table",
    field: "email",
    attribute: "mail",
    approve: false,
  };
  const { record } = applyDefinition("beta", undefined, filledDefinition("beta", source), NOW);
  await apply(store, putSegment(place, undefined, record), {
    change: "putTestContext",
    project: place.project,
    context: { name: "Ann", context: { plan: "beta" }, createdAt: NOW, updatedAt: NOW },
    history: null,
  });
  await store.submissions.insert(submissionTo(key, { data: '{"email":"ada@example.com"}' }));
}

/** A notice for a target of a project, and flags of which notice was given. */
async function addNotices(store: App["store"]): Promise<void> {
  const slug = "shop";
  const [environment] = (await store.projects.find(slug))!.environments as [Environment, ...Environment[]];
  await apply(store, {
    change: "insertTarget",
    target: noticeTarget(slug, {
      environment: environment.slug,
      events: ["flag.*", "environment.*"],
      digest: 60,
    }),
  });
  await apply(store, planUpdate(slug, environment, { name: "Renamed" }));
  const [flag] = await store.flags.list(slug, environment.slug);
  for (const what of ["stale", "removable"] as const)
    await store.flagNotices.mark(what, slug, [{ slug: flag!.slug, since: NOW, from: NOW }], NOW);
}

/** A running experiment with a visitor. */
async function addExperiment({ store }: App): Promise<void> {
  const project = await addProject(store, "tested", "live");
  await project.set("live", "sale", { enabled: true });
  const running = experimentOf("live", "sale", { status: "running", startedAt: NOW });
  await apply(store, putExperiment(project.slug, undefined, running, [], "cd".repeat(16)));
  const [measurement] = await store.measurements.live();
  await store.measurements.count([
    { measurement: measurement!.id, visitor: "0123456789abcdef", variant: 1, metrics: 3 },
  ]);
}

/** A proposed change, and what a webhook of its project gets of it. */
async function addChanges({ store, random }: App): Promise<void> {
  const [{ slug: project }] = (await store.projects.list()) as [Project, ...Project[]];
  const target = { id: dashedKey(random), project, url: "https://example.com/hook", createdAt: NOW };
  const secret = `whsec_${Buffer.from(random(32)).toString("base64")}`;
  const events = [{ type: "change.proposed", body: "{}" }];
  const proposal = proposalOf(project);
  await apply(
    store,
    { change: "insertProjectTarget", project, target: { ...target, secret } },
    { change: "insertProposal", project, proposal, action: "change.propose", events },
  );
}

/** Every second factor, of a user of its own. */
async function addFactors(store: App["store"]): Promise<void> {
  const user = userCalled("factors");
  const ofUser = { name: user.name, keep: null };
  const challenge = { hash: hash(), expiresAt: NOW };
  await apply(
    store,
    { change: "insertUser", user },
    { change: "setTotp", ...ofUser, key: random(20), step: 5, recovery: [hash()], at: NOW },
    { change: "insertPasskey", ...ofUser, passkey: newPasskey(), challenge },
  );
}

type Made = { batches: Batch[]; files: { key: string; bytes: Buffer }[] };

let made: Promise<Made> | undefined;

async function makeEveryTable(): Promise<Made> {
  const app = openTestApp();
  await fillEveryTable(app);
  const uploads = uploadsOf(app);
  const files = uploads.kept().map((key) => ({ key, bytes: readFileSync(uploads.pathOf(key)) }));
  return { batches: await Array.fromAsync(app.store.dump()), files };
}

/** One of everything, in an empty store. A dump brings it, since each change to PostgreSQL waits for its replicas. */
export async function bringEveryTable({ store, blobs }: ClockedApp): Promise<void> {
  const { batches, files } = await (made ??= makeEveryTable());
  await store.fill(
    (async function* () {
      yield* batches;
    })(),
  );
  for (const { key, bytes } of files) {
    const staged = await blobs.stage();
    await staged.write(bytes);
    await staged.finish();
    await blobs.keep([{ key, staged }]);
  }
}
