import { expect, test } from "bun:test";
import { hourOf } from "../../../../src/base/days.ts";
import { setDetails, setFlag } from "../../../../src/flags/flags.ts";
import { setEnvironment } from "../../../../src/projects/environments.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const LIST = "/projects/shop";
const DAY = 86_400_000;

/** The project shop with three flags, and an admin who is signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const set = (flag: string, environment: string, patch: Parameters<typeof setFlag>[3]) =>
    setFlag(app, OPERATOR, { project: "shop", environment, flag }, patch);
  for (const flag of ["alpha", "beta", "gamma"]) await set(flag, "develop", {});
  await set("alpha", "live", {
    enabled: true,
    variants: { on: true, off: false },
    targeting: {
      fractional: [
        ["on", 25],
        ["off", 75],
      ],
    },
  });
  const details = (flag: string, patch: Parameters<typeof setDetails>[3]) =>
    setDetails(app, OPERATOR, { project: "shop", flag }, patch);
  await details("alpha", { owner: "ann", tags: ["search", "ui"] });
  await details("beta", { owner: "team", tags: ["ui"] });
  const ann = await openDashboard(app).signIn("admin", "ann");
  const flagsAt = async (path: string) =>
    [...(await ann.get(path)).text.matchAll(/<tr[^>]* data-flag="([^"]+)"/g)].map(([, name]) => name);
  const tagsOf = async (flag: string) =>
    (await app.store.flags.find({ project: "shop", environment: "live", flag }))!.tags;
  return { app, ann, set, details, flagsAt, tagsOf };
}

test("a row has the state and the share of a flag in each environment", async () => {
  const { ann } = await openShop();
  const { text } = await ann.get(LIST);
  const row = /<tr[^>]* data-flag="alpha".*?<\/tr>/s.exec(text)![0];
  const cell = (name: string) =>
    new RegExp(`<td[^>]* data-environment="${name}".*?</td>`, "s").exec(row)![0].replaceAll(/<[^>]*>/g, " ");
  expect(cell("live")).toContain("25 %");
  expect(cell("develop")).toContain("Off");
  expect(row).toContain('aria-label="alpha"');
});

test("the list is filtered by state, tag, owner, what changed, what is stale, and one's own", async () => {
  const { app, details, flagsAt, set } = await openShop();
  expect(await flagsAt(`${LIST}?state=on`)).toEqual(["alpha"]);
  expect(await flagsAt(`${LIST}?state=off`)).toEqual(["beta", "gamma"]);
  expect(await flagsAt(`${LIST}?tag=ui`)).toEqual(["alpha", "beta"]);
  expect(await flagsAt(`${LIST}?tag=ui&owner=team`)).toEqual(["beta"]);
  expect(await flagsAt(`${LIST}?mine=1`)).toEqual(["alpha"]);
  expect(await flagsAt(`${LIST}?tag=none`)).toEqual([]);
  app.clock.now += 10 * DAY;
  await set("gamma", "live", { payload: 1 });
  expect(await flagsAt(`${LIST}?changed=7d`)).toEqual(["gamma"]);
  await details("alpha", { permanent: true });
  expect(await flagsAt(`${LIST}?stale=1`)).not.toContain("alpha");
  await details("beta", { archived: true });
  expect(await flagsAt(LIST)).toEqual(["alpha", "gamma"]);
  expect(await flagsAt(`${LIST}?state=archived`)).toEqual(["beta"]);
});

test("ticked flags are tagged, archived once a locked environment is confirmed, and promoted after a review", async () => {
  const { app, ann, flagsAt, tagsOf } = await openShop();
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  const tagged = await act({ act: "tag", tag: "q3", flag: ["alpha", "gamma"] });
  expect(tagged.text).toContain("2 flags tagged q3.");
  expect([await tagsOf("alpha"), await tagsOf("gamma")]).toEqual(["search,ui,q3", "q3"]);
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  expect((await act({ act: "archive", flag: "beta" })).status).toBe(428);
  await act({ act: "archive", flag: "beta", confirm: "live" });
  expect(await flagsAt(LIST)).toEqual(["alpha", "gamma"]);
  const review = await ann.post(`${LIST}/compare/review`, { from: "live", to: "develop", flag: "alpha" });
  expect(review.text).toContain("alpha");
  expect((await act({ act: "archive" })).status).toBe(400);
});

test("what differs between environments is a list of its own", async () => {
  const { flagsAt } = await openShop();
  expect(await flagsAt(`${LIST}/compare?differs=1`)).toEqual(["alpha"]);
});

test("what was done to ticked flags is undone for those that it changed", async () => {
  const { ann, flagsAt, tagsOf } = await openShop();
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  const tagged = await act({ act: "tag", tag: "ui", flag: ["alpha", "gamma"] });
  const undo = /<form[^>]*flags\/ticked"[^>]*>.*?<\/form>/s.exec(tagged.text)![0];
  expect(undo).toContain('name="flags" value="gamma"');
  await act({ act: "untag", flags: "gamma", tag: "ui" });
  expect([await tagsOf("alpha"), await tagsOf("gamma")]).toEqual(["search,ui", ""]);
  await act({ act: "archive", flag: ["alpha", "gamma"] });
  expect(await flagsAt(LIST)).toEqual(["beta"]);
  await act({ act: "restore", flags: "alpha,gamma" });
  expect(await flagsAt(LIST)).toEqual(["alpha", "beta", "gamma"]);
});

test("a cell has a line of the reads in the last hours", async () => {
  const { app, ann } = await openShop();
  const { environments } = (await app.store.projects.find("shop"))!;
  const live = environments.find(({ slug }) => slug === "live")!;
  const served = (flag: string, ago: number, count: number) => ({
    kind: "served" as const,
    hour: hourOf(app.now()) - ago,
    what: `${live.key}/${flag}`,
    variant: "on",
    count,
  });
  await app.store.tallies.add([served("alpha", 0, 30), served("alpha", 5, 10), served("alphabet", 0, 99)]);
  const { text } = await ann.get(LIST);
  expect([...text.matchAll(/aria-label="([\d,]+ reads in 24 hours)"/g)].map(([, words]) => words)).toEqual([
    "40 reads in 24 hours",
  ]);
});
