import { describe, expect, test } from "bun:test";
import { openAdmin, expectError } from "../../support/admin.ts";
import { resolvedIn } from "../../support/records/openapi.ts";

const LIVE = "/projects/shop/environments/live";
const SALE = `${LIVE}/flags/sale`;

type Changes = { changes: { kind: string; name: string; why: string | null }[] };

/** The admin API with a project, and the reasons of its newest changes. */
async function openShop() {
  const { ask, document, operations } = await openAdmin();
  await ask("/projects", { body: { slug: "shop", environments: ["live"] } });
  const reasons = async (limit: number) => {
    const answer = await ask(`/projects/shop/history?limit=${limit}`);
    return ((await answer.json()) as Changes).changes.map(({ kind, why }) => [kind, why]);
  };
  return { ask, document, operations, reasons };
}
const because = (why: string) => ({ headers: { "x-why": why } });

describe("X-Why", () => {
  test("is in the history of each kind of change, percent-decoded", async () => {
    const { ask, reasons } = await openShop();
    await ask(SALE, { method: "PATCH", body: { enabled: true }, ...because("Gr%C3%BC%C3%9Fe%2C%20100%25") });
    await ask(`${LIVE}/segments/staff`, { method: "PUT", body: { rule: true }, ...because("new") });
    await ask(LIVE, { method: "PATCH", body: { color: "red" }, ...because("visible") });
    const document = { projects: { shop: { flags: { sale: { description: "d" } } } } };
    await ask("/apply", { body: { document }, ...because("in%20git") });
    await ask(SALE, { method: "PATCH", body: { enabled: false } });
    expect(await reasons(5)).toEqual([
      ["flag", null],
      ["flag", "in git"],
      ["environment", "visible"],
      ["segment", "new"],
      ["flag", "Grüße, 100%"],
    ]);
  });

  test("is none where it is empty, and stays with a change that is scheduled", async () => {
    const { ask, reasons } = await openShop();
    await ask(SALE, { method: "PATCH", body: { enabled: true }, ...because("%20") });
    expect(await reasons(1)).toEqual([["flag", null]]);
    const at = "2999-01-01T00:00:00Z";
    const body = { at, patch: { enabled: false } };
    const scheduled = await (await ask(`${SALE}/scheduled`, { body, ...because("the%20end") })).json();
    expect(scheduled).toMatchObject({ why: "the end" });
    expect(await (await ask("/projects/shop/scheduled")).json()).toMatchObject({ scheduled: [scheduled] });
  });

  test.each(["%", "%C3", "a%0Ab", "a%1B[31mb", "x".repeat(501)])(
    "that is not UTF-8 in percent-encoding, one line and short is 400, and nothing changes: %s",
    async (why) => {
      const { ask, reasons } = await openShop();
      const before = await reasons(1000);
      await expectError(
        await ask(SALE, { method: "PATCH", body: { payload: why }, ...because(why) }),
        400,
        "invalid",
      );
      expect(await reasons(1000)).toEqual(before);
    },
  );

  test("is described beside X-Confirm, and for environments", async () => {
    const { document, operations } = await openShop();
    const headersOf = ({ parameters = [] }: (typeof operations)[number]["operation"]) =>
      parameters
        .map((each) => resolvedIn(document, each))
        .filter((each) => each.in === "header" && !/^X-(?:Propose|Bypass)$/.test(each.name))
        .map(({ name }) => name);
    // Forms have no history of changes.
    const confirmed = operations.filter(
      ({ path, operation }) => !path.includes("/forms") && headersOf(operation).includes("X-Confirm"),
    );
    expect(confirmed.length).toBeGreaterThan(8);
    for (const { path, operation } of confirmed)
      expect([path, headersOf(operation)]).toEqual([path, ["X-Confirm", "X-Why"]]);
    const patch = operations.find(
      ({ method, path }) => method === "PATCH" && path.endsWith("/{environment}"),
    );
    expect(headersOf(patch!.operation)).toEqual(["X-Confirm", "X-Why"]);
    const get = operations.find(({ method, path }) => method === "GET" && path.endsWith("/{flag}"));
    expect(headersOf(get!.operation)).toEqual([]);
  });
});
