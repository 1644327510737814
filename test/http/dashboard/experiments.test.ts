import { expect, test } from "bun:test";
import { setFlag } from "../../../src/flags/flags.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { countVisitors } from "../../support/records/visitors.ts";

const DAY = 86_400_000;
const LIST = "/projects/shop/releases?show=experiments";
const NEW = "/projects/shop/experiments/new";
const PAGE = "/projects/shop/environments/live/experiments/headline";
const DESIGN = {
  name: "headline",
  environment: "live",
  flag: "hero",
  metrics: "submissions:contact",
  more: "event:signup\n\n event:scroll ",
  split: "off:50, on:50",
  control: "",
  minDays: "2",
  hypothesis: "<b>Short</b> headlines bring more",
  guards: "event:error rises 0%",
  onGuard: "rollback",
  why: "asked for",
};

/** The project shop with the flag hero and the form contact, and an admin who is signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  await createForm(app, OPERATOR, { slug: "contact", project: "shop" });
  const place = { project: "shop", environment: "live", flag: "hero" };
  await setFlag(app, OPERATOR, place, {});
  const ann = await openDashboard(app).signIn("admin", "ann");
  const found = () => app.store.experiments.find({ ...place, experiment: "headline" });
  return {
    app,
    ann,
    create: (fields: Record<string, string> = {}) => ann.post(NEW, { ...DESIGN, ...fields }),
    step: (step: string, fields: Record<string, string> = {}) =>
      ann.post(`${PAGE}/state`, { do: step, ...fields }),
    ship: (fields: Record<string, string>) => ann.post(`${PAGE}/ship`, fields),
    experiment: async () => (await found())?.experiment,
    flag: async () => (await app.store.flags.find(place))!,
    count: (counts: Record<string, readonly [number, number]>) => countVisitors(app, "hero", counts),
    lock: () => setEnvironment(app, OPERATOR, "shop", "live", { locked: true }),
  };
}

test("An experiment is created as a draft, started, paused, resumed by Undo, and stopped", async () => {
  const { ann, create, step, experiment, flag } = await openShop();
  const empty = await ann.get(LIST);
  expect(empty.text).toContain("No release matches");
  const form = await ann.get(`${NEW}?flag=hero`);
  for (const shown of ['value="hero"', '<option value="submissions:contact"'])
    expect(form.text).toContain(shown);
  const created = await create();
  expect([created.path, created.status]).toEqual([PAGE, 200]);
  for (const shown of [
    "The experiment headline is created as a draft.",
    "Nothing is counted before the start.",
    "&lt;b&gt;Short&lt;/b&gt; headlines bring more",
    "Start the experiment in live",
    "off 50 %, on 50 %",
    "event:error rises 0%: rollback",
  ])
    expect(created.text).toContain(shown);
  expect(await experiment()).toMatchObject({
    metrics: ["submissions:contact", "event:signup", "event:scroll"],
    split: { off: 50, on: 50 },
    minDays: 2,
    why: "asked for",
    who: "ann",
  });

  const started = await step("start", { why: "the plan" });
  expect(started.text).toContain("The experiment headline is started.");
  expect((await flag()).enabled).toBe(true);
  expect((await ann.get(LIST)).text).toContain("day 1 of 2 · no result yet");
  expect((await step("start")).text).toContain("is running: it is started once");
  const paused = await step("pause");
  expect(paused.text).toContain("paused by a person");
  expect(paused.text).toContain(">Undo<");
  expect((await step("resume")).text).toContain("is resumed");
  expect((await ann.post(`${PAGE}/delete`, {})).status).toBe(422);
  expect((await step("stop")).text).toContain("is stopped");
  expect((await flag()).enabled).toBe(false);
  expect((await ann.post(`${PAGE}/delete`, {})).path).toBe("/projects/shop/releases");
  expect(await experiment()).toBeUndefined();
  const history = await ann.get("/projects/shop/history?kind=experiment");
  expect(history.text).toContain("asked for");
});

test("Results are a table with intervals as bars, a verdict in words, and the winner", async () => {
  const { app, ann, create, step, count } = await openShop();
  await create({ guards: "" });
  await step("start");
  await count({ off: [10, 1], on: [12, 2] });
  const early = (await ann.get(PAGE)).text;
  expect(early).toContain("There are too few visitors or conversions yet.");
  expect(early).toContain("too few visitors or conversions</span>");
  await count({ off: [4000, 400], on: [4000, 640] });
  expect((await ann.get(PAGE)).text).toContain("There is no winner before 2 days.");
  app.clock.now += 3 * DAY;
  const { text } = await ann.get(PAGE);
  expect(text).toContain("on wins.");
  const bar = /<svg role="img" aria-label="better: \+6\.0 %, from \+(\S+) to \+(\S+)" class="good">/.exec(
    text,
  );
  expect(bar).not.toBeNull();
  expect(text).toContain(`from +${bar![1]} to +${bar![2]}`);
  expect(text).toContain("4,010");
  expect(text).toContain("Robbins 1970");
  // Only the first metric decides.
  expect(text.match(/>decides</g)).toHaveLength(1);
});

test("An alarm about the split stands above all, and no winner is named", async () => {
  const { app, ann, create, step, count } = await openShop();
  await create({ guards: "" });
  await step("start");
  await count({ off: [3000, 300], on: [4000, 640] });
  app.clock.now += 3 * DAY;
  const { text } = await ann.get(PAGE);
  expect(text).toContain("The split is off");
  expect(text).toContain("Visitors are not split as planned");
  expect(text).not.toContain("wins.");
});

test("A variant is shipped to everybody, or by the steps of a ramp", async () => {
  const { app, ann, create, step, ship, experiment, flag } = await openShop();
  await create();
  await step("start");
  for (const [field, value, message] of [
    ["to", "many", "Write percentages with commas"],
    ["to", "50, 10", "The shares of a ramp rise"],
    ["every", "soon", "Write a time such as 30m"],
    ["variant", "blue", "&quot;blue&quot; is not a variant"],
  ] as const) {
    const { status, text } = await ship({ variant: "on", to: "75, 100", every: "1d", [field]: value });
    expect([field, status]).toEqual([field, 422]);
    expect(text).toContain(message);
    expect(text).toContain(`id="${field}-error"`);
  }
  const shipped = await ship({ variant: "on", to: "75, 100 %", every: "1d", why: "it won" });
  expect(shipped.text).toContain("on goes to 75 %, 100 % of users");
  expect(await experiment()).toMatchObject({ status: "ended" });
  expect((await ann.get("/projects/shop/releases")).text).toContain("Experiment · no winner · by");
  expect((await flag()).rules).toContain("fractional");
  const place = { project: "shop", environment: "live", flag: "hero" };
  expect((await app.store.ramps.find(place))?.ramp).toMatchObject({ status: "running", share: 75 });
  expect((await ann.get(PAGE)).text).not.toContain("Ship a variant");
});

test("A fault of a new experiment stands at its field, and what was typed is kept", async () => {
  const { create, experiment } = await openShop();
  for (const [field, value, message] of [
    ["name", "two words", "An experiment is named by"],
    ["environment", "nowhere", "does not exist"],
    ["flag", "nothing", "does not exist"],
    ["metrics", "", "Name what decides"],
    ["metrics", "contact", "is not a metric"],
    ["metrics", "submissions:nothing", "nothing"],
    ["split", "half and half", "Write a weight for each variant"],
    ["split", "off:50,blue:50", '"blue" is not a variant'],
    ["control", "blue", "The control blue is not in the split"],
    ["minDays", "100", "MinDays is a whole number"],
    ["guards", "errors rise", "is not a guard"],
  ] as const) {
    const { status, text } = await create({ [field]: value });
    expect([field, value, status]).toEqual([field, value, 422]);
    expect(text).toContain('value="asked for"');
    const at = new RegExp(`id="${field}-error">([^<]*)`).exec(text)?.[1];
    expect([field, value, at?.replaceAll("&quot;", '"')]).toEqual([
      field,
      value,
      expect.stringContaining(message),
    ]);
  }
  expect(await experiment()).toBeUndefined();
  await create();
  expect((await create()).text).toContain("exists in live");
});

test("A locked environment is typed before its experiment is changed", async () => {
  const { ann, create, step, lock, experiment } = await openShop();
  await create();
  await lock();
  const asked = await step("start");
  expect([asked.status, asked.text.includes("Start headline in live?")]).toEqual([428, true]);
  expect(await experiment()).toMatchObject({ status: "draft" });
  await step("start", { confirm: "live" });
  expect(await experiment()).toMatchObject({ status: "running" });
  expect((await ann.post(`${PAGE}/ship`, { variant: "on", to: "" })).status).toBe(428);
});

test("Where changes need approvals, the start is proposed", async () => {
  const { app, create, step, experiment } = await openShop();
  await create();
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  expect((await step("start")).text).toContain("Propose this change?");
  const proposed = await step("start", { propose: "14d", why: "please" });
  expect(proposed.text).toContain("The change is proposed");
  expect(await experiment()).toMatchObject({ status: "draft" });
});

test("The list shows the experiments of every environment, of one, and of a flag", async () => {
  const { app, ann, create } = await openShop();
  await setFlag(app, OPERATOR, { project: "shop", environment: "develop", flag: "search" }, {});
  await create();
  await create({ name: "results", environment: "develop", flag: "search" });
  const listed = async (query: string) => {
    const { text } = await ann.get(`${LIST}${query}`);
    return ["headline", "results"].filter((name) => text.includes(`/experiments/${name}"`));
  };
  expect(await listed("")).toEqual(["headline", "results"]);
  expect(await listed("&environment=live")).toEqual(["headline"]);
  expect(await listed("&flag=search")).toEqual(["results"]);
  expect((await ann.get("/projects/shop/flags/hero")).text).toContain(
    "/releases?show=experiments&amp;flag=hero",
  );
});
