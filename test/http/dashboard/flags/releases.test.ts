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
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, "");

/** The rows of each group, without their details. */
function groupsIn(text: string): Record<string, string[]> {
  const groups = [...text.matchAll(/<section class="card flush" aria-labelledby="(\w+)">(.*?)<\/section>/gs)];
  return Object.fromEntries(
    groups.map(([, name, group]) => [
      name!,
      [...group!.matchAll(/<li[^>]*>.*?<p>(.*?)<\/p>/gs)].map(([, title]) => wordsOf(title!)),
    ]),
  );
}

test("releases are one list, by what a person does next", async () => {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  const { get } = await openDashboard(app).signIn("viewer");
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
    decide: ["hero stopped at 25 % in live"],
    running: ["sale 25 % in live"],
    next: ["dark off in live"],
    finished: ["done reached 100 % in live"],
  });
  expect(text).toContain('href="/dashboard/projects/shop/flags/hero?environment=live"');
  expect(text).toContain("paused because the flag was changed");
  expect(text.match(/class="button primary"/g)).toHaveLength(1);
  for (const page of ["scheduled", "changes", "experiments"])
    expect(text).toContain(`/dashboard/projects/shop/${page}`);
});
