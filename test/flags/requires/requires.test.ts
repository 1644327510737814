import { describe, expect, test } from "bun:test";
import { createEnvironment } from "../../../src/flags/environments.ts";
import { type FlagPatch } from "../../../src/flags/flag.ts";
import { applyDocument } from "../../../src/documents/apply.ts";
import { deleteFlag, setDetails } from "../../../src/flags/flags.ts";
import { importFlags } from "../../../src/flags/imports.ts";
import { promoteFlags } from "../../../src/flags/promotions.ts";
import { evaluateStored, tryChange } from "../../../src/flags/reads/evaluations.ts";
import { turnedOffBy, turnedOffInWords } from "../../../src/flags/requires/dependents.ts";
import { requirementsOf } from "../../../src/flags/requires/requirement.ts";
import { applyChanges, scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openShop } from "../../support/records/shop.ts";
import { codeOf, errorOf } from "../../support/refusals.ts";

async function openChain() {
  const shop = await openShop();
  const put = (flag: string, patch: FlagPatch, environment = "live") =>
    shop.set(environment, patch, OPERATOR, flag);
  const need = (flag: string, ...needed: string[]) =>
    put(flag, { requires: needed.map((each) => ({ flag: each })) });
  const evaluate = (flag: string, context = {}) =>
    evaluateStored(shop.app, OPERATOR, shop.place("live", flag), context);
  return { ...shop, put, need, evaluate };
}

describe("a flag that needs another", () => {
  test("is as while it is off unless that is true for the same context, and names the first that is not", async () => {
    const { put, evaluate } = await openChain();
    await put("cart", {
      enabled: true,
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: { if: [{ "==": [{ var: "plan" }, "pro"] }, "on", "off"] },
    });
    await put("search", { enabled: true });
    await put("pay", { enabled: true, requires: [{ flag: "search" }, { flag: "cart" }] });
    await put("banner", {
      enabled: true,
      variants: { red: "#f00", blue: "#00f" },
      defaultVariant: "red",
      requires: [{ flag: "pay" }],
    });
    const pro = { plan: "pro" };
    expect(await evaluate("pay", pro)).toEqual({ value: true, variant: "on", reason: "TARGETING_MATCH" });
    expect(await evaluate("pay")).toEqual({
      value: false,
      variant: "off",
      reason: "PREREQUISITE_FAILED",
      metadata: { prerequisite: "cart" },
    });
    expect(await evaluate("banner", pro)).toMatchObject({ variant: "red" });
    expect(await evaluate("banner")).toEqual({
      reason: "PREREQUISITE_FAILED",
      metadata: { prerequisite: "pay" },
    });
    await put("search", { enabled: false });
    expect(await evaluate("pay", pro)).toMatchObject({ metadata: { prerequisite: "search" } });
  });

  test("is off by itself where it is off, whatever it needs", async () => {
    const { put, evaluate } = await openChain();
    await put("cart", {});
    await put("pay", { requires: [{ flag: "cart" }] });
    await put("banner", { variants: { red: 1, blue: 2 }, requires: [{ flag: "cart" }] });
    expect(await evaluate("pay")).toEqual({ value: false, variant: "off", reason: "DISABLED" });
    expect(await evaluate("banner")).toEqual({ reason: "DISABLED" });
  });

  test("needs one of the variants that it names; off is the variant off and false, but no flag without a value", async () => {
    const { put, evaluate } = await openChain();
    await put("colour", { enabled: true, variants: { red: 1, blue: 2 }, defaultVariant: "red" });
    await put("plain", {});
    await put("needs-any", { enabled: true, requires: [{ flag: "colour" }] });
    await put("needs-red", { enabled: true, requires: [{ flag: "colour", variants: ["red"] }] });
    await put("needs-off", { enabled: true, requires: [{ flag: "plain", variants: ["off"] }] });
    await put("resting", { variants: { yes: true, no: false }, defaultVariant: "no" });
    await put("needs-none", { enabled: true, requires: [{ flag: "resting", variants: ["off"] }] });
    const values = async () =>
      Promise.all(
        ["needs-any", "needs-red", "needs-off", "needs-none"].map(async (each) => {
          const result = await evaluate(each);
          return "value" in result && result.value;
        }),
      );
    expect(await values()).toEqual([false, true, true, false]);
    await put("colour", { defaultVariant: "blue", targeting: { if: [true, "red"] } });
    expect(await values()).toEqual([true, true, true, false]);
    await put("colour", { enabled: false });
    await put("plain", { enabled: true });
    expect(await values()).toEqual([false, false, false, false]);
  });

  test("is refused for a variant that the other does not have, by a change, a trial, a schedule and a document", async () => {
    const { app, put, place, evaluate } = await openChain();
    await put("colour", { enabled: true, variants: { red: 1, blue: 2 }, defaultVariant: "red" });
    await put("plain", {});
    await put("switch", { variants: { yes: true, no: false } });
    await put("pay", {});
    const whole = { prune: false, confirmed: false };
    for (const [flag, wrong, variants] of [
      ["colour", "blu", "red, blue"],
      ["colour", "off", "red, blue"],
      ["plain", "yes", "on, off"],
    ] as const) {
      const patch = { requires: [{ flag, variants: [wrong] }] };
      const at = app.now() + 60_000;
      const flags = { pay: { environments: { live: patch } } };
      for (const work of [
        () => put("pay", patch),
        () => tryChange(app, OPERATOR, place("live", "pay"), patch, [{}]),
        () => scheduleChange(app, OPERATOR, place("live", "pay"), { at, patch }),
        () => applyDocument(app, OPERATOR, { projects: { shop: { flags } } }, whole),
      ])
        expect(await errorOf(work())).toBe(
          `invalid: "${wrong}", which pay needs in live, is not one of the variants of ${flag}: ${variants}`,
        );
    }
    await put("pay", {
      requires: [
        { flag: "switch", variants: ["off"] },
        { flag: "plain", variants: ["off", "on"] },
      ],
    });
    // A document may bring the variant itself.
    const flags = {
      colour: { environments: { live: { variants: { red: 1, green: 3 }, defaultVariant: "red" } } },
      pay: { environments: { live: { enabled: true, requires: [{ flag: "colour", variants: ["green"] }] } } },
    };
    await applyDocument(app, OPERATOR, { projects: { shop: { flags } } }, whole);
    expect(await evaluate("pay")).toMatchObject({ metadata: { prerequisite: "colour" } });
  });

  test("keeps the variants that it needs: taking them away is refused, and names it", async () => {
    const { put } = await openChain();
    await put("currency", { enabled: true, variants: { eur: 1, usd: 2 }, defaultVariant: "eur" });
    await put("pay", { enabled: true, requires: [{ flag: "currency", variants: ["eur", "usd"] }] });
    await put("sale", { enabled: true, requires: [{ flag: "currency" }] });
    const only = (variants: Record<string, number>) =>
      put("currency", { variants, defaultVariant: Object.keys(variants)[0]! });
    expect(await errorOf(only({ chf: 1 }))).toBe(
      'conflict: variants of "currency" that would go are needed by pay (eur,usd) in live',
    );
    expect(await errorOf(only({ eur: 1, chf: 3 }))).toBe(
      'conflict: variants of "currency" that would go are needed by pay (usd) in live',
    );
    await only({ eur: 5, usd: 6, chf: 7 });
    await put("pay", { requires: [{ flag: "currency" }] });
    await only({ chf: 1 });
  });

  test("is refused where that is missing or archived, or would need it, by the path", async () => {
    const { app, need, put } = await openChain();
    for (const flag of ["a", "b", "c"]) await put(flag, { enabled: true });
    await need("a", "b");
    await need("b", "c");
    expect(await errorOf(need("c", "a"))).toBe("invalid: a flag cannot need itself: a > b > c > a");
    expect(await errorOf(need("new", "new"))).toBe("invalid: a flag cannot need itself: new > new");
    expect(await errorOf(need("c", "gone"))).toBe('invalid: a > b > c > gone: "gone" does not exist');
    await setDetails(app, OPERATOR, { project: "shop", flag: "a" }, { archived: true });
    expect(await errorOf(need("c", "a"))).toBe('invalid: b > c > a: "a" is archived');
  });

  test("is ten deep, and not eleven, also where a chain grows at its lower end", async () => {
    const { need, put } = await openChain();
    for (let at = 0; at <= 11; at += 1) await put(`f${at}`, { enabled: true });
    for (let at = 0; at < 10; at += 1) await need(`f${at}`, `f${at + 1}`);
    const path = Array.from({ length: 12 }, (_, at) => `f${at}`).join(" > ");
    expect(await errorOf(need("f10", "f11"))).toBe(
      `invalid: flags need one another at most 10 deep: ${path}`,
    );
    await need("f0");
    await need("f10", "f11");
    expect(await codeOf(need("f0", "f1"))).toBe("invalid");
  });

  test("keeps that from being deleted or archived, until it needs it no more", async () => {
    const { app, need, put } = await openChain();
    await put("a", {});
    await put("b", {});
    await need("x", "a");
    const drop = () => deleteFlag(app, OPERATOR, { project: "shop", flag: "a" });
    expect(await errorOf(drop())).toBe('conflict: "a" is needed by x in live');
    expect(await codeOf(setDetails(app, OPERATOR, { project: "shop", flag: "a" }, { archived: true }))).toBe(
      "conflict",
    );
    await need("x", "b");
    await drop();
  });

  test("is not brought into a circle by a promotion, a file, a schedule or an undo", async () => {
    const { app, need, put, place, rollback, set, find, history } = await openChain();
    await put("a", {});
    await set("live", { requires: [{ flag: "a" }] });
    await put("a", { requires: [{ flag: "sale" }] }, "develop");
    const order = { from: "develop", to: "live", flags: ["a"], segments: false };
    expect(await codeOf(promoteFlags(app, OPERATOR, "shop", order, false))).toBe("invalid");
    const file = {
      flags: {
        a: {
          state: "ENABLED",
          variants: { on: true, off: false },
          defaultVariant: "on",
          metadata: { requires: '[{"flag":"sale"}]' },
        },
      },
    };
    const where = { project: "shop", environment: "live" };
    expect(await codeOf(importFlags(app, OPERATOR, where, file, false))).toBe("invalid");

    const at = app.clock.now + 1000;
    const patch = { requires: [{ flag: "sale" }] };
    expect(await codeOf(scheduleChange(app, OPERATOR, place("live", "a"), { at, patch }))).toBe("invalid");
    await set("live", { requires: null });
    await scheduleChange(app, OPERATOR, place("live", "a"), { at, patch });
    await set("live", { requires: [{ flag: "a" }] });
    app.clock.now += 2000;
    const reports: string[] = [];
    await applyChanges(app, (text) => void reports.push(text));
    expect(reports).toEqual([expect.stringContaining("a flag cannot need itself: a > sale > a")]);
    expect((await find("live", "a"))!.requires).toBe("");

    await set("live", { requires: [] });
    await need("a", "sale");
    expect(await errorOf(rollback({ before: null }))).toBe(
      "invalid: a flag cannot need itself: a > sale > a",
    );
    expect((await history({ name: "sale" }))[0]!.before).toMatchObject({ requires: [{ flag: "a" }] });
  });

  test("needs it in a copied environment too", async () => {
    const { app, need, put, find } = await openChain();
    await put("a", {});
    await need("x", "a");
    await createEnvironment(app, OPERATOR, "shop", { slug: "copy", from: "live" });
    expect(requirementsOf((await find("copy", "x"))!.requires)).toEqual([{ flag: "a" }]);
  });

  test("is tried with what it would need, and no change is tried that would be refused", async () => {
    const { app, place, put } = await openChain();
    await put("a", {});
    await put("x", { enabled: true });
    const attempt = (requires: FlagPatch["requires"]) =>
      tryChange(app, OPERATOR, place("live", "x"), { requires }, [{}]);
    const [trial] = await attempt([{ flag: "a" }]);
    expect(trial).toMatchObject({ now: { value: true }, after: { reason: "PREREQUISITE_FAILED" } });
    expect(await codeOf(attempt([{ flag: "x" }]))).toBe("invalid");
  });
});

test("turning a flag off names the flags along the chain that it turns off, without those that are off already", async () => {
  const { app, need, put, place, find } = await openChain();
  for (const flag of ["a", "b", "c", "d", "e", "f"]) await put(flag, { enabled: true });
  await need("b", "a");
  await need("c", "b");
  await need("d", "c");
  await need("e", "a");
  await put("e", { enabled: false });
  await put("f", { requires: [{ flag: "a", variants: ["off"] }] });
  const off = async (flag: string) => {
    const record = (await find("live", flag))!;
    return turnedOffBy(app, place("live"), new Map([[flag, { ...record, enabled: false }]]));
  };
  expect(turnedOffInWords(await off("a"))).toBe("turns off 3 more: b, c, d");
  expect(await off("d")).toEqual([]);
});

test("a circle that another change would close meanwhile ends a count of what is turned off", async () => {
  const { app, need, put, place, find } = await openChain();
  for (const flag of ["a", "b", "c"]) await put(flag, { enabled: true });
  await need("c", "b");
  await need("b", "a");
  // Planned before "b" needed "a"; the change is planned again, and refused.
  const record = { ...(await find("live", "a"))!, requires: (await find("live", "c"))!.requires };
  expect(await turnedOffBy(app, place("live"), new Map([["a", record]]))).toEqual(["b", "c"]);
});
