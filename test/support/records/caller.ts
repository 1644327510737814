import type { Caller } from "../../../src/access/caller.ts";

/** Somebody who may do everything and has confirmed it. */
export const OPERATOR: Caller = callerNamed("ann");

export function callerNamed(name: string, rights: Partial<Caller> = {}): Caller {
  return { name, scopes: ["admin"], hasConfirmed: () => true, verify: async () => {}, ...rights };
}
