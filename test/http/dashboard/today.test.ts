import { describe, expect, test } from "bun:test";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../../src/documents/changes/proposals.ts";
import { approveProposal } from "../../../src/documents/changes/reviews.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { rerunOn } from "../../../src/operations/changes/perform.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { failDeliveries } from "../../support/records/failing.ts";
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

  const dashboard = openDashboard(app);
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

const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, "");

/** The items of what waits: kind, text and the page that the button leads to. */
function waitingIn(text: string): string[][] {
  const items = [...text.matchAll(/<li[^>]* data-waiting="(\w+)"[^>]*>(.*?)<\/li>/gs)];
  return items.map(([, kind, content]) => {
    const to = [...content!.matchAll(/href="\/dashboard([^"]*)"/g)].at(-1)![1]!;
    const lines = [...content!.matchAll(/<p>(.*?)<\/p>/gs)].map(([, line]) => wordsOf(line!).trim());
    return [kind!, ...lines, to];
  });
}

/** What happens by itself, without its times. */
function comingIn(text: string): string[] {
  const [, card = ""] = /<h2 id="coming">(.*?)<\/section>/s.exec(text) ?? [];
  return [...card.matchAll(/<p>(.*?)<\/p>/gs)].map(([, line]) => wordsOf(line!));
}

describe("the first page", () => {
  test("says what to do first, and offers only what the viewer may do", async () => {
    const { viewer, admin } = await openToday();
    expect((await viewer.get("")).text).not.toContain("Create the form");
    const { text } = await admin.get("");
    for (const step of ["Create the form", "Create the flag", "Come back without a link"])
      expect(text).toContain(step);
  });

  test("lists what waits, each with its button", async () => {
    const { app, dashboard, viewer, form, send, place } = await openShop();
    expect((await viewer.get("")).text).toContain("Nothing needs you.");
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
    const { text } = await viewer.get("");
    const [target_, unread, ...others] = waitingIn(text);
    expect(target_).toEqual([
      "target",
      "example.com takes nothing from contact",
      expect.stringMatching(/^Refused\. 1 failed\. Since .*\.$/),
      `/deliveries/${delivery.id}`,
    ]);
    expect(unread).toEqual([
      "unread",
      "2 unread in the inbox",
      expect.stringMatching(/^The oldest is to contact\. Since .*\.$/),
      "/inbox/contact?unread=1",
    ]);
    expect(others).toEqual([]);
    expect(comingIn(text)).toEqual(["checkout on in production"]);
    expect(text.match(/class="button primary"/g)).toHaveLength(1);
    expect(text).toContain('<span class="count warn">2</span>');
    app.clock.now += 40 * DAY;
    const later = await dashboard.signIn("viewer");
    expect(waitingIn((await later.get("")).text)).toContainEqual([
      "stale",
      "checkout gives everyone the same for 40 days",
      "It is ready to remove.",
      "/projects/shop?stale=1",
    ]);
  });

  test("says how many of what is unread are one's own", async () => {
    const { app, dashboard, viewer, send } = await openShop();
    const inbox = await dashboard.signIn("inbox");
    const [mine] = [await send(), await send()];
    await assignSubmissions(app, OPERATOR, [mine], "inbox");
    const titleFor = async ({ get }: Pick<typeof viewer, "get">) => waitingIn((await get("")).text)[0]![1];
    expect(await titleFor(inbox)).toBe("2 unread in the inbox, 1 of them yours");
    expect(await titleFor(viewer)).toBe("2 unread in the inbox");
    await markSubmissions(app, OPERATOR, [mine], "read");
    expect(await titleFor(inbox)).toBe("1 unread in the inbox");
  });

  test("lists the changes of others that need approvals", async () => {
    const { app, dashboard, viewer, admin, place } = await openShop();
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
    const releaser = await dashboard.signIn("releaser");
    const [item] = waitingIn((await releaser.get("")).text);
    expect([item![0], item![3]]).toEqual(["proposal", `/projects/shop/changes/${change.id}`]);
    expect(item![1]).toStartWith("admin proposes to ");
    expect(item![2]).toStartWith("Production, 0 of 1 approval.");
    expect(waitingIn((await viewer.get("")).text)).toEqual([]);
    // The admin proposed it.
    expect(waitingIn((await admin.get("")).text).map(([kind]) => kind)).toEqual(["health"]);
  });

  test("lists what an assistant proposed for its person where no approvals are required, to approve and to apply", async () => {
    const { app, admin, place } = await openShop();
    const operation = {
      operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
      names: place,
      query: undefined,
      body: { enabled: true },
    };
    const caller = { ...callerNamed("admin"), type: "user" as const };
    const { change } = (await proposeChange(
      app,
      { ...caller, via: "Claude" },
      operation,
      { project: "shop", lasts: DAY },
      rerunOn(app),
    )) as { change: ProposalView };
    const titles = async () =>
      waitingIn((await admin.get("")).text).flatMap(([kind, title]) => (kind === "proposal" ? [title] : []));
    expect(await titles()).toEqual([expect.stringMatching(/^admin via Claude proposes to /)]);
    await approveProposal(app, caller, { project: "shop", change: change.id }, { etag: change.etag });
    expect(await titles()).toEqual([expect.stringMatching(/^Your change is approved: /)]);
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
    await approveProposal(app, caller, { project: "shop", change: change.id }, { etag: change.etag });
    expect(await kindsFor(releaser)).toEqual([]);
    expect(await kindsFor(await dashboard.signIn("admin"))).toEqual(["proposal", "health"]);
  });

  test("warns an admin of users who have no way back but a link, until each has one", async () => {
    const { viewer, admin } = await openShop();
    expect(waitingIn((await admin.get("")).text)).toEqual([
      [
        "health",
        "1 warning about the server",
        "Users: users without a password and a passkey: 2 of 2. They need a link to sign in again.",
        "/health",
      ],
    ]);
    expect(waitingIn((await viewer.get("")).text)).toEqual([]);
    for (const { post } of [viewer, admin]) await post("/me/password", { next: "correct horse battery" });
    expect(waitingIn((await admin.get("")).text)).toEqual([]);
  });

  test("counts the submissions of a range, and compares them with as many days before", async () => {
    const { app, dashboard, send, form } = await openShop();
    app.clock.now = Date.parse("2026-03-01T12:00:00Z");
    await send();
    await send();
    app.clock.now = Date.parse("2026-03-10T12:00:00Z");
    await send();
    await storeSubmission(app, form, { data: "{}", files: [] });
    const spam = await send();
    await markSubmissions(app, OPERATOR, [spam], "spam");
    const { get } = await dashboard.signIn("viewer");
    const tilesIn = async (query: string) =>
      [...(await get(query)).text.matchAll(/class="tile">(.*?)<\/a>/gs)].map(([, tile]) => wordsOf(tile!));
    const [submissions, spamTile, answers, reads] = await tilesIn("");
    expect(submissions).toBe("Submissions3 ↑ 50 %");
    expect(spamTile).toStartWith("Spam kept away0");
    expect((await get("")).text).toContain('href="/dashboard/inbox?folder=spam&amp;since=2026-03-04"');
    expect(answers).toStartWith("First answer, median–");
    expect(reads).toBe("Flag reads0 ");
    expect((await tilesIn("?days=30"))[0]).toBe("Submissions5 ");
    expect((await get("?days=30")).text).toContain(
      '<a href="/dashboard?days=30" aria-current="true">30 days</a>',
    );
    for (const query of ["?days=0", "?days=91", "?days=many"]) expect((await get(query)).status).toBe(400);
    expect((await get("?form=contact")).headers.get("location")).toBe("/dashboard/forms/contact");
  });

  test("says after which time submissions are answered, at the median", async () => {
    const { app, dashboard, send } = await openShop();
    for (const minutes of [10, 30, 200]) {
      const id = await send();
      app.clock.now += minutes * 60_000;
      await markSubmissions(app, OPERATOR, [id], "archived");
    }
    const { text } = await (await dashboard.signIn("viewer")).get("");
    expect(text).toContain("<b>30 min</b>");
  });

  test("lists the changes of flags with who made them and why", async () => {
    const { app, viewer, place } = await openShop();
    app.clock.now += DAY;
    const ann = callerNamed("ann", { via: "Claude", why: "orders <b>fell</b>" });
    await setFlag(app, ann, place, { enabled: true });
    const { text } = await viewer.get("");
    const [, card = ""] = /<h2 id="changed">(.*?)<\/section>/s.exec(text)!;
    expect(wordsOf(card)).toContain(
      "checkout turned on in production, by ann via Claude: orders &lt;b&gt;fell&lt;/b&gt;",
    );
    expect(card).toContain("/dashboard/projects/shop/flags/checkout?environment=production");
  });

  test("counts reads of flags by the day, of the environments that one sees", async () => {
    const { app, viewer } = await openShop();
    const { environments } = (await app.store.projects.find("shop"))!;
    const what = environments.find(({ slug }) => slug === "production")!.key;
    const hour = Math.floor(app.now() / 3_600_000);
    const counted = { kind: "reads" as const, what, variant: "one" };
    await app.store.tallies.add([{ ...counted, hour: hour - 30, count: 1234 }]);
    await app.store.tallies.add([{ ...counted, hour: hour - 24 * 9, count: 617 }]);
    expect(wordsOf((await viewer.get("")).text)).toContain("Flag reads1,234 ↑ 100 %");
  });

  test("counts beside its name in the navigation what needs one", async () => {
    const { dashboard, send } = await openShop();
    await send();
    const { get } = await dashboard.signIn("viewer");
    await get("");
    expect(wordsOf((await get("/forms")).text)).toContain("Today1 need you");
  });

  test("shows a user of forms what they may read, and nothing of the server", async () => {
    const { dashboard } = await openShop();
    const inbox = await dashboard.signIn("inbox");
    const { status, text } = await inbox.get("");
    expect(status).toBe(200);
    expect(text).toContain("Spam kept away");
    expect(text).not.toContain("Flag reads");
    expect(text).not.toContain("What changed");
    expect(waitingIn(text).map(([kind]) => kind)).not.toContain("stale");
  });
});
