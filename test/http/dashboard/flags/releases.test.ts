import { expect, test } from "bun:test";
import { setFlag } from "../../../../src/flags/flags.ts";
import { startRamp } from "../../../../src/flags/ramps/ramps.ts";
import { stepDue } from "../../../../src/flags/ramps/stepping.ts";
import { scheduleChange } from "../../../../src/flags/schedule/schedule.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const LIVE = { project: "shop", environment: "live" };
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, "").trim();

/** The rows of each group: their titles, and of one that opens its summary without the time. */
function groupsIn(text: string): Record<string, string[]> {
  const groups = [...text.matchAll(/<section class="card flush" aria-labelledby="(\w+)">(.*?)<\/section>/gs)];
  return Object.fromEntries(
    groups.map(([, name, group]) => [
      name!,
      [
        ...group!.matchAll(/<li id="[^"]*"[^>]*>(?:<details.*?<h3>(.*?)<span class="end|.*?<p>(.*?)<\/p>)/gs),
      ].map(([, summary, title]) => wordsOf(summary?.replaceAll("><", "> <") ?? title!)),
    ]),
  );
}

test("releases are one list, by what a person does next", async () => {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  const { get } = await openDashboard(app).signIn("editor");
  expect((await get("/projects/shop/releases")).text).toContain("A release begins on the page of its flag.");
  for (const flag of ["hero", "dark", "sale", "done"])
    await setFlag(app, OPERATOR, { ...LIVE, flag }, { enabled: flag === "dark" });
  const ramp = { variant: "on", to: [25, 100], every: 3600 };
  await startRamp(app, OPERATOR, { ...LIVE, flag: "hero" }, ramp);
  await startRamp(app, OPERATOR, { ...LIVE, flag: "sale" }, ramp);
  await startRamp(app, OPERATOR, { ...LIVE, flag: "done" }, { ...ramp, to: [100] });
  await setFlag(app, OPERATOR, { ...LIVE, flag: "hero" }, { enabled: false });
  await stepDue(app, () => {});
  const at = app.now() + 7_200_000;
  await scheduleChange(app, OPERATOR, { ...LIVE, flag: "dark" }, { patch: { enabled: false }, at });
  const { text } = await get("/projects/shop/releases");
  expect(groupsIn(text)).toEqual({
    decide: ["hero live stopped at 25 % paused because the flag was changed"],
    running: ["sale live 25 % step 1 of 2"],
    next: ["dark off in live"],
    finished: ["done reached 100 % in live"],
  });
  expect(text).toContain('href="/dashboard/projects/shop/flags/hero?environment=live"');
  expect(text).toContain("paused because the flag was changed");
  expect(text.match(/class="button primary"/g)).toHaveLength(1);
});

test("the lists of before lead to the kind that they listed, with their filter", async () => {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  const { ask } = await openDashboard(app).signIn("viewer");
  for (const [old, query] of [
    ["scheduled", "show=scheduled"],
    ["scheduled?environment=live", "show=scheduled&environment=live"],
    ["changes", "show=proposals"],
    ["changes?status=open", "show=proposals"],
    ["changes?status=applied", "show=finished"],
    ["experiments?environment=live&flag=hero", "show=experiments&environment=live&flag=hero"],
  ]) {
    const { status, headers } = await ask(`/projects/shop/${old}`);
    expect([status, headers.get("location")]).toEqual([302, `/dashboard/projects/shop/releases?${query}`]);
  }
});

test("a chip shows one kind, an environment or a flag, and those that have ended have pages", async () => {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const { get } = await openDashboard(app).signIn("editor");
  const place = (flag: string, environment = "live") => ({ project: "shop", environment, flag });
  for (const [flag, environment] of [
    ["hero", "live"],
    ["dark", "develop"],
  ] as const) {
    await setFlag(app, OPERATOR, place(flag, environment), { enabled: false });
    await startRamp(app, OPERATOR, place(flag, environment), { variant: "on", to: [25, 100], every: 3600 });
  }
  const at = app.now() + 7_200_000;
  for (const minute of Array.from({ length: 30 }, (_, index) => index))
    await scheduleChange(app, OPERATOR, place("hero"), {
      patch: { enabled: false },
      at: at + minute * 60_000,
    });
  const list = "/projects/shop/releases";
  const shown = async (query: string) => {
    const { text } = await get(`${list}?${query}`);
    const groups = groupsIn(text);
    return Object.fromEntries(Object.entries(groups).map(([group, rows]) => [group, rows.length]));
  };
  expect(await shown("")).toEqual({ running: 2, next: 25 });
  expect(await shown("show=steps")).toEqual({ running: 2 });
  expect(await shown("show=steps&environment=develop")).toEqual({ running: 1 });
  expect(await shown("flag=dark")).toEqual({ running: 1 });
  expect(await shown("show=experiments")).toEqual({});
  const { text } = await get(`${list}?show=scheduled`);
  expect(wordsOf(text)).toContain("Steps2Scheduled25+Experiments");
  const next = /href="\/dashboard(\/projects\/shop\/releases\?show=scheduled&amp;scheduled=[^"]*)"/.exec(
    text,
  );
  const later = await get(next![1]!.replaceAll("&amp;", "&"));
  expect(groupsIn(later.text)["next"]).toHaveLength(5);
  for (const wrong of ["show=all", "past=x", "failed=x", "scheduled=x"])
    expect([wrong, (await get(`${list}?${wrong}`)).status]).toEqual([wrong, 400]);
  expect((await get(`${list}?environment=nowhere`)).status).toBe(404);

  for (const number of Array.from({ length: 201 }, (_, index) => index)) {
    await setFlag(app, OPERATOR, place(`old-${number}`), {});
    await startRamp(app, OPERATOR, place(`old-${number}`), { variant: "on", to: [100], every: 3600 });
  }
  expect(await shown("")).toEqual({ running: 2, next: 25, finished: 8 });
  const ended = await get(`${list}?show=finished`);
  const rest = /href="\/dashboard(\/projects\/shop\/releases\?show=finished&amp;past=[^"]*)"/.exec(
    ended.text,
  );
  const older = await get(rest![1]!.replaceAll("&amp;", "&"));
  const all = [ended, older].flatMap(({ text }) => groupsIn(text)["finished"]!);
  expect(new Set(all).size).toBe(201);
});
