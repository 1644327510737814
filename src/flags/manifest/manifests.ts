import type { Caller } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import type { FlagHead, FlagRecord } from "../flag.ts";
import { noSuchFlag } from "../flag.ts";
import { setDetails, setFlag } from "../flags.ts";
import { flagInEveryEnvironment } from "../overviews.ts";
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
 * Creates a flag that is off everywhere; one that is not boolean has its value as the variant `default`, in every environment that
 * is not locked. Throws `conflict` if it exists, and as `setFlag`.
 */
export async function createFromManifest(
  app: FlagsApp,
  caller: Caller,
  project: string,
  { key: flag, type, description, defaultValue }: NewFlag,
): Promise<StoredManifestFlag> {
  const [missing] = await app.store.flags.missing(project, [flag]);
  if (missing === undefined)
    throw new AppError("conflict", `flag "${flag}" already exists`, { hint: "choose another key" });
  const environments = await app.store.environments.list(project);
  const open = environments.filter(({ locked, approvals }) => !locked && approvals === 0);
  const typed = { variants: { default: defaultValue }, defaultVariant: "default" };
  const patch = { description, ...(type !== "boolean" && typed) };
  for (const { slug: environment } of open.length > 0 ? open : environments.slice(0, 1)) {
    await setFlag(app, caller, { project, environment, flag }, patch);
    // A plain flag is the same in the others.
    if (type === "boolean") break;
  }
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
