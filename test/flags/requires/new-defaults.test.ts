import { describe, expect, test } from "bun:test";
import { applyDocument, compareDocument } from "../../../src/documents/apply.ts";
import { createExperiment } from "../../../src/experiments/experiments.ts";
import { startExperiment } from "../../../src/experiments/lifecycle.ts";
import { shipExperiment } from "../../../src/experiments/shipping.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { abortRamp, advanceRamp, startRamp } from "../../../src/flags/ramps/ramps.ts";
import type { RampStart } from "../../../src/flags/ramps/ramp.ts";
import { tryChange } from "../../../src/flags/reads/evaluations.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openShop } from "../../support/records/shop.ts";
import { errorOf } from "../../support/refusals.ts";

const HOUR = 3_600_000;
const WHOLE = { prune: false, confirmed: false };
const PAGES: FlagPatch = { enabled: true, variants: { old: "o", new: "n" }, defaultVariant: "old" };
const needs = (...variants: string[]): FlagPatch => ({
  enabled: true,
  requires: [{ flag: "pages", ...(variants.length > 0 && { variants }) }],
});

async function openPages(patch = PAGES) {
  const shop = await openShop();
  const { app, place } = shop;
  const put = (flag: string, own: FlagPatch) => shop.set("live", own, OPERATOR, flag);
  await put("pages", patch);
  const ramp = (more: Partial<RampStart> = {}) =>
    startRamp(app, OPERATOR, place("live", "pages"), {
      variant: "new",
      to: [50, 100],
      every: 3600,
      ...more,
    });
  const at = { project: "shop", environment: "live", experiment: "hero" };
  const ship = async (more: { variant?: string; to?: number[] } = {}) => {
    await createExperiment(app, OPERATOR, at, { flag: "pages", metrics: ["event:signup"] });
    await startExperiment(app, OPERATOR, at);
    return shipExperiment(app, OPERATOR, at, { variant: "new", ...more });
  };
  const document = {
    projects: {
      shop: {
        flags: {
          pages: {
            environments: { live: { ...PAGES, ramp: { variant: "new", to: [50, 100], every: 3600 } } },
          },
        },
      },
    },
  };
  return { ...shop, put, ramp, ship, document };
}

type Shop = Awaited<ReturnType<typeof openPages>>;

/** Every way in which "new" becomes the default of the flag by and by, or at once. */
const WAYS: Record<string, (shop: Shop) => Promise<unknown>> = {
  "a ramp": ({ ramp }) => ramp(),
  "a ramp of one step": ({ ramp }) => ramp({ to: [100] }),
  "a ramp that starts later": ({ ramp, app }) =>
    ramp({ start: new Date(app.clock.now + HOUR).toISOString() }),
  "a ramp with a change": ({ ramp }) => ramp({ patch: { description: "pages" } }),
  "a ramp that goes on to everyone": ({ ramp }) =>
    ramp({ within: { "==": [{ var: "plan" }, "pro"] }, thenEveryone: true }),
  "a shipped experiment": ({ ship }) => ship(),
  "an experiment that is shipped by a ramp": ({ ship }) => ship({ to: [50, 100] }),
  "a document": ({ app, document }) => applyDocument(app, OPERATOR, document, WHOLE),
  "the differences of a document": ({ app, document }) => compareDocument(app, OPERATOR, document, false),
};

describe("a variant", () => {
  test.each(Object.keys(WAYS))(
    "does not become the default by %s while others need any but the default",
    async (way) => {
      const shop = await openPages();
      await shop.put("pay", needs());
      const before = await shop.find("live", "pages");
      expect(await errorOf(WAYS[way]!(shop))).toBe(
        'conflict: "new" becomes the default of "pages" in live, and any variant but the default is needed by pay',
      );
      const rules = (await shop.find("live", "pages"))!.rules;
      if (!way.includes("experiment")) expect(rules).toBe(before!.rules);
      expect(JSON.parse(rules!).defaultVariant).toBe("old");
    },
  );

  test.each(Object.keys(WAYS))("becomes the default by %s where others name what they need", async (way) => {
    const shop = await openPages();
    await shop.put("pay", needs("new"));
    expect(await errorOf(WAYS[way]!(shop))).toBe("none");
  });

  test("may grow where it does not become the default", async () => {
    for (const more of [{ to: [50] }, { within: { "==": [{ var: "plan" }, "pro"] } }]) {
      const { put, ramp } = await openPages();
      await put("pay", needs());
      expect(await errorOf(ramp(more))).toBe("none");
    }
    const { put, ship } = await openPages();
    await put("pay", needs());
    expect(await errorOf(ship({ variant: "old" }))).toBe("none");
  });

  test("that is true or false becomes the default, since true is needed", async () => {
    for (const patch of [{ variants: { old: false, new: true }, defaultVariant: "old" }, {}]) {
      const { put, ramp } = await openPages(patch);
      await put("pay", needs());
      expect(await errorOf(ramp({ variant: "variants" in patch ? "new" : "on" }))).toBe("none");
    }
  });

  test("is named in the hint with all else that the flag needs", async () => {
    const { put, ramp } = await openPages();
    await put("other", {});
    await put("pay", { requires: [{ flag: "other" }, { flag: "pages" }] });
    const error = await ramp().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      reason: "variant-needed",
      hint: "let pay need other and pages=new first",
    });
  });
});

describe("while a ramp makes a variant the default, a flag", () => {
  const REFUSAL =
    'conflict: "new" becomes the default of "pages" in live, and any variant but the default is needed by pay';

  test("does not begin to need any but the default, until the ramp has ended", async () => {
    const { app, put, ramp, place, document } = await openPages();
    await ramp();
    expect(await errorOf(put("pay", needs()))).toBe(REFUSAL);
    expect(await errorOf(tryChange(app, OPERATOR, place("live", "pay"), needs(), [{}]))).toBe(REFUSAL);
    const own = { projects: { shop: { flags: { pay: { environments: { live: needs() } } } } } };
    expect(await errorOf(applyDocument(app, OPERATOR, own, WHOLE))).toBe(REFUSAL);
    // Both at once: the document also ends the ramp.
    const { pages } = document.projects.shop.flags;
    const flags = {
      ...own.projects.shop.flags,
      pages: { environments: { live: { ...pages.environments.live, ramp: null } } },
    };
    expect(await errorOf(compareDocument(app, OPERATOR, { projects: { shop: { flags } } }, false))).toBe(
      "none",
    );
    await put("pay", needs("new"));
    await abortRamp(app, OPERATOR, place("live", "pages"), { keep: false });
    await put("pay", needs());
  });

  test("may need the variant by its name, which holds at each step", async () => {
    const { app, put, ramp, place } = await openPages();
    await ramp();
    await put("pay", needs("new"));
    await advanceRamp(app, OPERATOR, place("live", "pages"), { isToEnd: true });
    const [tried] = await tryChange(app, OPERATOR, place("live", "pay"), {}, [{ targetingKey: "ann" }]);
    expect(tried!.now).toMatchObject({ value: true });
  });
});
