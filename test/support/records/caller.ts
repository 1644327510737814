import type { Caller } from "../../../src/access/caller.ts";
import type { Scope } from "../../../src/access/scope.ts";

/** Somebody who may do everything and has confirmed it. */
export const OPERATOR: Caller = callerNamed("ann", { type: "operator" });

type Given = Partial<Caller> & { scopes?: readonly Scope[]; project?: string; environment?: string };

/** A caller with scopes, everywhere or in a place. */
export function callerNamed(
  name: string,
  { scopes = ["admin"], project, environment, ...rights }: Given = {},
): Caller {
  const environments = environment === undefined ? undefined : [environment];
  const grants = [{ scopes, project, environments }];
  return { name, type: "token", grants, hasConfirmed: () => true, verify: async () => {}, ...rights };
}
