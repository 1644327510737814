import { expect, test } from "bun:test";
import { readGuards } from "../../../src/experiments/guards/guarding.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { stepDue } from "../../../src/flags/ramps/stepping.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { countVisitors } from "../../support/records/visitors.ts";

const DAY = 86_400_000;
const FLAG = "/projects/shop/environments/live/flags/search";
const COURSE = {
  who: "all",
  how: "steps",
  variant: "on",
  step: ["1", "10", "50"],
  every: "86400",
  why: "the plan",
};

/** The address to which a form of a page is sent whose path ends so, behind that of the dashboard. */
function actionOf(text: string, end: string): string {
  return new RegExp(`action="/dashboard(/[^"]*/${end})"`).exec(text)![1]!;
}

/** The project shop with the flag search, and an admin who is signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const place = { project: "shop", environment: "live", flag: "search" };
  await setFlag(app, OPERATOR, place, {});
  const ann = await openDashboard(app).signIn("admin", "ann");
  return {
    app,
    ann,
    send: (fields: Record<string, string | string[]>) =>
      ann.post(`${FLAG}/${"do" in fields ? "ramp" : "release"}`, fields),
    ramp: async () => (await app.store.ramps.find(place))?.ramp,
    flag: async () => (await app.store.flags.find(place))!,
    lock: () => setEnvironment(app, OPERATOR, "shop", "live", { locked: true }),
  };
}

test("A ramp is begun, shown with its steps, paused, resumed by Undo, and aborted", async () => {
  const { app, ann, send, ramp, flag } = await openShop();
  expect((await ann.get(FLAG)).text).toContain("Start the steps in live");
  const begun = await send(COURSE);
  expect(begun.path).toBe("/projects/shop/flags/search?environment=live");
  expect(begun.text).toContain("Released in live. From now on 1 %, tomorrow 10 %, on ");
  expect(begun.text).toContain("the plan");
  expect(await ramp()).toMatchObject({ status: "running", share: 1, every: 86_400, who: "ann" });
  app.clock.now += DAY;
  await stepDue(app, () => {});
  const { text } = await ann.get(FLAG);
  expect(text).toContain("10 % get");
  expect(text).not.toContain("Start the steps");
  expect((await ann.get("/projects/shop/flags/search?environment=live")).text).toContain(">running<");
  expect((await ann.get("/projects/shop/releases")).text).toContain("step 2 of 4");
  const history = (await ann.get("/projects/shop/history?kind=ramp")).text;
  expect(history).toContain("+ on 1 → 10 → 50 → 100 %, a step every day");
  expect(history).toContain("+ running, at 1 %");

  const proposed = await send({ do: "pause", propose: "14d" });
  expect([proposed.status, proposed.text.includes("cannot be proposed")]).toEqual([422, true]);
  expect(await ramp()).toMatchObject({ status: "running" });
  const paused = await send({ do: "pause", why: "lunch" });
  expect(paused.text).toContain("50 % once resumed");
  expect(paused.text).toContain("paused by a person");
  expect(await ramp()).toMatchObject({ status: "paused", reason: "person" });
  expect((await ann.get("/projects/shop/history?kind=ramp")).text).toContain("+ paused by a person, at 10 %");
  expect((await send({ do: "pause" })).status).toBe(422);
  expect((await send({ do: "resume" })).text).toContain("is resumed");
  const aborted = await send({ do: "abort", why: "" });
  expect(aborted.text).toContain("is aborted: 0 % get on");
  expect(aborted.text).toContain("Start the steps in live");
  expect((await flag()).enabled).toBe(false);
  await send(COURSE);
  await send({ do: "keep", why: "" });
  expect(await ramp()).toMatchObject({ status: "aborted", share: 1 });
  expect((await flag()).enabled).toBe(true);
});

test("The next step is made at once and taken back by Undo, and the last one finishes the ramp, also from the list", async () => {
  const { ann, send, ramp, flag, lock } = await openShop();
  await send(COURSE);
  expect((await ann.get(FLAG)).text).toContain("10 % now");
  const next = await send({ do: "next", why: "it looks well" });
  expect(next.text).toContain("is a step further: 10 % get on");
  expect(next.path).toBe("/projects/shop/flags/search?environment=live");
  const undone = await ann.post(actionOf(next.text, "rollback"), {
    revision: String((await flag()).revision),
    to: "before",
  });
  expect(undone.text).toContain("paused because the flag was changed");
  expect((await send({ do: "next" })).text).toContain("is paused: resume it first");
  await lock();
  await send({ do: "resume", confirm: "live" });
  expect((await send({ do: "finish" })).status).toBe(428);
  const finished = await send({ do: "finish", confirm: "live", back: "releases" });
  expect(finished.path).toBe("/projects/shop/releases");
  expect(finished.text).toContain("is finished: 100 % get on");
  expect(await ramp()).toMatchObject({ status: "completed", share: 100 });
});

test("A flag that was changed since the page was loaded begins no ramp", async () => {
  const { app, send, ramp, flag } = await openShop();
  const revision = String((await flag()).revision);
  await setFlag(
    app,
    OPERATOR,
    { project: "shop", environment: "live", flag: "search" },
    { payload: { limit: 5 } },
  );
  const { status, text } = await send({ ...COURSE, revision });
  expect([status, text]).toEqual([422, expect.stringContaining("is at revision")]);
  expect(await ramp()).toBeUndefined();
});

test("A fault of a new ramp stands at its field, and what was typed is kept", async () => {
  const { ann, send, ramp } = await openShop();
  for (const [field, value, message] of [
    ["step", "many", "A step is a share above 0"],
    ["step", ["10", "1"], "The steps rise"],
    ["every", "soon", "Every is a whole number"],
    ["variant", "blue", "Blue is not a variant of the flag"],
    ["guard", "event:error explodes", "is not a guard: write"],
    ["guard", "submissions:nothing falls", "does not exist"],
  ] as const) {
    const { status, text } = await send({ ...COURSE, [field]: value as string | string[] });
    expect([field, value, status]).toEqual([field, value, 422]);
    expect(text).toContain(message);
    expect(text).toContain('value="the plan"');
    expect(text).toContain(`id="release-${field === "guard" ? "guards" : field}-error"`);
    if (field === "step") expect(text.match(/aria-invalid="true"/g)).toHaveLength(1);
  }
  await send(COURSE);
  const held = await send(COURSE);
  expect([held.status, held.text.includes("A ramp already sets the share")]).toEqual([422, true]);
  expect(await ramp()).toMatchObject({ share: 1 });
  expect((await ann.post(`${FLAG}/ramp`, { do: "explode" })).status).toBe(400);
});

test("A ramp with guards is begun with one a line, shown and kept by a confirmation", async () => {
  const { ann, send, ramp, lock } = await openShop();
  await lock();
  const guarded = {
    ...COURSE,
    guard: ["event:error rises", "event:signup falls"],
    "percent event:error rises": "0",
    "percent event:signup falls": "20",
    onGuard: "rollback",
  };
  const asked = await send(guarded);
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("events signup fall more than 20 %");
  for (const value of ["event:signup falls", "20"]) expect(asked.text).toContain(`value="${value}"`);
  await send({ ...guarded, confirm: "live" });
  const guards = ["event:error rises 0%", "event:signup falls 20%"];
  expect(await ramp()).toMatchObject({ guards, onGuard: "rollback" });
  const { text } = await ann.get(FLAG);
  for (const guard of guards) expect(text).toContain(guard);
  expect(text).toContain("It goes back, and tells you, if");
});

test("A guard of a ramp is shown with its numbers and its limit on the page of the flag and on Releases", async () => {
  const { app, ann, send } = await openShop();
  await send({ ...COURSE, guard: "event:error rises", "percent event:error rises": "50" });
  for (const page of [FLAG, "/projects/shop/releases"])
    expect((await ann.get(page)).text).toContain("Errors: no visitors of both variants yet.");
  await countVisitors(app, "search", { off: [2000, 40], on: [1000, 10] });
  for (const page of [FLAG, "/projects/shop/releases"])
    expect((await ann.get(page)).text).toContain("Errors: 1.0 % with it, 2.0 % without it, limit 3.0 %");
});

test("A ramp that a guard stopped offers the way back first, and the flag keeps who changed its rule", async () => {
  const { app, ann, send, ramp } = await openShop();
  await send({ ...COURSE, guard: "event:error rises", "percent event:error rises": "50" });
  await countVisitors(app, "search", { off: [2000, 40], on: [1000, 110] });
  await readGuards(app, () => {});
  expect(await ramp()).toMatchObject({ status: "paused", reason: "guard" });
  const { text } = await ann.get(FLAG);
  expect(text).toMatch(/class="button primary" name="do" value="abort"/);
  expect(text).toMatch(/<dt>By<\/dt><dd>(<bdi[^>]*>)?ann/);
  expect((await ann.get("/projects/shop/releases")).text).toContain("1 % since ");
});

test("A locked environment is typed before its ramp is changed", async () => {
  const { send, ramp, lock } = await openShop();
  await lock();
  const asked = await send(COURSE);
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("Start the steps in live?");
  expect(asked.text).toContain("From now on 1 %, tomorrow 10 %, on ");
  expect(await ramp()).toBeUndefined();
  expect((await send({ ...COURSE, confirm: "live" })).path).toBe(
    "/projects/shop/flags/search?environment=live",
  );
  expect((await send({ do: "pause" })).status).toBe(428);
  expect(await ramp()).toMatchObject({ status: "running" });
});

test("A ramp of a segment that ends with everyone says so on each page, and what was skipped once it is finished", async () => {
  const { app, ann, send, ramp } = await openShop();
  const place = { project: "shop", environment: "live" };
  await setSegment(app, OPERATOR, { ...place, segment: "staff" }, true);
  const course = { ...COURSE, who: "segment", segment: "staff", last: "everyone", step: ["25", "50", "75"] };
  await send(course);
  const { text } = await ann.get(FLAG);
  expect(plain(text)).toContain("25 % of Staff get on, then 50 % of everyone");
  expect(plain(text)).toContain("25 % of Staff");
  expect(plain(text)).toContain("50 % then of everyone");
  expect(plain(text)).toContain("50 % of everyone now");
  expect(plain(text)).toContain("Finish: everyone now");
  const releases = plain((await ann.get("/projects/shop/releases")).text);
  for (const words of ["Finish: everyone now", "50 % then of everyone"]) expect(releases).toContain(words);
  expect(plain((await ann.get("/projects/shop")).text)).toContain("50 % of everyone ");

  app.clock.now += DAY / 2;
  expect(plain((await send({ do: "finish" })).text)).toContain("is finished: everyone gets on.");
  expect(await ramp()).toMatchObject({ status: "completed", share: 100 });
  const done = plain((await ann.get(FLAG)).text);
  expect(done.match(/skipped/g)).toHaveLength(2);
  expect(done).toContain("75 % of everyone skipped");
});

test("The sentence of a release says at once which of its steps is wrong", async () => {
  const { ann, send } = await openShop();
  expect((await ann.get(FLAG)).text).toContain("An empty step is left out.");
  for (const [step, message] of [
    [["60", "", "10"], "The steps rise: 10 % does not follow 60 %."],
    [["0"], "A step is a share above 0 up to 100 %."],
  ] as const) {
    const { status, text } = await send({ ...COURSE, step: [...step], act: "check" });
    expect(status).toBe(200);
    expect(text).toContain(`<p class="error if-steps">${message}</p>`);
  }
  expect((await send({ ...COURSE, step: ["10", "", "60"], act: "check" })).text).not.toContain(
    "error if-steps",
  );
});

test("An environment that needs approvals has buttons that propose", async () => {
  const { app, ann, send, flag } = await openShop();
  await send(COURSE);
  await send({ do: "abort" });
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  const text = plain((await ann.get(FLAG)).text);
  for (const label of ["the steps", "the release", "the schedule", "the experiment"])
    expect(text).toContain(`Propose ${label} in live`);
  expect(text).not.toContain("Start the steps");
  const undo = `/projects/shop/history/${(await flag()).revision}/rollback?to=before`;
  expect(plain((await ann.get(undo)).text)).toContain("Propose to roll back search in live");
});

test("A release of any kind that waits for approval shows on the page of its flag in that environment alone", async () => {
  const { app, ann, send } = await openShop();
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  const propose = { propose: "14d", why: "" };
  for (const release of [
    COURSE,
    { who: "all", how: "now", variant: "on" },
    { who: "all", how: "at", variant: "on", at: "2030-01-01T00:00" },
  ])
    expect((await send({ ...release, ...propose })).path).toContain("/projects/shop/changes/");
  const text = plain((await ann.get(FLAG)).text);
  expect(text.match(/Waits for approval: [^.]*\./g)!.toSorted()).toEqual([
    "Waits for approval: change flag search and ramp search in live, by ann.",
    "Waits for approval: change flag search in live, by ann.",
    "Waits for approval: create schedule for search in live, by ann.",
  ]);
  expect((await ann.get(FLAG.replace("live", "develop"))).text).not.toContain("Waits for approval");
});

/** The text of a page, with single spaces. */
function plain(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ([,.])/g, "$1");
}
