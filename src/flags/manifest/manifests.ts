import type { Caller } from "../../access/caller.ts";
import { type Plan, change } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { requireChangeable } from "../../projects/locks.ts";
import type { FlagChange } from "../change.ts";
import { requireSoundRules } from "../fit.ts";
import { type FlagHead, type FlagRecord, applyPatch, noSuchFlag } from "../flag.ts";
import { setDetails } from "../flags.ts";
import { flagInEveryEnvironment } from "../overviews.ts";
import { putFlag } from "../plan.ts";
import { segmentsIn } from "../segments.ts";
import type { FlagsApp } from "../store.ts";
import { type ManifestFlag, PAYLOAD, manifestOf } from "./manifest.ts";

/** Flags that are read in one step. */
const STEP = 1000;

/** The flags of a project that are not archived, by key. Throws `not_found` for the project. */
export async function projectManifest({ store }: FlagsApp, project: string): Promise<ManifestFlag[]> {
  const environments = await store.environments.list(project);
  const flags: ManifestFlag[] = [];
  for (let after: string | undefined; ;) {
    const { items, more } = await store.flags.heads(project, { limit: STEP, after });
    const heads = items.filter(({ archived }) => !archived);
    const slugs = heads.map(({ slug }) => slug);
    const records: FlagRecord[] = [];
    for (const { slug } of environments) records.push(...(await store.flags.among(project, slug, slugs)));
    const bySlug = Map.groupBy(records, ({ slug }) => slug);
    for (const head of heads) flags.push(...manifestOf(head, bySlug.get(head.slug) ?? []));
    after = items.at(-1)?.slug;
    if (!more || after === undefined) break;
  }
  return flags.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

export type StoredManifestFlag = { flag: ManifestFlag; updatedAt: number };

type NewFlag = Pick<ManifestFlag, "key" | "type" | "description" | "defaultValue">;

/**
 * Creates a flag that is off everywhere, in one change. If it is not boolean, its value becomes the variant `default`
 * in every environment that is not locked. Throws `conflict` if the flag exists, and like `setFlag`.
 */
export async function createFromManifest(
  app: FlagsApp,
  caller: Caller,
  project: string,
  { key: flag, type, description, defaultValue }: NewFlag,
): Promise<StoredManifestFlag> {
  requireScope(caller, "flags:write", { project });
  const typed = { variants: { default: defaultValue }, defaultVariant: "default" };
  const patch = { description, ...(type !== "boolean" && typed) };
  await change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, void>> => {
    const [missing] = await app.store.flags.missing(project, [flag]);
    if (missing === undefined)
      throw new AppError("conflict", `flag "${flag}" already exists`, { hint: "choose another key" });
    const environments = await app.store.environments.list(project);
    const open = environments.filter(({ locked, approvals }) => !locked && approvals === 0);
    // A plain flag is the same in the others.
    const chosen = type === "boolean" ? open.slice(0, 1) : open;
    const changes: FlagChange[] = [];
    for (const { slug: environment } of chosen.length > 0 ? chosen : environments.slice(0, 1)) {
      const place = { project, environment, flag };
      await requireChangeable(app, caller, place);
      await requireSoundRules(undefined, patch, () => segmentsIn(app, place));
      const { record } = applyPatch(flag, undefined, patch, at);
      const revision = version + changes.length + 1;
      changes.push(putFlag(place, undefined, { ...record, revision }));
    }
    return { changes, result: undefined };
  });
  return storedFlag(app, project, flag);
}

/** Sets the description of a flag. Throws `not_found`, `conflict` for another type and a flag that is archived. */
export async function describeFromManifest(
  app: FlagsApp,
  caller: Caller,
  project: string,
  { key, type, description }: Pick<NewFlag, "key" | "type"> & { description: string | undefined },
): Promise<StoredManifestFlag> {
  if (key.endsWith(PAYLOAD))
    throw new AppError("conflict", `${key} is the payload of a flag, whose description it has`);
  const { flag } = await storedFlag(app, project, key);
  if (flag.type !== type)
    throw new AppError("conflict", `flag type cannot be changed from ${flag.type} to ${type}`);
  if (description !== undefined) await setDetails(app, caller, { project, flag: key }, { description });
  return storedFlag(app, project, key);
}

async function storedFlag(app: FlagsApp, project: string, slug: string): Promise<StoredManifestFlag> {
  const records = (await flagInEveryEnvironment(app, project, slug)).flatMap(({ record }) => record ?? []);
  const [head] = records as [FlagHead & FlagRecord] | [];
  if (!head) throw noSuchFlag(slug);
  if (head.archived)
    throw new AppError("conflict", `flag "${slug}" is archived`, { hint: "restore it first" });
  const [flag] = manifestOf(head, records);
  return { flag: flag!, updatedAt: Math.max(...records.map(({ updatedAt }) => updatedAt)) };
}
