import { describe, expect, test } from "bun:test";
import { tryChange } from "../../../src/flags/reads/evaluations.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { errorOf, reasonOf } from "../../support/refusals.ts";
import { openShop } from "../../support/records/shop.ts";

const READER = callerNamed("reader", { scopes: ["flags:read"] });
const RULE = { if: [{ "===": [{ var: "plan" }, "pro"] }, "on"] };
const BOOLEAN = { variants: { on: true, off: false }, defaultVariant: "off" };

async function openTrial() {
  const shop = await openShop();
  return {
    ...shop,
    attempt: (patch: FlagPatch, contexts: object[] = [{}], flag = "sale") =>
      tryChange(
        shop.app,
        READER,
        shop.place("live", flag),
        patch,
        contexts.map((each) => ({ ...each })),
      ),
  };
}

describe("an unsaved change", () => {
  test("is evaluated for each context beside what the flag is now, and nothing is stored", async () => {
    const { set, find, history, attempt } = await openTrial();
    await set("live", { enabled: true });
    const before = [await find("live"), await history()];
    const [pro, free] = [{ plan: "pro" }, { plan: "free" }];
    const on = { value: true, variant: "on", reason: "STATIC" } as const;
    expect(await attempt({ ...BOOLEAN, targeting: RULE }, [pro, free])).toEqual([
      { context: pro, now: on, after: { value: true, variant: "on", reason: "TARGETING_MATCH" } },
      { context: free, now: on, after: { value: false, variant: "off", reason: "DEFAULT" } },
    ]);
    expect(await attempt({ expiredAt: "2020-01-01T00:00:00Z" })).toMatchObject([
      { now: on, after: { value: false, reason: "DISABLED" } },
    ]);
    expect([await find("live"), await history()]).toEqual(before);
  });

  test("uses the segments of the environment", async () => {
    const { set, segment, attempt } = await openTrial();
    await segment("live", "staff", { "===": [{ var: "team" }, "us"] });
    await set("live", { ...BOOLEAN, enabled: true });
    const targeting = { if: [{ $ref: "staff" }, "on"] };
    expect(await attempt({ targeting }, [{ team: "us" }])).toMatchObject([
      { now: { value: false }, after: { value: true } },
    ]);
  });

  test("may be of a flag that does not exist, and of a payload", async () => {
    const { set, attempt } = await openTrial();
    expect(await attempt({ enabled: true }, [{}], "fresh")).toMatchObject([
      { now: { errorCode: "FLAG_NOT_FOUND" }, after: { value: true } },
    ]);
    await set("live", { enabled: true });
    expect(await attempt({ payload: [1] }, [{}], "sale.payload")).toMatchObject([
      { now: { errorCode: "FLAG_NOT_FOUND" }, after: { value: [1] } },
    ]);
  });

  test("is refused for what setting it would be refused for, with the same words", async () => {
    const { app, set, place, attempt } = await openTrial();
    await set("live", BOOLEAN);
    const patches: FlagPatch[] = [
      { variants: { a: 1, b: 2 }, payload: 1 },
      { defaultVariant: "none" },
      { targeting: { if: [true, "stray"] } },
      { targeting: { if: [{ $ref: "nobody" }, "on"] } },
      { targeting: { fractional: ["x"] } },
      { variants: { a: 1, b: "text" } },
    ];
    for (const patch of patches) {
      const refused = await errorOf(set("live", patch));
      expect(refused).not.toBe("none");
      expect(await errorOf(attempt(patch))).toBe(refused);
    }
    expect(await errorOf(attempt({}, [{}], "a b"))).toBe(await errorOf(set("live", {}, OPERATOR, "a b")));
    const nobody = callerNamed("eve", { scopes: ["forms:write"] });
    expect(await reasonOf(tryChange(app, nobody, place("live"), {}, [{}]))).toBe("forbidden");
    expect(await reasonOf(tryChange(app, READER, place("nowhere"), {}, [{}]))).toStartWith("not_found");
  });

  test("takes 1 to 20 contexts within the limits of an evaluation", async () => {
    const { set, attempt } = await openTrial();
    await set("live", {});
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    expect(
      await attempt(
        {},
        Array.from({ length: 20 }, () => ({})),
      ),
    ).toHaveLength(20);
    expect(await reasonOf(attempt({}, []))).toBe("invalid");
    expect(
      await reasonOf(
        attempt(
          {},
          Array.from({ length: 21 }, () => ({})),
        ),
      ),
    ).toBe("invalid");
    expect(await reasonOf(attempt({}, [{}, { targetingKey: 1 }]))).toBe("invalid");
    expect(await reasonOf(attempt({}, [deep(10_000)]))).toBe("invalid");
    expect(await reasonOf(attempt({}, [{ text: "x".repeat(65_536) }]))).toBe("too_large");
  });
});
