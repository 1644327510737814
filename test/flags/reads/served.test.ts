import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { DAY_MS, HOUR_MS, hourOf } from "../../../src/base/days.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { TALLY_LIMITS } from "../../../src/flags/limits.ts";
import { tallyExpiryJob } from "../../../src/flags/reads/read-tally.ts";
import { createReads } from "../../../src/flags/reads/reads.ts";
import { servedToday } from "../../../src/flags/reads/served.ts";
import { createFlagsService } from "../../../src/http/flags/flags.ts";
import { createOfrepService } from "../../../src/http/flags/ofrep.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const PLACE = { project: "shop", environment: "live" };
const client = () => clientAt("127.0.0.1");

/** The project shop, its services as a process has them, and what was counted of a flag today. */
async function open() {
  const app = openTestApp();
  const { key, environments } = await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  const set = (flag: string, patch: object) =>
    setFlag(app, OPERATOR, { ...PLACE, flag }, { enabled: true, ...patch });
  const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
  const startProcess = () => {
    const { report } = openServices(app);
    const reads = createReads(app.store);
    const flags = createFlagsService(app, report, undefined, reads.note);
    const ofrep = createOfrepService(app, report, { noteRead: reads.note });
    const ask = (context: object) => {
      const body = JSON.stringify({ context });
      return new Request("http://localhost/", { method: "POST", headers, body });
    };
    return {
      evaluate: (flag: string, context: object = {}) => ofrep.evaluateOne(ask(context), flag, client),
      evaluateAll: (context: object = {}) => ofrep.evaluateAll(ask(context), client),
      get: (flag: string) => flags.readFlag(new Request("http://localhost/", { headers }), flag, client),
      list: () => flags.readFlags(new Request("http://localhost/", { headers }), client),
      askAs: (token: string) =>
        ofrep.evaluateAll(
          new Request("http://localhost/", {
            method: "POST",
            headers: { authorization: `Bearer ${token}` },
            body: '{"context":{}}',
          }),
          client,
        ),
      flush: reads.flush,
    };
  };
  const served = (flag: string, timeZone = "UTC") => servedToday(app, OPERATOR, { ...PLACE, flag }, timeZone);
  return { app, set, startProcess, served, headers };
}

const PLAN = {
  if: [{ "==": [{ var: "plan" }, "pro"] }, "a", { "==": [{ var: "plan" }, "none"] }, null, "b"],
};
const HERO = { variants: { a: "A", b: "B" }, targeting: PLAN };

test("evaluations over OFREP are counted by variant, one flag and all of them", async () => {
  const { set, startProcess, served } = await open();
  await set("hero", HERO);
  await set("sale", { payload: 7 });
  const one = startProcess();
  for (const plan of ["pro", "pro", "free", "none"]) await one.evaluate("hero", { plan });
  await one.evaluateAll({ plan: "pro" });
  await one.evaluate("sale.payload");
  expect(await served("hero")).toMatchObject({ reads: 0 });
  await one.flush();
  expect(await served("hero")).toEqual({
    day: "2026-01-02",
    timeZone: "UTC",
    reads: 5,
    variants: { a: 3, b: 1 },
    none: 1,
  });
  expect(await served("sale")).toMatchObject({ reads: 1, variants: { on: 1 } });
});

test("reads of one flag and of the list are counted, before and after a change", async () => {
  const { set, startProcess, served } = await open();
  await set("hero", HERO);
  await set("sale", {});
  const { get, list, flush } = startProcess();
  for (let read = 0; read < 3; read += 1) await get("sale");
  await list();
  await set("sale", { enabled: false });
  await get("sale");
  await list();
  await flush();
  expect(await served("sale")).toMatchObject({ reads: 6, variants: { on: 4, off: 2 } });
  expect(await served("hero")).toMatchObject({ reads: 2, variants: { b: 2 } });
  await list();
  await flush();
  expect(await served("sale")).toMatchObject({ variants: { on: 4, off: 3 } });
});

test("a flag that is off serves no variant, and pages with a browser key count", async () => {
  const { app, set, startProcess, served } = await open();
  await set("hero", { ...HERO, browser: true });
  await set("gone", { ...HERO, enabled: false });
  const key = { name: "site", scopes: ["flags:browser" as const], ...PLACE };
  const { token } = await createToken(app, OPERATOR, key);
  const { evaluate, askAs, flush } = startProcess();
  await evaluate("gone");
  expect((await askAs(token)).status).toBe(200);
  await flush();
  expect(await served("gone")).toMatchObject({ reads: 1, variants: {}, none: 1 });
  expect(await served("hero")).toMatchObject({ reads: 1, variants: { b: 1 } });
});

test("every process adds its own, and the day begins at midnight in the time zone", async () => {
  const { app, set, startProcess, served } = await open();
  await set("sale", {});
  const processes = [startProcess(), startProcess()];
  for (const { get, evaluate, flush } of processes) {
    await get("sale");
    await evaluate("sale");
    await flush();
  }
  expect(await served("sale")).toMatchObject({ variants: { on: 4 } });
  app.clock.now += 13 * HOUR_MS;
  const { day } = await served("sale");
  const later = await served("sale", "Pacific/Auckland");
  expect([day < later.day, later.reads]).toEqual([true, 0]);
});

test("counts are removed after their days", async () => {
  const { app, set, startProcess } = await open();
  await set("sale", {});
  const { get, flush } = startProcess();
  await get("sale");
  await flush();
  const from = hourOf(app.now());
  const left = () => app.store.tallies.sum({ kind: "served", from, to: from + 1 });
  expect(await left()).toHaveLength(1);
  app.clock.now += TALLY_LIMITS.servedDays * DAY_MS + HOUR_MS;
  await tallyExpiryJob(app).run();
  expect(await left()).toHaveLength(0);
});
