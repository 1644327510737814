import type { Caller } from "../../../src/access/caller.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { deleteFlag, type RollbackPoint, rollbackFlag, setFlag } from "../../../src/flags/flags.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import type { Revision, RevisionQuery } from "../../../src/projects/history.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../app.ts";
import { callerNamed, OPERATOR } from "./caller.ts";

export const BOB = callerNamed("bob");

/** The project `shop` with these environments, and what operators do with its flag `sale`. */
export async function openShop(...names: string[]) {
  const app = openTestApp();
  const environments = names.length === 0 ? ["develop", "live"] : names;
  await createProject(app, OPERATOR, { slug: "shop", environments });
  const place = (environment: string, flag = "sale") => ({ project: "shop", environment, flag });
  return {
    app,
    place,
    set: (environment: string, patch: FlagPatch, caller: Caller = OPERATOR, flag = "sale") =>
      setFlag(app, caller, place(environment, flag), patch),
    drop: (caller: Caller = OPERATOR, expected: number | null = null) =>
      deleteFlag(app, caller, { project: "shop", flag: "sale" }, expected),
    rollback: (to: RollbackPoint, caller: Caller = OPERATOR, expected: number | null = null) =>
      rollbackFlag(app, caller, place("live"), to, expected),
    find: (environment: string, flag = "sale") => app.store.flags.find(place(environment, flag)),
    segment: (environment: string, segment: string, rule: unknown) =>
      setSegment(app, OPERATOR, { project: "shop", environment, segment }, rule),
    history: async (query: Partial<RevisionQuery> = {}): Promise<Revision[]> =>
      (await app.store.changes.page("shop", { limit: 100, ...query })).items,
  };
}

/** `kind environment name who`, and whether there was something before and is after. */
export function brief({ kind, environment, name, who, before, after }: Revision): string {
  const mark = (state: unknown) => (state === null ? "-" : "+");
  return [kind, environment ?? "all", name, who, mark(before), mark(after)].join(" ");
}
