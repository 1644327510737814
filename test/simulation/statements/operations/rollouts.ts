import { stepOf } from "../../../../src/flags/ramps/ramps.ts";
import { planStart, stepped } from "../../../../src/flags/ramps/ramp-plan.ts";
import { noSuchRamp, type RampPlan } from "../../../../src/flags/ramps/ramp.ts";
import { approveMembers, putRamp, putSegment } from "../../../../src/flags/plan.ts";
import { NOW, noticeTarget, submissionTo } from "../../../support/records/records.ts";
import { BY, filled } from "../shop.ts";
import type { Call } from "./call.ts";
import { change } from "./changes.ts";

const PLAN: RampPlan = { variant: "on", to: [10, 50, 100], every: 1 };
const segmentAt = (segment: string) => ({ project: "shop", environment: "test", segment });
const naming =
  (email: string): Call =>
  ({ submissions }, { waitlist }, { id }) =>
    submissions.insert(submissionTo(waitlist.key, { id, data: JSON.stringify({ email }) }));

/** Ramps, segments that a form fills, and notices with the targets that get them. */
export const ROLLOUTS = {
  "begin a ramp": change(({ place, flag }) => {
    const start = new Date(NOW + 9000).toISOString();
    return putRamp("shop", undefined, planStart(place, flag, { ...PLAN, start }, BY, NOW).ramp);
  }),
  "step a ramp": async (store, { ramped, by }) => {
    const { version } = await store.readVersion();
    const found = await store.ramps.find(ramped);
    const before = await store.flags.find(ramped);
    if (!found || !before) throw noSuchRamp(ramped);
    if (found.ramp.status !== "running") return "over";
    const { ramp, record } = stepped(found.ramp, before, NOW);
    const changes = [stepOf(ramped, before, record), putRamp("shop", found.ramp, ramp, "ramp.stepped")];
    await store.apply(changes, version, by);
    return ramp.share;
  },
  "pause a ramp": async (store, { ramped, by }) => {
    const { version } = await store.readVersion();
    const found = await store.ramps.find(ramped);
    if (!found) throw noSuchRamp(ramped);
    if (found.ramp.status !== "running") return "over";
    const paused = { ...found.ramp, status: "paused", reason: "person", nextAt: null } as const;
    await store.apply([putRamp("shop", found.ramp, paused, "ramp.paused")], version, by);
    return paused.status;
  },
  "name a member": naming("ann@example.com"),
  "name another": naming("cyd@example.com"),
  "mark a named one as spam": ({ submissions }, { named, by }) => submissions.mark(named, "spam", {}, by),
  "mark a named one as no spam": ({ submissions }, { namedSpam, by }) =>
    submissions.mark([namedSpam], "inbox", {}, by),
  "delete a named one": ({ submissions }, { named, by }) => submissions.delete(named, undefined, by),
  "delete old named ones": ({ submissions }, { waitlist, named }) =>
    submissions.deleteAged({ formKey: waitlist.key, state: "inbox", createdBefore: NOW + 1 }, named),
  "purge a named one": ({ submissions }, { named, placeOf, by }) =>
    submissions.purge(named.map(placeOf), [], by),
  "import a named one": ({ submissions }, { waitlist }, { id }) =>
    submissions.import(waitlist.key, [
      {
        id,
        data: '{"email":["ann@example.com","dan@example.com"]}',
        createdAt: NOW,
        state: "inbox",
        spam: null,
        read: true,
        meta: null,
      },
    ]),
  "approve members": change(() => approveMembers(segmentAt("friends"), null, { pending: 1, approved: 1 })),
  "fill a segment": change(() => putSegment(segmentAt("more"), undefined, filled("more", "email"))),
  "fill by another field": change(({ invited }) =>
    putSegment(segmentAt("invited"), invited, filled("invited", "friend")),
  ),
  "add a notice target": change((_, { name }) => ({
    change: "insertTarget",
    target: noticeTarget("shop", { id: `nnnn-nnnn-nnn${name.toLowerCase()}`, secrets: [] }),
  })),
  "set a notice target": change(({ noticed }) => ({
    change: "updateTarget",
    target: { ...noticed, enabled: false },
  })),
  "delete a notice target": change(({ noticed }) => ({ change: "deleteTarget", id: noticed.id })),
  "expire flags": ({ flagNotices }) => flagNotices.expire(NOW + 2, 10),
  "mark stale": ({ flagNotices }) =>
    flagNotices.mark("stale", "shop", [{ slug: "sale", since: NOW - 1, from: NOW }], NOW),
  "mark removable": ({ flagNotices }) =>
    flagNotices.mark("removable", "shop", [{ slug: "sale", since: NOW - 1, from: NOW }], NOW),
} satisfies Record<string, Call>;
