import { expect, test } from "bun:test";
import { uploadReferences } from "../../../../src/flags/code/code-references.ts";
import { setFlag } from "../../../../src/flags/flags.ts";
import { setEnvironment } from "../../../../src/projects/environments.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const DONE = "/projects/shop/done";

async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const set = (flag: string, environment: string, enabled: boolean) =>
    setFlag(app, OPERATOR, { project: "shop", environment, flag }, { enabled });
  for (const flag of ["older", "newer"]) {
    app.clock.now += 86_400_000;
    for (const environment of ["develop", "live"]) await set(flag, environment, true);
  }
  await set("differs", "live", true);
  await set("begun", "live", false);
  const { signIn } = openDashboard(app);
  const listed = (text: string) => [...text.matchAll(/<tr id="done-([^"]+)"/g)].map(([, slug]) => slug);
  return { app, signIn, listed };
}

test("Flags that are done are listed with their branch and references, those done for longest first", async () => {
  const { app, signIn, listed } = await openShop();
  const places = Array.from({ length: 7 }, (_, at) => ({
    filePath: "a.ts",
    lineNumber: at + 1,
    lineContent: "x",
  }));
  const upload = {
    branch: "main",
    projectName: "web",
    repositoryUrl: "https://github.com/ann/shop",
    commit: "0123456789abcdef",
    references: { older: places, begun: places.slice(0, 1) },
  };
  await uploadReferences(app, OPERATOR, "shop", Buffer.from(JSON.stringify(upload)));
  const ann = await signIn("admin", "ann");
  expect((await ann.get("/projects/shop")).text).toContain(`href="/dashboard${DONE}"`);
  const { text } = await ann.get(DONE);
  expect(listed(text)).toEqual(["older", "newer"]);
  expect(text).toContain("keep the true branch");
  expect(text).toContain('href="https://github.com/ann/shop/blob/main/a.ts#L5"');
  expect(text).not.toContain("a.ts#L6");
  expect(text).toContain("0123456789ab<");
  expect(text).toContain('href="/dashboard/projects/shop/flags/older/code"');
});

test("Archive there archives the flag once a locked environment is confirmed, and a reader cannot", async () => {
  const { app, signIn, listed } = await openShop();
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  const ann = await signIn("admin", "ann");
  expect((await ann.post(DONE, { flag: "older" })).status).toBe(428);
  const archived = await ann.post(DONE, { flag: "older", confirm: "live" });
  expect(archived.text).toContain("older is archived.");
  const { text } = await ann.get(DONE);
  expect(listed(text)).toEqual(["newer"]);
  expect((await ann.post(DONE, { flag: "nope", confirm: "live" })).status).toBe(404);
  const viewer = await signIn("viewer");
  expect((await viewer.get(DONE)).text).not.toContain("Archive newer");
  expect((await viewer.post(DONE, { flag: "newer" })).status).toBe(403);
});

test("Archive there refuses a flag that is no longer finished, and the page says what holds it", async () => {
  const { app, signIn, listed } = await openShop();
  const ann = await signIn("admin", "ann");
  await setFlag(app, OPERATOR, { project: "shop", environment: "live", flag: "older" }, { enabled: false });
  const refused = await ann.post(DONE, { flag: "older" });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("is not finished. Serve everyone the same in every environment");
  expect(listed(refused.text)).toEqual(["newer"]);
  const place = { project: "shop", environment: "live", flag: "older" };
  expect((await app.store.flags.find(place))!.archived).toBe(false);
});

test("a long list of flags that are done is in pages", async () => {
  const { app, signIn, listed } = await openShop();
  for (let at = 0; at < 25; at += 1)
    for (const environment of ["develop", "live"])
      await setFlag(app, OPERATOR, { project: "shop", environment, flag: `f-${at}` }, { enabled: true });
  const ann = await signIn("admin", "ann");
  const first = listed((await ann.get(DONE)).text);
  const next = listed((await ann.get(`${DONE}?after=${first.at(-1)}`)).text);
  expect([first.length, next.length, new Set([...first, ...next]).size]).toEqual([20, 7, 27]);
});
