import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { HOUR_MS } from "../../../src/base/days.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { readsOfFlags } from "../../../src/flags/reads/flag-reads.ts";
import { createReads } from "../../../src/flags/reads/reads.ts";
import { createFlagsService } from "../../../src/http/flags/flags.ts";
import { createOfrepService } from "../../../src/http/flags/ofrep.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";

const client = () => clientAt("127.0.0.1");

async function open() {
  const app = openTestApp();
  const { key, environments } = await createProject(app, OPERATOR, {
    slug: "shop",
    environments: ["live", "test"],
  });
  for (const environment of ["live", "test"])
    for (const flag of ["hero", "dark", "unused"])
      await setFlag(app, OPERATOR, { project: "shop", environment, flag }, { enabled: true });
  const reads = createReads(app.store);
  const { report } = openServices(app);
  const service = createFlagsService(app, report, undefined, reads.note);
  const ofrep = createOfrepService(app, report, { noteRead: reads.note });
  const keyed = (at: number) =>
    new Request("http://localhost/", {
      headers: { "x-project-key": key, "x-environment-key": environments[at]!.key },
    });
  const { token } = await createToken(app, OPERATOR, {
    name: "shop-web",
    scopes: ["flags:evaluate"],
    project: "shop",
    environment: "live",
  });
  const asked = () =>
    new Request("http://localhost/", {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: '{"context":{}}',
    });
  return {
    app,
    flush: reads.flush,
    get: (flag: string, at = 0) => service.readFlag(keyed(at), flag, client),
    list: (at = 0) => service.readFlags(keyed(at), client),
    evaluate: (flag: string) => ofrep.evaluateOne(asked(), flag, client),
    evaluateAll: () => ofrep.evaluateAll(asked(), client),
  };
}

test("reads of the last 24 hours are counted by the hour, by environment and by the token of the reader", async () => {
  const { app, flush, get, list, evaluate, evaluateAll } = await open();
  await get("hero");
  await get("hero");
  await evaluate("hero");
  await flush();
  app.clock.now += 3 * HOUR_MS;
  await evaluateAll();
  await list(1);
  await flush();
  const flags = await readsOfFlags(app, OPERATOR, { project: "shop" });
  expect(flags.map(({ flag, reads, lastIn }) => [flag, reads, lastIn])).toEqual([
    ["dark", 2, "live"],
    ["hero", 5, "live"],
    ["unused", 2, "live"],
  ]);
  const hero = flags[1]!;
  expect(hero.hours.slice(-4)).toEqual([3, 0, 0, 2]);
  expect(hero.environments.map(({ environment, reads, by }) => [environment, reads, by])).toEqual([
    [
      "live",
      4,
      [
        { token: "shop-web", reads: 2 },
        { token: null, reads: 2 },
      ],
    ],
    ["test", 1, [{ token: null, reads: 1 }]],
  ]);
  const [only] = await readsOfFlags(app, OPERATOR, { project: "shop", environment: "test", flag: "hero" });
  expect(only).toMatchObject({ flag: "hero", reads: 1, lastIn: "test" });
});

test("hours that have passed are kept, and leave the counts after a day", async () => {
  const { app, flush, get } = await open();
  const hoursOfHero = async () =>
    (await readsOfFlags(app, OPERATOR, { project: "shop", flag: "hero" }))[0]!.hours;
  await get("hero");
  await flush();
  expect((await hoursOfHero()).at(-1)).toBe(1);
  app.clock.now += 5 * HOUR_MS;
  await get("hero");
  await get("hero");
  await flush();
  expect([...(await hoursOfHero()).entries()].filter(([, count]) => count > 0)).toEqual([
    [18, 1],
    [23, 2],
  ]);
  app.clock.now += 19 * HOUR_MS;
  expect([...(await hoursOfHero()).entries()].filter(([, count]) => count > 0)).toEqual([[4, 2]]);
  app.clock.now += 30 * HOUR_MS;
  expect((await hoursOfHero()).every((count) => count === 0)).toBe(true);
});

test("a caller sees the reads of its environments alone", async () => {
  const { app, flush, get, list } = await open();
  await get("hero");
  await list(1);
  await flush();
  const caller = callerNamed("tim", { scopes: ["flags:read"], project: "shop", environment: "test" });
  const flags = await readsOfFlags(app, caller, { project: "shop" });
  expect(flags.flatMap(({ environments }) => environments.map(({ environment }) => environment))).toEqual([
    "test",
    "test",
    "test",
  ]);
});
