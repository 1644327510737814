import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import type { App } from "../../../src/app.ts";
import { AppError } from "../../../src/base/errors.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createFlagsService } from "../../../src/http/flags/flags.ts";
import { createOfrepService } from "../../../src/http/flags/ofrep.ts";
import { createPreviewsService } from "../../../src/http/flags/previews.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openTiming } from "../../support/postgres/shared-setup.ts";

/** A server of a shared database, with flags that another server changes, until the database is cut off. */
async function openReplica(maxStale: number | null = null) {
  const far = openTestApp();
  const clocks = openTiming();
  const services = openServices(far);
  const database = { isCutOff: false, looks: 0, tokenReads: 0 };
  const requireDatabase = () => {
    if (database.isCutOff) throw new AppError("unavailable", "connection refused");
  };
  const { flags, tokens } = far.store;
  const store: App["store"] = {
    ...far.store,
    staleness: 100,
    watch: () => {},
    async readVersion() {
      database.looks += 1;
      requireDatabase();
      return far.store.readVersion();
    },
    flags: {
      ...flags,
      async select(environmentKey) {
        requireDatabase();
        return flags.select(environmentKey);
      },
    },
    tokens: {
      ...tokens,
      async find(hash) {
        database.tokenReads += 1;
        requireDatabase();
        return tokens.find(hash);
      },
    },
  };
  const app: App = { ...far, store, watch: watchChanges(store, undefined, clocks.timing) };
  const { report } = services;
  const site = createSite(
    {
      flags: createFlagsService(app, report, undefined, undefined, maxStale),
      previews: createPreviewsService(app, report, { feedbackRate: null, countFeedback: () => {}, maxStale }),
      ofrep: async () => createOfrepService(app, report, { maxStale }),
    },
    { ...siteOptions(app), report },
  );
  const { key, environments } = await createProject(far, OPERATOR, { slug: "shop", environments: ["live"] });
  const keys = { "x-project-key": key, "x-environment-key": environments[0]!.key };
  const place = { project: "shop", environment: "live", flag: "sale" };
  const ask = (path: string, init: RequestInit = {}) =>
    site.fetch(new Request(`http://site.test${path}`, { headers: keys, ...init }), () => "198.51.100.7");
  const evaluate = (path: string, headers: Record<string, string> = keys) =>
    ask(`/ofrep/v1/evaluate/flags${path}`, { method: "POST", headers, body: '{"context":{}}' });
  return {
    ...clocks,
    far,
    database,
    keys,
    ask,
    evaluate,
    set: (enabled: boolean) => setFlag(far, OPERATOR, place, { enabled, isPreview: true }),
    token: (name: string) =>
      createToken(far, OPERATOR, {
        name,
        scopes: ["flags:evaluate"],
        project: "shop",
        environment: "live",
      }),
  };
}

const PREVIEWS = "/api/v1/flags/preview";

describe("a server that its database is cut off from", () => {
  test("answers flags from memory, with how old they are, and what is not there with 503", async () => {
    const { ask, evaluate, set, advance, database } = await openReplica();
    await set(true);
    for (const path of ["/api/v1/flags", "/api/v1/flags/sale", PREVIEWS])
      expect((await ask(path)).headers.get("x-formflag-stale")).toBeNull();
    expect((await evaluate("/sale")).headers.get("x-formflag-stale")).toBeNull();

    database.isCutOff = true;
    await advance(1500);
    for (const answer of [
      await ask("/api/v1/flags"),
      await ask("/api/v1/flags/sale"),
      await ask(PREVIEWS),
      await evaluate("/sale"),
      await evaluate(""),
    ]) {
      expect(answer.status).toBe(200);
      expect(Number(answer.headers.get("x-formflag-stale"))).toBeGreaterThanOrEqual(1.4);
      expect(answer.headers.get("access-control-expose-headers")).toContain("X-Formflag-Stale");
    }
    const strangers = { "x-project-key": "a", "x-environment-key": "b" };
    for (const answer of [
      await ask("/api/v1/flags/other"),
      await ask("/api/v1/flags", { headers: strangers }),
      await ask(PREVIEWS, { headers: strangers }),
      await evaluate("/other"),
      await evaluate("", strangers),
      await evaluate("", { authorization: "Bearer ff_unknown" }),
    ]) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await answer.json()).toBeObject();
    }
  });

  test.each([
    ["over /api/v1 alone", "OFREP"],
    ["over OFREP alone", "/api/v1"],
  ])("that was read %s answers %s too", async (before) => {
    const { ask, evaluate, set, advance, database } = await openReplica();
    await set(true);
    await (before.includes("OFREP") ? evaluate("/sale") : ask("/api/v1/flags/sale"));
    database.isCutOff = true;
    await advance(500);
    expect(await (await ask("/api/v1/flags/sale")).json()).toMatchObject({ enabled: true });
    expect((await ask("/api/v1/flags")).status).toBe(200);
    expect(await (await evaluate("/sale")).json()).toMatchObject({ value: true });
    const all = await evaluate("");
    expect([all.status, all.headers.has("x-formflag-stale")]).toEqual([200, true]);
  });

  test("is not ready, but healthy, and both again once the database answers", async () => {
    const { ask, set, advance, database } = await openReplica();
    await set(true);
    await ask("/api/v1/flags/sale");
    database.isCutOff = true;
    await advance(200);
    expect([(await ask("/readyz")).status, (await ask("/healthz")).status]).toEqual([503, 200]);
    await set(false);
    expect(await (await ask("/api/v1/flags/sale")).json()).toMatchObject({ enabled: true });

    database.isCutOff = false;
    await advance(200);
    const answer = await ask("/api/v1/flags/sale");
    expect(await answer.json()).toMatchObject({ enabled: false });
    expect(answer.headers.get("x-formflag-stale")).toBeNull();
  });

  test("answers 503 once what it has in memory is older than it may be", async () => {
    const { ask, evaluate, set, advance, database } = await openReplica(2000);
    await set(true);
    await ask("/api/v1/flags/sale");
    await ask(PREVIEWS);
    await evaluate("/sale");
    database.isCutOff = true;
    await advance(1500);
    expect((await ask("/api/v1/flags/sale")).status).toBe(200);
    await advance(1000);
    for (const answer of [await ask("/api/v1/flags/sale"), await ask(PREVIEWS), await evaluate("/sale")])
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  test("still takes the tokens that it knew, and none that was revoked before", async () => {
    const { far, evaluate, set, advance, database, token } = await openReplica();
    await set(true);
    const [kept, revoked] = [(await token("kept")).token, (await token("revoked")).token];
    const as = (secret: string) => evaluate("/sale", { authorization: `Bearer ${secret}` });
    for (const secret of [kept, revoked]) expect((await as(secret)).status).toBe(200);
    await revokeToken(far, OPERATOR, "revoked");
    await advance(101);
    expect([(await as(kept)).status, (await as(revoked)).status]).toEqual([200, 401]);
    database.isCutOff = true;
    await advance(500);
    expect([(await as(kept)).status, (await as(revoked)).status]).toEqual([200, 503]);
  });
});

describe("tokens of a shared database", () => {
  test("are read once, unknown ones too, until a token changes", async () => {
    const { evaluate, set, advance, database, token } = await openReplica();
    await set(true);
    const { token: secret } = await token("one");
    const as = (secret: string) => evaluate("/sale", { authorization: `Bearer ${secret}` });
    for (let round = 0; round < 3; round += 1) {
      expect((await as(secret)).status).toBe(200);
      expect((await as("ff_unknown")).status).toBe(401);
      await set(round % 2 === 0);
      await advance(101);
    }
    expect(database.tokenReads).toBe(2);
    await token("two");
    await advance(101);
    expect((await as(secret)).status).toBe(200);
    expect(database.tokenReads).toBe(3);
  });
});

describe("a change that is under way", () => {
  test.each([
    ["/api/v1/flags", "OFREP"],
    ["OFREP", "/api/v1/flags"],
    [PREVIEWS, "/api/v1/flags"],
    ["/api/v1/flags", PREVIEWS],
  ])("is not taken back: read over %s, then over %s", async (first, second) => {
    const { ask, evaluate, set, advance, token } = await openReplica();
    await set(false);
    const isOn = async (path: string) => {
      const answer = await (path === "OFREP" ? evaluate("/sale") : ask(path));
      expect(answer.status).toBe(200);
      return /"(?:enabled|value)":true/.test(await answer.text());
    };
    for (const path of [first, second]) expect(await isOn(path)).toBe(false);
    // Any other change makes what is in memory outdated.
    await token("other");
    await advance(101);
    expect(await isOn(second)).toBe(false);
    await set(true);
    const seen = [await isOn(first), await isOn(second)];
    expect(seen).not.toEqual([true, false]);
    await advance(101);
    expect([await isOn(first), await isOn(second)]).toEqual([true, true]);
  });
});

test("a site can load what answers the first change and its readers before anybody asks for it", async () => {
  const app = openTestApp();
  const services = openServices(app);
  let loads = 0;
  const ofrep = () => {
    loads += 1;
    return services.ofrep();
  };
  const site = createSite({ ofrep }, { ...siteOptions(app), report: services.report });
  await site.warm();
  expect(loads).toBe(1);
  const request = new Request("http://site.test/ofrep/v1/evaluate/flags", { method: "POST", body: "{}" });
  expect((await site.fetch(request, () => "198.51.100.7")).status).toBe(401);
  expect(loads).toBe(1);
});

describe("a reader that was told of a change", () => {
  test("evaluates it at a server that has not looked since", async () => {
    const { evaluate, set, database } = await openReplica();
    await set(false);
    await evaluate("");
    const { record } = await set(true);
    const { looks } = database;
    expect(await (await evaluate("/sale")).json()).toMatchObject({ value: false });
    const told = await evaluate(`?flagConfigEtag=${encodeURIComponent(`"${record.revision}"`)}`);
    expect(JSON.stringify(await told.json())).toContain('"value":true');
    expect(database.looks).toBe(looks + 1);
    for (const etag of [String(record.revision), "", "x", "-1", "1e9", "999999999999999999"])
      expect((await evaluate(`?flagConfigEtag=${etag}`)).status).toBe(200);
    expect(database.looks).toBe(looks + 1);
  });
});
