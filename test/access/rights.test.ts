import { describe, expect, test } from "bun:test";
import {
  type Rights,
  hasScope,
  hasScopeSomewhere,
  requireScope,
  requireScopeSomewhere,
  visibleProjects,
} from "../../src/access/rights.ts";
import { AppError } from "../../src/base/errors.ts";

const user = (...grants: Rights["grants"]): Rights => ({ name: "ann", type: "user", grants });
const token = (...grants: Rights["grants"]): Rights => ({ name: "ci", type: "token", grants });
const refused = (work: () => void) => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.message];
    throw error;
  }
  return undefined;
};

/** Changes flags of `staging`, and reads the rest of `shop`. */
const member = user(
  { scopes: ["flags:write"], project: "shop", environments: ["staging"] },
  { scopes: ["read"], project: "shop" },
);

describe("a grant", () => {
  test("counts in its project and its environments, and several add up", () => {
    const staging = { project: "shop", environment: "staging" };
    const live = { project: "shop", environment: "live" };
    expect(hasScope(member, "flags:write", staging)).toBe(true);
    expect(hasScope(member, "flags:write", live)).toBe(false);
    expect(hasScope(member, "flags:write", { project: "shop" })).toBe(false);
    for (const reach of [staging, live, { project: "shop" }])
      expect(hasScope(member, "flags:read", reach)).toBe(true);
    expect(hasScope(member, "flags:read")).toBe(false);
    expect(hasScope(user({ scopes: ["read"] }), "flags:read", live)).toBe(true);
  });

  test("decides which projects are visible", () => {
    expect(visibleProjects(member, "forms:read")).toEqual(["shop"]);
    expect(visibleProjects(member, "flags:write")).toEqual([]);
    expect(visibleProjects(user({ scopes: ["admin"] }), "flags:read")).toBeNull();
    expect(visibleProjects(user(), "flags:read")).toEqual([]);
    expect(hasScopeSomewhere(member, "flags:write")).toBe(true);
    expect(hasScopeSomewhere(member, "forms:write")).toBe(false);
  });
});

describe("a refusal", () => {
  test("of a user elsewhere is that of a project that does not exist", () => {
    const other = refused(() => requireScope(member, "flags:read", { project: "bank", environment: "live" }));
    expect(other).toEqual(["not_found", 'project "bank" does not exist']);
  });

  test("of a user in a project of theirs says what is missing", () => {
    const live = { project: "shop", environment: "live" };
    expect(refused(() => requireScope(member, "flags:write", live))).toEqual([
      "forbidden",
      'the user "ann" is limited to the environment staging of project shop',
    ]);
    expect(refused(() => requireScope(member, "admin", live))![1]).toContain("lacks the scope admin");
    expect(refused(() => requireScopeSomewhere(member, "admin"))![1]).toContain("lacks the scope admin");
  });

  test("of an assistant names it, since its user may do more", () => {
    const live = { project: "shop", environment: "live" };
    expect(refused(() => requireScope({ ...member, via: "Claude" }, "flags:write", live))).toEqual([
      "forbidden",
      '"ann via Claude" is limited to the environment staging of project shop',
    ]);
  });

  test("of a token elsewhere is the same for every project", () => {
    const ci = token({ scopes: ["flags:write"], project: "shop" });
    expect(refused(() => requireScope(ci, "flags:write", { project: "bank" }))).toEqual([
      "forbidden",
      'the token "ci" is limited to the project shop',
    ]);
    expect(refused(() => requireScope(ci, "flags:write"))).toEqual([
      "forbidden",
      'the token "ci" is limited to the project shop',
    ]);
  });
});
