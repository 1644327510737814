import { expect, test } from "bun:test";
import { setFlag } from "../../../src/flags/flags.ts";
import { stepDue } from "../../../src/flags/ramps/stepping.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const DAY = 86_400_000;
const FLAG = "/projects/shop/environments/live/flags/search";
const COURSE = { do: "start", variant: "on", to: "1, 10 %, 50,100", every: "1d", start: "", why: "the plan" };

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
    send: (fields: Record<string, string>) => ann.post(`${FLAG}/ramp`, fields),
    ramp: async () => (await app.store.ramps.find(place))?.ramp,
    flag: async () => (await app.store.flags.find(place))!,
    lock: () => setEnvironment(app, OPERATOR, "shop", "live", { locked: true }),
  };
}

test("A ramp is begun, shown with its steps, paused, resumed by Undo, and aborted", async () => {
  const { app, ann, send, ramp, flag } = await openShop();
  expect((await ann.get(FLAG)).text).toContain("Begin the ramp in live");
  const begun = await send(COURSE);
  expect(begun.path).toBe("/projects/shop/flags/search?environment=live");
  expect(begun.text).toContain("The ramp of search in live is begun: 1 % get on");
  expect(begun.text).toContain("the plan");
  expect(await ramp()).toMatchObject({ status: "running", share: 1, every: 86_400, who: "ann" });
  app.clock.now += DAY;
  await stepDue(app, () => {});
  const { text } = await ann.get(FLAG);
  expect(text).toContain("10 % get");
  expect(text).not.toContain("Begin a ramp");
  expect((await ann.get("/projects/shop/flags/search")).text).toContain("running: 10 % get");
  expect((await ann.get("/projects/shop/scheduled")).text).toContain("10 % on");
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
  expect((await flag()).enabled).toBe(false);
  await send(COURSE);
  await send({ do: "abort", keep: "on", why: "" });
  expect(await ramp()).toMatchObject({ status: "aborted", share: 1 });
  expect((await flag()).enabled).toBe(true);
});

test("A fault of a new ramp stands at its field, and what was typed is kept", async () => {
  const { ann, send, ramp } = await openShop();
  for (const [field, value, message] of [
    ["to", "1,many", "Write percentages with commas"],
    ["to", "10,1", "The shares of a ramp rise"],
    ["every", "soon", "Write a time such as 30m"],
    ["start", "tomorrow", "Write a date and a time"],
    ["start", "2020-01-01T00:00", "A ramp starts later"],
    ["variant", "blue", "Blue is not a variant of the flag"],
    ["guards", "event:error explodes", "is not a guard: write"],
    ["guards", "submissions:nothing falls 20%", "does not exist"],
  ] as const) {
    const { status, text } = await send({ ...COURSE, [field]: value });
    expect([field, value, status]).toEqual([field, value, 422]);
    expect(text).toContain(message);
    expect(text).toContain('value="the plan"');
    expect(text).toContain(`id="${field}-error"`);
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
    guards: "event:error rises 0%\r\n\r\nevent:signup falls 20% \r\n",
    onGuard: "rollback",
  };
  const asked = await send(guarded);
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("event:signup falls 20%");
  await send({ ...guarded, confirm: "live" });
  const guards = ["event:error rises 0%", "event:signup falls 20%"];
  expect(await ramp()).toMatchObject({ guards, onGuard: "rollback" });
  const { text } = await ann.get(FLAG);
  for (const guard of guards) expect(text).toContain(guard);
  expect(text).toContain("roll back");
});

test("A locked environment is typed before its ramp is changed", async () => {
  const { send, ramp, lock } = await openShop();
  await lock();
  const asked = await send(COURSE);
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("Begin the ramp in live?");
  expect(asked.text).toContain("on goes to 1 %, 10 %, 50 %, 100 % of users, a step every day");
  expect(await ramp()).toBeUndefined();
  expect((await send({ ...COURSE, confirm: "live" })).path).toBe(
    "/projects/shop/flags/search?environment=live",
  );
  expect((await send({ do: "pause" })).status).toBe(428);
  expect(await ramp()).toMatchObject({ status: "running" });
});
