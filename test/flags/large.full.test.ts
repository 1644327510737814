import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/base/days.ts";
import { applyDocument } from "../../src/documents/apply.ts";
import { documentOf } from "../../src/documents/document.ts";
import { createEnvironment } from "../../src/flags/environments.ts";
import { exportFlags } from "../../src/flags/flagd/definition.ts";
import { everyFlag } from "../../src/flags/overviews.ts";
import { promoteFlags } from "../../src/flags/promotions.ts";
import { findStale } from "../../src/flags/stale.ts";
import { clientAt, openServices } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openShop } from "../support/records/shop.ts";
import { FAR_TOO_LONG_MS, turnsOf } from "../support/records/turns.ts";

const COUNT = 6;
/** 240 KB of values that take the most time for their size. */
const PAYLOAD = Array.from({ length: 80_000 }, () => []);
const RULE = { in: [{ var: "a" }, Array.from({ length: 19_000 }, (_, index) => `v${index}`)] };

/** An environment `live` with megabytes of payloads, rules and previews. */
async function openLarge() {
  const shop = await openShop();
  const flags = Object.fromEntries(
    Array.from({ length: COUNT }, (_, index) => [
      [`payload-${index}`, { enabled: true, payload: PAYLOAD }],
      [`rule-${index}`, { enabled: true, variants: { on: 1 }, targeting: RULE, defaultVariant: "on" }],
      [`preview-${index}`, { isPreview: true, previewContent: `${index} ${"&*a* ".repeat(12_000)}` }],
    ])
      .flat()
      .map(([slug, live]) => [slug as string, { environments: { live } }]),
  );
  const apply = () =>
    applyDocument(shop.app, OPERATOR, { projects: { shop: { flags } } } as never, {} as never);
  const { environments, key } = (await shop.app.store.projects.find("shop"))!;
  const headers = {
    "x-project-key": key,
    "x-environment-key": environments.find(({ slug }) => slug === "live")!.key,
  };
  return { ...shop, apply, headers };
}

describe("megabytes in an environment", () => {
  test("are written, read, copied and exported in turns with other work", async () => {
    const { app, apply, headers } = await openLarge();
    const services = openServices(app);
    const client = () => clientAt("198.51.100.7");
    const read = async (path: string, init: RequestInit = {}) => {
      const request = new Request(`http://flags.test${path}`, { headers, ...init });
      if (path.includes("ofrep")) return (await (await services.ofrep()).evaluateAll(request, client)).text();
      if (path.endsWith("preview")) return (await services.previews.readPreviews(request, client)).text();
      return (await services.flags.readFlags(request, client)).text();
    };
    const live = async () => app.store.flags.selectIn("shop", "live");
    const context = { context: { targetingKey: "a", a: "v7" } };
    const works: Record<string, () => Promise<unknown>> = {
      apply,
      flags: () => read("/api/v1/flags"),
      previews: () => read("/api/v1/flags/preview"),
      evaluation: () => read("/ofrep/v1/evaluate/flags", { method: "POST", body: JSON.stringify(context) }),
      flagd: async () => exportFlags(await (await live()).flags(), [], "{}"),
      document: async () => documentOf(await app.store.setup.read(null, false), false),
      copy: () => createEnvironment(app, OPERATOR, "shop", { slug: "copy", from: "live" }),
      promotion: () =>
        promoteFlags(
          app,
          OPERATOR,
          "shop",
          { from: "live", to: "develop", flags: null, segments: false },
          false,
        ),
    };
    for (const [name, work] of Object.entries(works)) {
      const { turns, ms } = await turnsOf(work);
      expect({ name, hasTurns: turns >= 4, isBounded: ms < FAR_TOO_LONG_MS }).toEqual({
        name,
        hasTurns: true,
        isBounded: true,
      });
    }
  }, 60_000);

  test("are not read to find stale flags, which needs no turns", async () => {
    const { app, apply } = await openLarge();
    await apply();
    const overviews = await everyFlag(app, "shop");
    // A third of the flags has rules, which are cut at 16 KB; those of 100 KB and the payloads would be megabytes.
    expect([overviews.length, JSON.stringify(overviews).length < COUNT * 30_000]).toEqual([3 * COUNT, true]);
    app.clock.now += 31 * DAY_MS;
    const { result, ms } = await turnsOf(() =>
      findStale(app, { project: "shop", environment: null, days: 30 }),
    );
    expect([result.length, ms < FAR_TOO_LONG_MS]).toEqual([3 * COUNT, true]);
  }, 60_000);

  test("come in pages of a megabyte where the history lists them", async () => {
    const { app, apply } = await openLarge();
    await apply();
    const { items, more } = await app.store.changes.page("shop", { limit: 100 });
    expect([JSON.stringify(items).length < 1.5e6, more]).toEqual([true, true]);
  });
});
