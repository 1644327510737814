import { expect, test } from "bun:test";
import { clock, setClock } from "../../src/base/clock.ts";
import { proposalDeliveriesJob } from "../../src/documents/changes/proposal-deliveries.ts";
import {
  addProjectTarget,
  deleteProjectTarget,
  listProjectTargets,
} from "../../src/documents/changes/targets.ts";
import type { Attempt } from "../../src/delivery/attempt.ts";
import type { WebhookDelivery } from "../../src/delivery/outgoing.ts";
import { openTestApp } from "../support/app.ts";
import { fakeOutgoing } from "../support/peers/outgoing.ts";
import { addProject, apply } from "../support/records/apply.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { proposalOf } from "../support/records/records.ts";
import { reasonOf } from "../support/refusals.ts";

const DELIVERED: Attempt = {
  outcome: "delivered",
  code: 200,
  error: null,
  retryAfter: null,
  isTargetDown: false,
};
const BUSY: Attempt = { outcome: "retry", code: 503, error: "503", retryAfter: null, isTargetDown: true };

/** A project with two webhooks, and a job that sends to them; each attempt is answered by the next of `answers`. */
async function begin(answers: (Attempt | "silent")[]) {
  const app = openTestApp();
  const { slug } = await addProject(app.store, "shop", "live");
  const sent: WebhookDelivery[] = [];
  const outgoing = {
    ...fakeOutgoing(),
    sendWebhook: async (delivery: WebhookDelivery, signal: AbortSignal) => {
      sent.push(delivery);
      const answer = answers.shift() ?? DELIVERED;
      if (answer !== "silent") return answer;
      return new Promise<Attempt>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    },
  };
  const secrets: string[] = [];
  for (const path of ["one", "two"])
    secrets.push(
      (await addProjectTarget(app, OPERATOR, slug, `https://example.com/${path}`, outgoing)).secret,
    );
  const reports: string[] = [];
  const sending = {
    outgoing: async () => outgoing,
    retryDelays: [5],
    pageOf: (project: string, change: string) => `https://dash.example/${project}/${change}`,
    report: (text: string) => void reports.push(text),
  };
  const data = { change: { id: "x", project: slug } };
  const body = JSON.stringify({ type: "change.proposed", timestamp: "2027-01-31T12:00:00.000Z", data });
  await apply(app.store, {
    change: "insertProposal",
    project: slug,
    proposal: proposalOf(slug, { createdAt: app.now() }),
    action: "change.propose",
    events: [{ type: "change.proposed", body }],
  });
  const linked = { ...data, url: `https://dash.example/${slug}/x` };
  return { app, slug, sent, secrets, reports, job: proposalDeliveriesJob(app, sending), data: linked };
}

test("an event goes to every webhook of the project once it is accepted, signed and under one id", async () => {
  const { app, sent, secrets, job, data } = await begin([BUSY]);
  await job.run();
  expect(sent.map(({ url }) => url).toSorted()).toEqual([
    "https://example.com/one",
    "https://example.com/two",
  ]);
  await job.run();
  expect(sent).toHaveLength(2);
  expect(await job.next!()).toBe(app.now() + 5000);
  app.clock.now += 5000;
  await job.run();
  await job.run();
  expect(sent).toHaveLength(3);
  expect(sent[2]).toMatchObject({ id: sent[0]!.id, url: sent[0]!.url, type: "change.proposed" });
  expect(JSON.parse(sent[0]!.data)).toEqual(data);
  expect(new Set(sent.flatMap((each) => each.secrets))).toEqual(new Set(secrets));
  expect(await job.next!()).toBeNull();
});

test("a webhook that does not answer has failed once 15 seconds of the clock have passed", async () => {
  const { app, sent, job } = await begin(["silent"]);
  const due: (() => void)[] = [];
  const timer = { close: () => {}, unref: () => timer };
  const { after } = clock;
  setClock({ after: (ms, run) => (ms === 15_000 ? (due.push(run), timer) : after(ms, run)) });
  try {
    const running = job.run();
    while (due.length < 2) await Bun.sleep(1);
    for (const run of due) run();
    await running;
  } finally {
    setClock();
  }
  expect([due.length, sent.length]).toEqual([2, 2]);
  expect(await job.next!()).toBe(app.now() + 5000);
});

test("an event is sent again where its sender has ended, and given up after the last delay", async () => {
  const { app, sent, reports, job } = await begin([BUSY, BUSY, BUSY]);
  expect(await app.store.proposals.claimDeliveries(app.now(), app.now() + 60_000, 9)).toHaveLength(2);
  await job.run();
  expect(sent).toHaveLength(0);
  app.clock.now += 60_000;
  await job.run();
  expect(sent).toHaveLength(2);
  app.clock.now += 5000;
  await job.run();
  expect(reports).toHaveLength(2);
  expect(await job.next!()).toBeNull();
});

test("the webhooks of a project are listed without their secrets, and deleted with what waits for them", async () => {
  const { app, slug, sent, job } = await begin([]);
  const listed = await listProjectTargets(app, OPERATOR, slug);
  expect(listed.map(({ target, on }) => [target, on])).toEqual([
    ["https://example.com/…", ["changes"]],
    ["https://example.com/…", ["changes"]],
  ]);
  await deleteProjectTarget(app, OPERATOR, slug, listed[0]!.id);
  await job.run();
  expect(sent).toHaveLength(1);
  const outgoing = fakeOutgoing();
  expect(
    await reasonOf(addProjectTarget(app, OPERATOR, slug, "ntfy:https://ntfy.sh/t", outgoing)),
  ).toStartWith("invalid");
  expect(await reasonOf(addProjectTarget(app, OPERATOR, "other", "https://example.com/", outgoing))).toBe(
    "not_found project-not-found",
  );
});
