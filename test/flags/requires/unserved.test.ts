import { expect, test } from "bun:test";
import { compareDocument } from "../../../src/documents/apply.ts";
import { turnedOffBy } from "../../../src/flags/requires/dependents.ts";
import { rulesText } from "../../../src/flags/rules/rules.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openShop } from "../../support/records/shop.ts";

const VARIANTS = { red: 1, blue: 2, green: 3 };
const PRO = { "==": [{ var: "plan" }, "pro"] };
const MAPPED = { cat: [{ var: "plan" }, "ue"] };

async function openColours() {
  const shop = await openShop();
  const put = (flag: string, patch: object) => shop.set("live", patch, OPERATOR, flag);
  await put("colour", {
    enabled: true,
    variants: VARIANTS,
    defaultVariant: "red",
    targeting: { if: [PRO, "blue"] },
  });
  await put("pay", { enabled: true, requires: [{ flag: "colour", variants: ["blue"] }] });
  await put("tip", { enabled: true, requires: [{ flag: "pay" }] });
  return shop;
}

test.each([
  ["no rule", {}, ["pay", "tip"]],
  ["another result", { if: [PRO, "green"] }, ["pay", "tip"]],
  ["no result but the default", { if: [PRO, null, "red"] }, ["pay", "tip"]],
  [
    "a share of 0",
    {
      if: [
        PRO,
        {
          fractional: [
            ["blue", 0],
            ["red", 100],
          ],
        },
      ],
    },
    ["pay", "tip"],
  ],
  [
    "a small share",
    {
      fractional: [
        ["blue", 1],
        ["red", 99_999_999],
      ],
    },
    [],
  ],
  ["the variant at last", { if: [PRO, "green", "blue"] }, []],
  ["a rule in a rule", { if: [PRO, { if: [PRO, "blue", "red"] }] }, []],
  ["a rule that may yield any", MAPPED, []],
  ["a result that may be any", { if: [PRO, MAPPED, "red"] }, []],
])("a flag is turned off where %s is what the one it needs serves", async (_, targeting, off) => {
  const { app, find, place } = await openColours();
  const record = (await find("live", "colour"))!;
  const rules = rulesText({ variants: VARIANTS, defaultVariant: "red", targeting });
  expect(await turnedOffBy(app, place("live"), new Map([["colour", { ...record, rules }]]))).toEqual(off);
  const isDefault = rulesText({ variants: VARIANTS, defaultVariant: "blue", targeting });
  const served = new Map([["colour", { ...record, rules: isDefault }]]);
  expect(await turnedOffBy(app, place("live"), served)).toEqual([]);
});

test("a document says what the last step of its ramp turns off", async () => {
  const { app } = await openColours();
  const warned = async (to: number[]) => {
    const live = {
      enabled: true,
      variants: VARIANTS,
      defaultVariant: "red",
      targeting: null,
      ramp: { variant: "green", to, every: 3600 },
    };
    const flags = { colour: { environments: { live } } };
    const { warnings } = await compareDocument(app, OPERATOR, { projects: { shop: { flags } } }, false);
    return warnings;
  };
  expect(await warned([50, 100])).toEqual(["turns off 2 more: pay, tip"]);
});
