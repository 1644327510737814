import { describe, expect, test } from "bun:test";
import { saveSettings } from "../../../src/access/users.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

const DAY = 86_400_000;

async function openOverview() {
  const app = openTestApp();
  const commitMinutes = () => [{ at: app.now(), commits: 9, p50: 0.25, p99: 2.5, max: 5 }];
  const dashboard = openDashboard(app, { commitMinutes });
  return { app, dashboard, viewer: await dashboard.signIn("viewer"), admin: await dashboard.signIn("admin") };
}

async function openShop() {
  const opened = await openOverview();
  const { app } = opened;
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const send = async () => (await storeSubmission(app, form, { data: "{}", files: [] })).id;
  await createProject(app, OPERATOR, { slug: "shop" });
  const place = { project: "shop", environment: "production", flag: "checkout" };
  await setFlag(app, OPERATOR, place, { enabled: false });
  return { ...opened, form, send, place };
}

/** The number on a tile. */
function tileIn(text: string, label: string): string {
  return new RegExp(`<span class="count">([^<]*)</span> <span>${label}</span>`).exec(text)![1]!;
}

describe("the overview", () => {
  test("says what to do first, and offers only what the viewer may do", async () => {
    const { viewer, admin } = await openOverview();
    const { text } = await viewer.get("");
    expect(text).toContain("formflag forms create contact");
    expect(text).toContain("formflag projects create shop");
    expect(text).not.toContain("Create a form");
    expect((await admin.get("")).text).toContain("Create a form");
  });

  test("counts what waits", async () => {
    const { app, dashboard, viewer, send, place } = await openShop();
    const ids = [await send(), await send(), await send()];
    await markSubmissions(app, OPERATOR, ids.slice(0, 1), "spam");
    await markSubmissions(app, OPERATOR, ids.slice(1, 2), "read");
    await scheduleChange(app, OPERATOR, place, { patch: { enabled: true }, at: app.now() + 7_200_000 });
    const { text } = await viewer.get("");
    expect(tileIn(text, "Unread submissions")).toBe("1");
    expect(tileIn(text, "Held as spam")).toBe("1");
    expect(tileIn(text, "Scheduled changes")).toBe("1");
    expect(text).toContain("Next: checkout in production");
    expect(tileIn(text, "Stale flags")).toBe("0");
    expect(text).toContain('1<span class="unseen"> unread</span>');
    app.clock.now += 40 * DAY;
    const later = await dashboard.signIn("viewer");
    expect(tileIn((await later.get("")).text, "Stale flags")).toBe("1");
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
    expect((await viewer.get("")).text).toContain("No flag was read in the last 24 hours");
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
    expect(text).not.toContain("Stale flags");
    expect(text).not.toContain("Commit latency");
  });
});
