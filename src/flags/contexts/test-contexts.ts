import type { Caller } from "../../access/caller.ts";
import { change, type Plan } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import type { SetResult } from "../../base/result.ts";
import type { FlagChange } from "../change.ts";
import type { Context } from "../flagd/evaluate.ts";
import { RULE_LIMITS } from "../limits.ts";
import { requireContext } from "../rules/context.ts";
import type { FlagsApp } from "../store.ts";
import { type TestContext, findNameFault, noSuchTestContext } from "./test-context.ts";

/** The test contexts of a project by name. Throws `not_found`, `forbidden`. */
export async function listTestContexts(
  app: FlagsApp,
  caller: Caller,
  project: string,
): Promise<TestContext[]> {
  requireScope(caller, "flags:read", { project });
  return app.store.testContexts.list(project);
}

/** The test context of that name. Throws `not_found`, `forbidden`. */
export async function getTestContext(
  app: FlagsApp,
  caller: Caller,
  project: string,
  name: string,
): Promise<TestContext> {
  const found = (await listTestContexts(app, caller, project)).find((each) => each.name === name);
  if (!found) throw noSuchTestContext(name);
  return found;
}

/** A test context after a change, and whether the change created, updated or did not alter it. */
type ChangedTestContext = { context: TestContext; result: SetResult };

/**
 * Creates a test context of a project, or changes its values. Throws `not_found`, `forbidden`, `invalid` for the name
 * or the context, and `too_large` for a large context or one too many.
 */
export async function setTestContext(
  app: FlagsApp,
  caller: Caller,
  { project, name }: { project: string; name: string },
  context: Context,
): Promise<ChangedTestContext> {
  requireScope(caller, "flags:write", { project });
  const fault = findNameFault(name);
  if (fault !== undefined) throw new AppError("invalid", fault, { reason: "test-context-name" });
  requireContext(context);
  return change(app, caller, async ({ at }): Promise<Plan<FlagChange, ChangedTestContext>> => {
    const all = await app.store.testContexts.list(project);
    const before = all.find((each) => each.name === name);
    if (before && Bun.deepEquals(before.context, context, true))
      return { changes: [], result: { context: before, result: "unchanged" } };
    if (!before && all.length >= RULE_LIMITS.triedContexts)
      throw new AppError("too_large", `a project has at most ${RULE_LIMITS.triedContexts} test contexts`, {
        hint: "delete one first",
      });
    const after = { name, context, createdAt: before?.createdAt ?? at, updatedAt: at };
    return {
      changes: [{ change: "putTestContext", project, context: after, history: null }],
      result: { context: after, result: before ? "updated" : "created" },
    };
  });
}

/** Deletes a test context. Throws `not_found`, `forbidden`. */
export function deleteTestContext(
  app: FlagsApp,
  caller: Caller,
  { project, name }: { project: string; name: string },
): Promise<void> {
  requireScope(caller, "flags:write", { project });
  return change(app, caller, async (): Promise<Plan<FlagChange, void>> => {
    const all = await app.store.testContexts.list(project);
    if (!all.some((each) => each.name === name)) throw noSuchTestContext(name);
    return { changes: [{ change: "deleteTestContext", project, name, history: null }], result: undefined };
  });
}
