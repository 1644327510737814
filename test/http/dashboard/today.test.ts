import { describe, expect, test } from "bun:test";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../../src/documents/changes/proposals.ts";
import { approveProposal } from "../../../src/documents/changes/reviews.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { rerunOn } from "../../../src/operations/changes/perform.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { failDeliveries } from "../../support/records/failing.ts";
import { saveSettings } from "../../../src/access/users.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { assignSubmissions } from "../../../src/forms/inbox/submission-handling.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

const DAY = 86_400_000;

async function openToday() {
  const app = openTestApp();
  const commitMinutes = () => [{ at: app.now(), commits: 9, p50: 0.25, p99: 2.5, max: 5 }];
  const dashboard = openDashboard(app, { commitMinutes });
  return { app, dashboard, viewer: await dashboard.signIn("viewer"), admin: await dashboard.signIn("admin") };
}

async function openShop() {
  const opened = await openToday();
  const { app } = opened;
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const send = async () => (await storeSubmission(app, form, { data: "{}", files: [] })).id;
  await createProject(app, OPERATOR, { slug: "shop" });
  const place = { project: "shop", environment: "production", flag: "checkout" };
  await setFlag(app, OPERATOR, place, { enabled: false });
  return { ...opened, form, send, place };
}

/** The items of what waits: kind, text and the page that the button leads to. */
function waitingIn(text: string): string[][] {
  const items = [...text.matchAll(/<li data-waiting="(\w+)"[^>]*>(.*?)<\/li>/gs)];
  return items.map(([, kind, content]) => {
    const to = [...content!.matchAll(/href="\/dashboard([^"]*)"/g)].at(-1)![1]!;
    const words = /<span>(.*?)<\/span><a/s.exec(content!)![1]!.replaceAll(/<[^>]*>/g, "");
    return [kind!, words, to];
  });
}

describe("the first page", () => {
  test("says what to do first, and offers only what the viewer may do", async () => {
    const { viewer, admin } = await openToday();
    const { text } = await viewer.get("");
    expect(text).toContain("formflag forms create contact");
    expect(text).toContain("formflag projects create shop");
    expect(text).not.toContain("Create a form");
    expect((await admin.get("")).text).toContain("Create a form");
  });

  test("lists what waits, each with its button", async () => {
    const { app, dashboard, viewer, form, send, place } = await openShop();
    expect((await viewer.get("")).text).toContain("Nothing waits.");
    const { id: target } = await addTarget(
      app,
      OPERATOR,
      "contact",
      "https://example.com/hook",
      fakeOutgoing(),
    );
    const ids = [await send(), await send(), await send()];
    await markSubmissions(app, OPERATOR, ids.slice(0, 1), "spam");
    await markSubmissions(app, OPERATOR, ids.slice(1, 2), "read");
    const delivery = { id: app.nextId(), kind: "webhook" as const, target };
    await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries: [delivery] });
    await failDeliveries(app, "refused");
    await scheduleChange(app, OPERATOR, place, { patch: { enabled: true }, at: app.now() + 7_200_000 });
    expect(waitingIn((await viewer.get("")).text)).toEqual([
      ["target", "https://example.com/… fails for contact: refused", `/deliveries/${delivery.id}`],
      ["change", "checkout of shop changes in production today, 05:04", "/projects/shop/scheduled"],
      ["unread", "2 unread submissions to contact", "/inbox/contact?unread=1"],
    ]);
    app.clock.now += 40 * DAY;
    const later = await dashboard.signIn("viewer");
    const stale = "checkout of shop gives everybody the same for 40 days";
    expect(waitingIn((await later.get("")).text)).toContainEqual(["stale", stale, "/projects/shop/stale"]);
  });

  test("lists what is unread of one's own before what is unread", async () => {
    const { app, dashboard, viewer, send } = await openShop();
    const inbox = await dashboard.signIn("inbox");
    const [mine] = [await send(), await send()];
    await assignSubmissions(app, OPERATOR, [mine], "inbox");
    expect(waitingIn((await inbox.get("")).text)).toEqual([
      ["unread", "1 unread submission assigned to you", "/inbox?q=is%3Amine&amp;unread=1"],
      ["unread", "2 unread submissions to contact", "/inbox/contact?unread=1"],
    ]);
    expect((await inbox.get("/inbox?q=is%3Amine&unread=1")).text).toContain(mine);
    expect((await viewer.get("")).text).not.toContain("assigned to you");
    await markSubmissions(app, OPERATOR, [mine], "read");
    expect((await inbox.get("")).text).not.toContain("assigned to you");
  });

  test("lists the changes of others that need approvals", async () => {
    const { app, viewer, admin, place } = await openShop();
    await setEnvironment(app, OPERATOR, "shop", "production", { approvals: 1 });
    const ann = { ...callerNamed("admin"), type: "user" as const };
    const operation = {
      operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
      names: place,
      query: undefined,
      body: { enabled: true },
    };
    const { change } = (await proposeChange(
      app,
      ann,
      operation,
      { project: "shop", lasts: DAY },
      rerunOn(app),
    )) as { change: ProposalView };
    const [item] = waitingIn((await viewer.get("")).text);
    expect([item![0], item![2]]).toEqual(["proposal", `/projects/shop/changes/${change.id}`]);
    expect(item![1]).toStartWith("admin proposes in shop: ");
    expect(waitingIn((await admin.get("")).text)).toEqual([]);
  });

  test("lists a change no more for those who have approved it", async () => {
    const { app, dashboard, viewer, place } = await openShop();
    await setEnvironment(app, OPERATOR, "shop", "production", { approvals: 2 });
    const operation = {
      operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
      names: place,
      query: undefined,
      body: { enabled: true },
    };
    const bob = { ...callerNamed("bob"), type: "user" as const };
    const { change } = (await proposeChange(
      app,
      bob,
      operation,
      { project: "shop", lasts: DAY },
      rerunOn(app),
    )) as { change: ProposalView };
    const releaser = await dashboard.signIn("releaser");
    const kindsFor = async ({ get }: Pick<typeof viewer, "get">) =>
      waitingIn((await get("")).text).map(([kind]) => kind);
    expect(await kindsFor(releaser)).toEqual(["proposal"]);
    const caller = { ...callerNamed("releaser"), type: "user" as const };
    await approveProposal(app, caller, { project: "shop", change: change.id }, change.etag);
    expect(await kindsFor(releaser)).toEqual([]);
    expect(await kindsFor(viewer)).toEqual(["proposal"]);
  });

  test("says how many submissions came in a range, to a form, and whether these are more than before", async () => {
    const { app, dashboard, send } = await openShop();
    const other = await createForm(app, OPERATOR, { slug: "jobs" });
    app.clock.now = Date.parse("2026-03-01T12:00:00Z");
    await send();
    await send();
    app.clock.now = Date.parse("2026-03-10T12:00:00Z");
    await send();
    await storeSubmission(app, other, { data: "{}", files: [] });
    await storeSubmission(app, other, { data: "{}", files: [] });
    const { get } = await dashboard.signIn("viewer");
    const numberIn = async (query: string) =>
      /<p><strong>(.*?)<\/p>/.exec((await get(query)).text)![1]!.replace("</strong>", "");
    expect(await numberIn("")).toBe("5 in 30 days");
    expect(await numberIn("?days=7")).toBe("3 in 7 days, 50 % more than in the 7 days before");
    expect(await numberIn("?days=7&form=contact")).toBe("1 in 7 days, 50 % fewer than in the 7 days before");
    const { text } = await get("?days=7&form=jobs");
    expect(text).toContain('<option value="jobs" selected="">');
    expect(text).toContain("/dashboard/inbox/jobs?since=2026-03-10");
    for (const query of ["?days=0", "?days=184", "?days=many"]) expect((await get(query)).status).toBe(400);
    expect((await get("?form=nothing")).status).toBe(404);
  });

  test("draws submissions by day, each a link to the inbox of that day, by the viewer's clock", async () => {
    const { app, dashboard, send } = await openShop();
    app.clock.now = Date.parse("2026-03-10T20:00:00Z");
    await send();
    app.clock.now = Date.parse("2026-03-12T12:00:00Z");
    const admin = await dashboard.signIn("admin");
    const utc = await admin.get("");
    expect(utc.text).toContain("10 Mar: 1");
    expect(utc.text).toContain('href="/dashboard/inbox?since=2026-03-10&amp;until=2026-03-11"');
    expect(utc.text).toContain('role="img"');
    const { name, settings } = (await app.store.users.find("admin"))!;
    await saveSettings(app, callerNamed(name, { type: "user" }), name, {
      ...settings,
      timeZone: "Asia/Tokyo",
    });
    expect((await admin.get("")).text).toContain("11 Mar: 1");
  });

  test("marks the days on which flags changed, and lists the changes with who made them and why", async () => {
    const { app, dashboard, viewer, place } = await openShop();
    app.clock.now += DAY;
    const ann = callerNamed("ann", { why: "orders <b>fell</b>" });
    await setFlag(app, ann, place, { enabled: true });
    const { text } = await viewer.get("");
    expect(text).toContain("flag checkout turned on in production");
    expect(text).toMatch(/<g data-tick="checkout"><title>checkout turned on in production<\/title>/);
    expect(text).toContain("by ann: orders &lt;b&gt;fell&lt;/b&gt;");
    expect(text).toContain("/dashboard/projects/shop/flags/checkout");
    app.clock.now += 31 * DAY;
    const later = await (await dashboard.signIn("viewer")).get("");
    expect(later.text).toContain("Submissions a day");
    expect(later.text).not.toContain("Flag changes in these days");
  });

  test("draws reads of a day or a week by environment, and how long commits took", async () => {
    const { app, viewer } = await openShop();
    const { environments } = (await app.store.projects.find("shop"))!;
    const what = environments.find(({ slug }) => slug === "production")!.key;
    const hour = Math.floor(app.now() / 3_600_000);
    await app.store.tallies.add([{ kind: "reads", hour: hour - 30, what, variant: "one", count: 1234 }]);
    expect((await viewer.get("")).text).toContain("/dashboard?days=30&amp;reads=day");
    expect((await viewer.get("?reads=day")).text).toContain("No flag was read in the last 24 hours");
    const { text } = await viewer.get("?reads=week");
    expect(text).toContain("last 7 days by environment: 1,234 in all");
    expect(text).toContain("2.5 ms");
  });

  test("shows a user of forms what they may read, and nothing of the server", async () => {
    const { dashboard } = await openShop();
    const inbox = await dashboard.signIn("inbox");
    const { status, text } = await inbox.get("");
    expect(status).toBe(200);
    expect(text).toContain("Submissions a day");
    expect(waitingIn(text).map(([kind]) => kind)).not.toContain("stale");
    expect(text).not.toContain("Commit latency");
  });
});
