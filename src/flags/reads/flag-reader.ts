import { createCache } from "../../base/changes.ts";
import type { FlagPlace } from "../flag.ts";
import { type Context, subjectOf } from "../flagd/evaluate.ts";
import { type Compiled, compileRules } from "../flagd/compiled.ts";
import { createPrerequisites } from "../requires/prerequisites.ts";
import type { FlagsApp } from "../store.ts";
import { type FindSnapshot, createFlagViews } from "./snapshots.ts";

/** Flags by their slugs, for other areas of the product. */
export type FlagReader = {
  exists(place: FlagPlace): Promise<boolean>;
  /**
   * Whether a flag is true for a context, at once if its environment is in memory; false for one that does not exist. As
   * old as other reads of flags are. Throws `unavailable`.
   */
  isTrue(place: FlagPlace, context: Context): boolean | Promise<boolean>;
};

type ReaderApp = Pick<FlagsApp, "now" | "watch" | "store">;

type FlagSet = {
  isTrue: (flag: string, context: Context) => boolean;
  compiled: ReadonlyMap<string, Compiled>;
};

type Keys = { projectKey: string; environmentKey: string };

/** Returns the reader of an app. What it keeps in memory begins with the first flag that is read. */
export function createFlagReader(app: ReaderApp): FlagReader {
  let reads: ((place: FlagPlace, context: Context) => boolean | Promise<boolean>) | undefined;
  return {
    exists: async (place) => (await app.store.flags.find(place)) !== undefined,
    isTrue: (place, context) => (reads ??= createReads(app))(place, context),
  };
}

function createReads(app: ReaderApp): FlagReader["isTrue"] {
  const findKeys = createCache<Keys>(app.watch, async (place) => {
    const [slug, environmentSlug] = place.split("/");
    const project = await app.store.projects.find(slug!);
    const environment = project?.environments.find((each) => each.slug === environmentSlug);
    return project && environment && { projectKey: project.key, environmentKey: environment.key };
  });
  const findSet: FindSnapshot<FlagSet> = createFlagViews<FlagSet>(
    app,
    async ({ records, segments, members, needs }, before) => {
      const compiled = compileRules(records, segments, before?.compiled, members);
      const bySlug = new Map(records.map((record) => [record.slug, record]));
      const { evaluates } = createPrerequisites(records, (slug) => compiled.get(slug)?.decide, needs);
      const isTrue = (flag: string, context: Context) => {
        const record = bySlug.get(flag);
        if (!record) return false;
        const result = evaluates(record)(subjectOf(context), app.now());
        return "value" in result && result.value === true;
      };
      return { isTrue, compiled };
    },
  );
  return ({ project, environment, flag }, context) => {
    const judge = (set: FlagSet | undefined) => set?.isTrue(flag, context) ?? false;
    const read = (keys: Keys | undefined) => {
      const set = keys && findSet(keys.projectKey, keys.environmentKey);
      return set instanceof Promise ? set.then(judge) : judge(set);
    };
    const keys = findKeys(`${project}/${environment}`);
    return keys instanceof Promise ? keys.then(read) : read(keys);
  };
}
