import { describe, expect, test } from "bun:test";
import { everyFlag, flagInEveryEnvironment, overviewOfFlags } from "../../src/flags/overviews.ts";
import { importFlags } from "../../src/flags/imports.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { openShop } from "../support/records/shop.ts";
import { turnsOf } from "../support/records/turns.ts";

describe("the overview of flags", () => {
  test("has what a flag is in each environment, in pages by slug", async () => {
    const { app, set } = await openShop("live", "develop");
    await set("live", { enabled: true, expiredAt: "2020-01-01T00:00:00Z", description: "Summer" });
    const targeting = { if: [true, "a"] };
    await set("develop", { variants: { a: 1 }, targeting, enabled: true }, OPERATOR, "rich");
    const version = (await app.store.readVersion()).version;
    const first = await overviewOfFlags(app, "shop", { limit: 1 });
    const none = {
      expiresAt: null,
      expired: false,
      rules: null,
      payload: null,
      rule: "",
      share: "100",
      isPreview: false,
      readAt: null,
      updatedAt: app.now(),
    };
    const off = { enabled: false, requires: "", ...none };
    expect(first).toEqual({
      items: [
        {
          slug: "rich",
          description: "",
          owner: "",
          tags: "",
          permanent: false,
          archived: false,
          colours: "",
          createdAt: app.now(),
          environments: [
            {
              slug: "rich",
              environment: "develop",
              ...off,
              enabled: true,
              rules: JSON.stringify({ variants: { a: 1 }, targeting }),
              rule: "a rule of its own",
              share: null,
              revision: version,
            },
            { slug: "rich", environment: "live", ...off, revision: version },
          ],
        },
      ],
      more: true,
    });
    const second = await overviewOfFlags(app, "shop", { limit: 1, after: "rich" });
    expect(second).toMatchObject({
      items: [{ slug: "sale", environments: [{ enabled: false }, { enabled: true, expired: true }] }],
      more: false,
    });
    expect(await reasonOf(overviewOfFlags(app, "nobody", { limit: 1 }))).toStartWith("not_found");
  });

  test("of a hundred flags is read in turns with other work, each as in a page", async () => {
    const { app, place } = await openShop("live", "develop");
    const plain = { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: "on" };
    const flags = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`flag-${at}`, plain]));
    await importFlags(app, OPERATOR, place("live"), { flags }, false);
    const { result, turns } = await turnsOf(() => everyFlag(app, "shop"));
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(result).toEqual((await overviewOfFlags(app, "shop", { limit: 200 })).items);
    expect(result).toHaveLength(100);
  });

  test("is searched in slugs and descriptions, in either case, over any number of flags", async () => {
    const { app, set, place } = await openShop();
    const flags = Object.fromEntries(
      Array.from({ length: 1500 }, (_, index) => [
        `flag-${index}`,
        { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: "on" },
      ]),
    );
    await importFlags(app, OPERATOR, place("live"), { flags }, false);
    await set("live", { description: "The SÜMMER sale" }, OPERATOR, "zoo");
    const slugs = async (query: object) => {
      const { items, more } = await overviewOfFlags(app, "shop", { limit: 3, ...query });
      return { slugs: items.map(({ slug }) => slug), more };
    };
    expect(await slugs({ search: "sümmer" })).toEqual({ slugs: ["zoo"], more: false });
    expect(await slugs({ search: "FLAG-99" })).toEqual({
      slugs: ["flag-99", "flag-990", "flag-991"],
      more: true,
    });
    expect(await slugs({ search: "flag-99", after: "flag-997" })).toEqual({
      slugs: ["flag-998", "flag-999"],
      more: false,
    });
    expect(await slugs({ search: "%" })).toEqual({ slugs: [], more: false });
    const all = await overviewOfFlags(app, "shop", { limit: 2000 });
    expect([all.items.length, all.more, all.items.every((each) => each.environments.length === 2)]).toEqual([
      1501,
      false,
      true,
    ]);
  });
});

test("a flag in every environment is its record in each, null where it does not exist", async () => {
  const { app, set, find } = await openShop("b", "a");
  await set("b", { enabled: true });
  expect(await flagInEveryEnvironment(app, "shop", "sale")).toEqual([
    { environment: "b", record: (await find("b"))! },
    { environment: "a", record: (await find("a"))! },
  ]);
  expect((await flagInEveryEnvironment(app, "shop", "none")).map(({ record }) => record)).toEqual([
    null,
    null,
  ]);
  expect(await reasonOf(flagInEveryEnvironment(app, "nobody", "sale"))).toStartWith("not_found");
});
