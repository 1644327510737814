import { describe, expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../src/documents/changes/proposals.ts";
import { rejectProposal } from "../../src/documents/changes/reviews.ts";
import { getProposal, listProposals } from "../../src/documents/changes/views.ts";
import { setTestContext } from "../../src/flags/contexts/test-contexts.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { setSegment } from "../../src/flags/segments.ts";
import { rerunOn } from "../../src/operations/changes/perform.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { openShop } from "../support/records/shop.ts";
import { createUser } from "../../src/access/users.ts";

const HOUR = 3_600_000;
const SET = "PATCH /projects/:project/environments/:environment/flags/:flag";
const ONLY_PRO = { "==": [{ var: "plan" }, "pro"] };

/** A shop with the test contexts Ann, who has the plan pro, and Bob; and what a proposal of an operation does to them. */
async function openPeople(people: Record<string, object> = { Ann: { plan: "pro" }, Bob: {} }) {
  const { app } = await openShop();
  for (const [name, context] of Object.entries(people))
    await setTestContext(app, OPERATOR, { project: "shop", name }, { ...context });
  const rerun = rerunOn(app);
  const set = (flag: string, patch: object, environment = "live") =>
    setFlag(app, OPERATOR, { project: "shop", environment, flag }, patch);
  const propose = async (operation: string, names: Record<string, string>, body: unknown) => {
    const proposed = { operation, names: { project: "shop", ...names }, query: undefined, body };
    const made = await proposeChange(app, OPERATOR, proposed, { project: "shop", lasts: HOUR }, rerun);
    return (made as { change: ProposalView }).change.id;
  };
  const get = (change: string) => getProposal(app, OPERATOR, { project: "shop", change }, rerun);
  return {
    app,
    rerun,
    set,
    propose,
    get,
    proposeSet: (flag: string, patch: object, environment = "live") =>
      propose(SET, { environment, flag }, patch),
    linesOf: async (change: string) => (await get(change)).impact?.lines,
  };
}

describe("the impact of a proposal", () => {
  test("has the test contexts that get another value, by name, before and after", async () => {
    const { set, proposeSet, get } = await openPeople();
    await set("checkout", { enabled: false });
    const variants = { variants: { old: 1, new: 2 }, defaultVariant: "old" };
    const patch = { enabled: true, ...variants, targeting: { if: [ONLY_PRO, "new"] } };
    const change = await proposeSet("checkout", patch);
    const place = { environment: "live", flag: "checkout" };
    expect((await get(change)).impact).toEqual({
      contexts: [
        { name: "Ann", ...place, before: "off", after: "new" },
        { name: "Bob", ...place, before: "off", after: "old" },
      ],
      reads: [{ ...place, perHour: 0 }],
      lines: ["Ann: checkout off → new", "Bob: checkout off → old", "checkout: 0 reads an hour"],
    });
  });

  test("says that none differs, and shows values where only these differ", async () => {
    const { set, proposeSet, linesOf } = await openPeople({ Ann: {} });
    const variants = { variants: { a: "x", b: "y" }, defaultVariant: "a" };
    await set("color", { enabled: true, ...variants });
    const same = await proposeSet("color", { description: "Colors" });
    expect(await linesOf(same)).toEqual(["no test context gets another value", "color: 0 reads an hour"]);
    const other = await proposeSet("color", { variants: { a: "z", b: "y" } });
    expect(await linesOf(other)).toEqual(['Ann: color a ("x") → a ("z")', "color: 0 reads an hour"]);
  });

  test("follows a segment that changes to its flags, and a flag to what needs it, and no further", async () => {
    const { app, set, propose, proposeSet, linesOf } = await openPeople();
    const segment = (name: string, rule: unknown) =>
      setSegment(app, OPERATOR, { project: "shop", environment: "live", segment: name }, rule);
    await segment("staff", false);
    await segment("crew", { $ref: "staff" });
    const variants = { variants: { on: true, off: false }, defaultVariant: "off" };
    await set("tools", { enabled: true, ...variants, targeting: { if: [{ $ref: "crew" }, "on"] } });
    await set("banner", { enabled: true });
    const names = { environment: "live", segment: "staff" };
    const rule = await propose("PUT /projects/:project/environments/:environment/segments/:segment", names, {
      rule: ONLY_PRO,
    });
    expect(await linesOf(rule)).toEqual(["Ann: tools off → on", "tools: 0 reads an hour"]);
    await set("cart", { enabled: true });
    await set("checkout", { enabled: true, requires: [{ flag: "cart" }] });
    const off = await proposeSet("cart", { enabled: false });
    expect(await linesOf(off)).toEqual([
      "turns off 1 more: checkout",
      "Ann: cart on → off",
      "Ann: checkout on → off",
      "Bob: cart on → off",
      "Bob: checkout on → off",
      "cart: 0 reads an hour",
      "checkout: 0 reads an hour",
    ]);
  });

  test("names the environments where it is in several, and a flag that is deleted", async () => {
    const { set, propose, linesOf } = await openPeople({ Ann: {} });
    for (const environment of ["develop", "live"]) await set("sale", { enabled: true }, environment);
    const change = await propose("DELETE /projects/:project/flags/:flag", { flag: "sale" }, undefined);
    expect((await linesOf(change))!.toSorted()).toEqual([
      "Ann: sale in develop on → no flag",
      "Ann: sale in live on → no flag",
      "sale in develop: 0 reads an hour",
      "sale in live: 0 reads an hour",
    ]);
  });

  test("counts reads an hour, from the first of them within a day on", async () => {
    const { app, set, proposeSet, linesOf } = await openPeople({});
    await set("sale", {});
    await set("sales", {});
    const { environments } = (await app.store.projects.find("shop"))!;
    const { key } = environments.find(({ slug }) => slug === "live")!;
    const hour = Math.floor(app.now() / HOUR);
    const tally = (what: string, at: number, variant: string, count: number) =>
      ({ kind: "served", hour: at, what: `${key}/${what}`, variant, count }) as const;
    await app.store.tallies.add([
      tally("sale", hour - 30, "on", 1_000_000),
      tally("sale", hour - 1, "on", 2000),
      tally("sale", hour, "", 406),
      tally("sales", hour, "on", 77),
    ]);
    const change = await proposeSet("sale", { enabled: true });
    expect(await linesOf(change)).toEqual(["sale: 1,203 reads an hour"]);
  });

  test("claims no reads in an environment that is read and has too many flags to count each", async () => {
    const { app, set, proposeSet, get } = await openPeople({});
    await set("sale", {});
    const { environments } = (await app.store.projects.find("shop"))!;
    const { key } = environments.find(({ slug }) => slug === "live")!;
    const hour = Math.floor(app.now() / HOUR);
    await app.store.tallies.add([{ kind: "reads", hour, what: key, variant: "all", count: 5 }]);
    const change = await proposeSet("sale", { enabled: true });
    expect((await get(change)).impact).toEqual({ contexts: [], reads: [], lines: [] });
    await app.store.tallies.add([{ kind: "served", hour, what: `${key}/other`, variant: "on", count: 5 }]);
    expect((await get(change)).impact?.lines).toEqual(["sale: 0 reads an hour"]);
  });

  test("is bounded: of many flags and contexts it writes out the first", async () => {
    const people = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`P${index}`, {}]));
    const { set, propose, get } = await openPeople(people);
    for (let index = 10; index < 40; index += 1) await set(`f${index}`, { enabled: true }, "develop");
    const names = { environment: "live" };
    const change = await propose("POST /projects/:project/environments/:environment/promote", names, {
      from: "develop",
    });
    const { reads, contexts, lines } = (await get(change)).impact!;
    expect([reads.length, contexts.length, lines.length]).toEqual([20, 400, 41]);
    expect(lines[20]).toBe("380 more results of test contexts differ");
  });

  test("is of what is open: neither lists have it, nor a proposal that is outdated or closed", async () => {
    const { app, rerun, set, proposeSet, get } = await openPeople();
    await set("sale", {});
    const [one, two] = [
      await proposeSet("sale", { enabled: true }),
      await proposeSet("sale", { enabled: true }),
    ];
    const { items } = await listProposals(app, OPERATOR, "shop", { limit: 10 }, rerun);
    expect(items.map(({ impact }) => impact)).toEqual([undefined, undefined]);
    await createUser(app, OPERATOR, { name: "ann", role: "releaser" });
    const ann: Caller = { ...callerNamed("ann"), type: "user" };
    await rejectProposal(app, ann, { project: "shop", change: one }, undefined);
    expect((await get(one)).impact).toBeUndefined();
    expect((await get(two)).impact).toBeDefined();
    await set("sale", { enabled: true });
    expect(await get(two)).toMatchObject({ isOutdated: true });
    expect((await get(two)).impact).toBeUndefined();
  });
});
