import { describe, expect, test } from "bun:test";
import { applyDocument, compareDocument } from "../../../src/documents/apply.ts";
import { planOperation } from "../../../src/documents/changes/planning.ts";
import { proposeChange } from "../../../src/documents/changes/proposals.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { rollbackFlag, setDetails } from "../../../src/flags/flags.ts";
import { importFlags } from "../../../src/flags/imports.ts";
import { promoteFlags } from "../../../src/flags/promotions.ts";
import { startRamp } from "../../../src/flags/ramps/ramps.ts";
import { tryChange } from "../../../src/flags/reads/evaluations.ts";
import { requirementsOf, requirementTerms } from "../../../src/flags/requires/requirement.ts";
import { applyChanges, scheduleChange, setFlagFor } from "../../../src/flags/schedule/schedule.ts";
import { undoFlags } from "../../../src/flags/undo.ts";
import { rerunOn } from "../../../src/operations/changes/perform.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openShop } from "../../support/records/shop.ts";
import { errorOf } from "../../support/refusals.ts";

const HOUR = 3_600_000;
const WHOLE = { prune: false, confirmed: false };

const currency = (...names: string[]): FlagPatch => ({
  enabled: true,
  variants: Object.fromEntries(names.map((name, at) => [name, at])),
  defaultVariant: names[0]!,
});
const needs = (...variants: string[]): FlagPatch => ({
  enabled: true,
  requires: [{ flag: "currency", variants }],
});

async function openCurrency() {
  const shop = await openShop();
  const { app } = shop;
  const put = async (flag: string, patch: FlagPatch, environment = "live") =>
    (await shop.set(environment, patch, OPERATOR, flag)).record.revision;
  const document = (flags: Record<string, FlagPatch>) => ({
    projects: {
      shop: {
        flags: Object.fromEntries(
          Object.entries(flags).map(([flag, live]) => [flag, { environments: { live } }]),
        ),
      },
    },
  });
  const files = {
    document,
    apply: (flags: Record<string, FlagPatch>) => applyDocument(app, OPERATOR, document(flags), WHOLE),
    import: (flags: object, isDry = false) =>
      importFlags(app, OPERATOR, { project: "shop", environment: "live" }, { flags }, isDry),
    promote: (flags: string[], isDry = false) =>
      promoteFlags(app, OPERATOR, "shop", { from: "develop", to: "live", flags, segments: false }, isDry),
    undo: (first: number, last = first) => undoFlags(app, OPERATOR, "shop", { first, last }),
    schedule: (flag: string, patch: FlagPatch, hours = 1) =>
      scheduleChange(app, OPERATOR, shop.place("live", flag), { patch, at: app.clock.now + hours * HOUR }),
    /** Makes what is due until then, and returns why changes failed, as the history has it. */
    wait: async (hours: number) => {
      app.clock.now += hours * HOUR;
      await applyChanges(app, () => {});
      const items = await shop.history({ environment: "live" });
      return items.flatMap(({ kind, name, after }) =>
        kind === "scheduled" ? [`${name}: ${(after as { dropped: string }).dropped}`] : [],
      );
    },
  };
  const patched = (flag: string, body: FlagPatch) => ({
    operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
    names: { project: "shop", environment: "live", flag },
    query: undefined,
    body,
  });
  const asked = {
    propose: (flag: string, patch: FlagPatch) =>
      proposeChange(app, OPERATOR, patched(flag, patch), { project: "shop", lasts: HOUR }, rerunOn(app)),
    plan: (flag: string, patch: FlagPatch) =>
      planOperation(app, OPERATOR, {
        operation: patched(flag, patch),
        propose: false,
        rerun: rerunOn(app),
        listed: () => null,
      }),
    try: (flag: string, patch: FlagPatch) => tryChange(app, OPERATOR, shop.place("live", flag), patch, [{}]),
    ramp: (flag: string, patch: FlagPatch) =>
      startRamp(app, OPERATOR, shop.place("live", flag), { to: [10, 50], every: 3600, patch }),
    during: (flag: string, patch: FlagPatch) =>
      setFlagFor(app, OPERATOR, shop.place("live", flag), patch, app.clock.now + HOUR),
  };
  const needed = async (flag = "pay") =>
    requirementTerms(requirementsOf((await shop.find("live", flag))?.requires ?? ""));
  return { ...shop, ...files, ...asked, put, needed };
}

type Shop = Awaited<ReturnType<typeof openCurrency>>;

const flagd = (names: string[], more: object = {}) => ({
  state: "ENABLED",
  variants: Object.fromEntries(names.map((name, at) => [name, at])),
  defaultVariant: names[0],
  ...more,
});
const NEEDING = {
  state: "ENABLED",
  variants: { on: true, off: false },
  defaultVariant: "on",
  metadata: { requires: '[{"flag":"currency","variants":["eur"]}]' },
};

/** Every way in which the flag `currency`, which had chf and usd before, loses eur in live. */
const LOSING: Record<string, (shop: Shop, before: number) => Promise<unknown>> = {
  "a change": ({ put }) => put("currency", currency("usd", "chf")),
  "a change to a plain flag": ({ put }) => put("currency", { variants: null }),
  "a change for a while": ({ during }) => during("currency", currency("usd", "chf")),
  "a trial": ({ try: attempt }) => attempt("currency", currency("usd", "chf")),
  "a plan": ({ plan }) => plan("currency", currency("usd", "chf")),
  "a proposal": ({ propose }) => propose("currency", currency("usd", "chf")),
  "a ramp": ({ ramp }) =>
    ramp("currency", { variants: { usd: 1, chf: 2 }, defaultVariant: "usd", targeting: null }),
  "a document": ({ apply }) => apply({ currency: currency("usd", "chf") }),
  "the differences of a document": ({ app, document }) =>
    compareDocument(app, OPERATOR, document({ currency: currency("usd", "chf") }), false),
  "a file of flagd": (shop) => shop.import({ currency: flagd(["usd", "chf"]) }),
  "the differences of a file": (shop) => shop.import({ currency: flagd(["usd", "chf"]) }, true),
  "a promotion": ({ promote }) => promote(["currency"]),
  "the differences of a promotion": ({ promote }) => promote(["currency"], true),
  "a rollback": ({ app, place }, before) =>
    rollbackFlag(app, OPERATOR, place("live", "currency"), { before }),
  "an undo": ({ undo }, before) => undo(before),
  "a schedule": ({ schedule }) => schedule("currency", currency("usd", "chf")),
};

describe("a variant that a flag needs", () => {
  test.each(Object.keys(LOSING))("is not taken from the other by %s, which names the flag", async (way) => {
    const shop = await openCurrency();
    await shop.put("currency", currency("usd", "chf"), "develop");
    await shop.put("currency", currency("usd", "chf"));
    const before = await shop.put("currency", currency("eur", "usd"));
    await shop.put("pay", needs("eur"));
    expect(await errorOf(LOSING[way]!(shop, before))).toBe(
      'conflict: variants of "currency" that would go are needed by pay (eur) in live',
    );
    expect(Object.keys(JSON.parse((await shop.find("live", "currency"))!.rules!).variants)).toEqual([
      "eur",
      "usd",
    ]);
    await shop.put("pay", { requires: [{ flag: "currency" }] });
    expect(await errorOf(LOSING[way]!(shop, before))).toBe("none");
  });

  /** Every way in which the flag `pay`, which needed eur until the change `last`, needs it again. */
  const ASKING: Record<string, (shop: Shop, last: number) => Promise<unknown>> = {
    "a change": ({ put }) => put("pay", needs("eur")),
    "a change for a while": ({ during }) => during("pay", needs("eur")),
    "a trial": ({ try: attempt }) => attempt("pay", needs("eur")),
    "a plan": ({ plan }) => plan("pay", needs("eur")),
    "a proposal": ({ propose }) => propose("pay", needs("eur")),
    "a ramp": ({ ramp }) => ramp("pay", { requires: [{ flag: "currency", variants: ["eur"] }] }),
    "a document": ({ apply }) => apply({ pay: needs("eur") }),
    "a document with a new flag": ({ apply }) => apply({ new: needs("eur") }),
    "a file of flagd": (shop) => shop.import({ pay: NEEDING }),
    "a promotion": ({ promote }) => promote(["pay"]),
    "the differences of a promotion": ({ promote }) => promote(["pay"], true),
    "a rollback": ({ app, place }, before) => rollbackFlag(app, OPERATOR, place("live", "pay"), { before }),
    "an undo": ({ undo }, last) => undo(last),
    "a schedule": ({ schedule }) => schedule("pay", needs("eur")),
  };

  test.each(Object.keys(ASKING))("is not needed by %s while the other does not have it", async (way) => {
    const shop = await openCurrency();
    await shop.put("currency", currency("eur", "usd"), "develop");
    await shop.put("pay", needs("eur"), "develop");
    await shop.put("currency", currency("eur", "usd"));
    await shop.put("pay", needs("eur"));
    const last = await shop.put("pay", { enabled: false, requires: null });
    await shop.put("currency", currency("usd", "chf"));
    const flag = way.endsWith("new flag") ? "new" : "pay";
    expect(await errorOf(ASKING[way]!(shop, last))).toBe(
      `invalid: "eur", which ${flag} needs in live, is not one of the variants of currency: usd, chf`,
    );
    expect(await shop.needed(flag)).toEqual([]);
    await shop.put("currency", currency("usd", "chf", "eur"));
    expect(await errorOf(ASKING[way]!(shop, last))).toBe("none");
  });

  test("is renamed by a change of both flags at once, and comes back so", async () => {
    const shop = await openCurrency();
    await shop.put("currency", currency("eur", "usd"));
    await shop.put("pay", needs("eur"));
    await shop.put("currency", currency("euro", "usd"), "develop");
    await shop.put("pay", needs("euro"), "develop");
    expect(await errorOf(shop.promote(["pay"]))).toStartWith('invalid: "euro", which pay needs in live');
    await shop.promote(["pay", "currency"]);
    expect(await shop.needed()).toEqual(["currency=euro"]);
    const [newest] = await shop.history({ environment: "live" });
    await shop.undo(newest!.revision - 1, newest!.revision);
    expect(await shop.needed()).toEqual(["currency=eur"]);
    // In either order.
    await shop.apply({ currency: currency("a", "b"), pay: needs("a") });
    await shop.apply({ pay: needs("b"), currency: currency("b") });
    expect(await shop.needed()).toEqual(["currency=b"]);
    await shop.import({ currency: flagd(["eur"]), pay: NEEDING });
    expect(await shop.needed()).toEqual(["currency=eur"]);
  });

  test("goes with the flag that needs it, or with what it needed, in one document", async () => {
    const shop = await openCurrency();
    const { app, apply, document, find } = shop;
    const begin = () => apply({ currency: currency("eur", "usd"), pay: needs("eur") });
    await begin();
    await apply({ pay: { requires: null }, currency: currency("usd") });
    await begin();
    const archived = document({ currency: currency("usd") });
    const flags = { ...archived.projects.shop.flags, pay: { archived: true } };
    await applyDocument(app, OPERATOR, { projects: { shop: { flags } } }, WHOLE);
    expect((await find("live", "pay"))!.archived).toBe(true);
    const back = { projects: { shop: { flags: { pay: { archived: false } } } } };
    for (const work of [
      () => compareDocument(app, OPERATOR, back, false),
      () => applyDocument(app, OPERATOR, back, WHOLE),
    ])
      expect(await errorOf(work())).toBe(
        'invalid: "eur", which pay needs in live, is not one of the variants of currency: usd',
      );
    await applyDocument(app, OPERATOR, document({ currency: currency("usd") }), {
      prune: true,
      confirmed: true,
    });
    expect(await find("live", "pay")).toBeUndefined();
    await begin();
    const both = { currency: { archived: true }, pay: { archived: true } };
    await applyDocument(app, OPERATOR, { projects: { shop: { flags: both } } }, WHOLE);
    expect((await find("live", "currency"))!.archived).toBe(true);
  });

  test("and what needs it are gone with their environment, in one document", async () => {
    const { app, put, find } = await openCurrency();
    await put("currency", currency("eur"), "develop");
    await put("pay", needs("eur"), "develop");
    const shop = { environments: { live: {} }, flags: { currency: { archived: true }, pay: {} } };
    await applyDocument(app, OPERATOR, { projects: { shop } }, { prune: true, confirmed: true });
    expect((await find("live", "currency"))!.archived).toBe(true);
  });

  test("is kept for an archived flag that comes back only once it is there, in every environment", async () => {
    const shop = await openCurrency();
    const archive = (archived: boolean) =>
      setDetails(shop.app, OPERATOR, { project: "shop", flag: "pay" }, { archived });
    await shop.put("currency", currency("eur", "usd"));
    await shop.put("pay", needs("eur"));
    await archive(true);
    await shop.put("currency", currency("usd"));
    expect(await errorOf(archive(false))).toBe(
      'invalid: "eur", which pay needs in live, is not one of the variants of currency: usd',
    );
    await shop.put("currency", currency("eur"));
    await archive(false);
  });

  test("is false by the name off as long as a variant is false", async () => {
    const { put } = await openCurrency();
    await put("currency", { variants: { yes: true, no: false } });
    await put("pay", needs("off"));
    await put("currency", { variants: { yes: true, never: false } });
    expect(await errorOf(put("currency", currency("eur")))).toBe(
      'conflict: variants of "currency" that would go are needed by pay (off) in live',
    );
    await put("currency", { variants: null, defaultVariant: null });
  });
});

describe("a scheduled change", () => {
  test("that takes away what is needed by then fails when it is due, with its reason, and those after it do not", async () => {
    const { put, schedule, wait, find } = await openCurrency();
    await put("currency", currency("eur", "usd"));
    await put("pay", { enabled: true });
    await schedule("currency", currency("usd"));
    await schedule("currency", { enabled: false }, 2);
    await put("pay", needs("eur"));
    expect(await wait(2)).toEqual([
      'currency: variants of "currency" that would go are needed by pay (eur) in live',
    ]);
    expect((await find("live", "currency"))!.enabled).toBe(false);
  });

  test("that needs what is gone by then fails when it is due, with its reason", async () => {
    const { put, schedule, wait, needed } = await openCurrency();
    await put("currency", currency("eur", "usd"));
    await put("pay", { enabled: true });
    await schedule("pay", needs("eur"));
    await put("currency", currency("usd"));
    expect(await wait(1)).toEqual([
      'pay: "eur", which pay needs in live, is not one of the variants of currency: usd',
    ]);
    expect(await needed()).toEqual([]);
  });

  test("is checked as flags will be when it is due, after those that are due before it", async () => {
    const { put, schedule, wait, needed } = await openCurrency();
    await put("currency", currency("eur", "usd"));
    await put("pay", needs("eur"));
    await schedule("pay", needs("usd"), 1);
    const drop = (hours: number) => schedule("currency", currency("usd", "chf"), hours);
    expect(await errorOf(drop(0.5))).toStartWith("conflict");
    await drop(2);
    const back = (hours: number) => errorOf(schedule("pay", needs("eur"), hours));
    expect(await back(3)).toBe(
      'invalid: "eur", which pay needs in live, is not one of the variants of currency: usd, chf',
    );
    await schedule("pay", needs("chf"), 3);
    expect(await wait(3)).toEqual([]);
    expect(await needed()).toEqual(["currency=chf"]);
  });

  test("is checked as flags are now, if those that are due before it cannot be made", async () => {
    const { put, schedule } = await openCurrency();
    await put("currency", currency("eur", "usd"));
    await put("pay", { enabled: true });
    await schedule("currency", currency("usd"), 1);
    await put("pay", needs("eur"));
    await put("sale", { enabled: true });
    await schedule("sale", needs("eur"), 2);
    expect(await errorOf(schedule("sale", needs("chf"), 2))).toStartWith('invalid: "chf", which sale needs');
  });
});
