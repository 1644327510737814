import { expect, test } from "bun:test";
import { DAY_MS } from "../../src/base/days.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { startRamp } from "../../src/flags/ramps/ramps.ts";
import { stepDue } from "../../src/flags/ramps/stepping.ts";
import { scheduleChange } from "../../src/flags/schedule/schedule.ts";
import { createForm } from "../../src/forms/forms.ts";
import { deliveriesOf } from "../../src/forms/deliveries.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { problem, warning } from "../../src/maintenance/finding.ts";
import { NO_BACKUPS } from "../../src/maintenance/status.ts";
import { findNeeds } from "../../src/operations/today/needs.ts";
import { findComing } from "../../src/operations/today/upcoming.ts";
import { addNoticeTarget } from "../../src/projects/notice-targets.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { fakeOutgoing } from "../support/peers/outgoing.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";

const LIVE = { project: "shop", environment: "live" };

async function open() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live", "test"] });
  for (const flag of ["hero", "dark", "sale"])
    await setFlag(app, OPERATOR, { ...LIVE, flag }, { enabled: flag !== "hero" });
  return app;
}

const mails = async () => true;
const titles = (found: readonly { title: string }[]) => found.map(({ title }) => title);

test("the worst of what needs a caller comes first, and only what that caller may see", async () => {
  const app = await open();
  const hero = { ...LIVE, flag: "hero" };
  await startRamp(app, OPERATOR, hero, { variant: "on", to: [25, 100], every: 3600 });
  await setFlag(app, OPERATOR, hero, { enabled: false });
  await stepDue(app, () => {});
  const form = await createForm(app, OPERATOR, { slug: "contact", name: "Contact" });
  await storeSubmission(app, form, { data: "{}", files: [] });
  const findings = [
    warning("clock", "it is off", "set it"),
    problem("disk", "it is full", "free some of it"),
    problem("backup", "the last one failed: no space", "free some of it"),
  ];
  const failure = { at: new Date(app.now()).toISOString(), error: "no space" };
  const server = { findings, backup: { ...NO_BACKUPS, failure } };
  const needs = await findNeeds(app, OPERATOR, server, mails);
  expect(titles(needs)).toEqual([
    "disk: it is full",
    "The last backup failed",
    "hero stopped at 25 % in live",
    "1 unread in the inbox",
    "1 warning about the server",
  ]);
  expect(needs[2]).toMatchObject({
    kind: "ramp",
    reason: "The flag was changed by hand. Nobody new gets it until you decide.",
    at: app.now(),
    verb: "Decide",
    path: "/projects/shop/flags/hero?environment=live",
  });
  const reader = callerNamed("tim", { scopes: ["forms:read"] });
  expect(titles(await findNeeds(app, reader, null, mails))).toEqual(["1 unread in the inbox"]);
  const elsewhere = callerNamed("eve", { scopes: ["flags:read", "forms:read"], project: "other" });
  expect(await findNeeds(app, elsewhere, null, mails)).toEqual([]);
});

test("mail that waits for a mail server is a need, where there is none", async () => {
  const app = await open();
  const form = await createForm(app, OPERATOR, {
    slug: "contact",
    name: "Contact",
    notify: ["ann@example.com"],
  });
  await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries: deliveriesOf(app, form, []) });
  const [need] = await findNeeds(app, OPERATOR, null, async () => false);
  expect(need).toMatchObject({
    title: "1 mail waits for a mail server",
    reason: "No mail server is configured. What waits is sent once there is one.",
    path: "/deliveries?status=queued",
  });
  expect(titles(await findNeeds(app, OPERATOR, null, mails))).toEqual(["1 unread in the inbox"]);
});

test("of many unread submissions, the oldest is not looked for among those that were read long ago", async () => {
  const app = await open();
  const form = await createForm(app, OPERATOR, { slug: "contact", name: "Contact" });
  for (let sent = 0; sent < 201; sent += 1) await storeSubmission(app, form, { data: "{}", files: [] });
  const [need] = await findNeeds(app, OPERATOR, null, mails);
  expect(need).toMatchObject({
    title: "201 unread in the inbox",
    reason: "Most of them are to Contact.",
    at: null,
  });
});

test("what happens by itself is listed in the order in which it happens", async () => {
  const app = await open();
  const now = app.now();
  await addNoticeTarget(
    app,
    OPERATOR,
    "shop",
    { target: "https://example.com/hook", digest: 7200 },
    fakeOutgoing(),
  );
  await setFlag(
    app,
    OPERATOR,
    { ...LIVE, flag: "sale" },
    { expiredAt: new Date(now + 3 * DAY_MS).toISOString() },
  );
  await startRamp(app, OPERATOR, { ...LIVE, flag: "hero" }, { variant: "on", to: [25, 100], every: 3600 });
  await scheduleChange(
    app,
    OPERATOR,
    { ...LIVE, flag: "dark" },
    { patch: { enabled: false }, at: now + DAY_MS },
  );
  expect(titles(await findComing(app, OPERATOR, null, 10))).toEqual([
    "hero 25 → 100 % in live",
    "A digest to example.com, 3 changes",
    "dark off in live",
    "sale expires in live",
  ]);
  expect(titles(await findComing(app, callerNamed("tim", { scopes: ["forms:read"] }), null, 10))).toEqual([]);
  const form = await createForm(app, OPERATOR, { slug: "contact", name: "Contact", retention: 86_400 * 9 });
  await storeSubmission(app, form, { data: "{}", files: [] });
  app.clock.now += 4 * DAY_MS;
  const later = await findComing(app, OPERATOR, null, 10);
  // A confirmation has an end for every form, and what waits for its sender is of none of these days.
  expect(titles(later).filter((title) => title.startsWith("Old"))).toEqual([
    "Old submissions of Contact are deleted, about 1 in a week",
  ]);
});
