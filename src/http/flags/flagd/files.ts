import type { App } from "../../../app.ts";
import type { Caller } from "../../../access/caller.ts";
import type { EnvironmentKeys } from "../../../access/place.ts";
import { createTokenFinder } from "../../../access/token-finder.ts";
import { tokenCaller } from "../../../access/tokens.ts";
import { createCache } from "../../../base/changes.ts";
import { AppError } from "../../../base/errors.ts";
import { once } from "../../../base/once.ts";
import { createHeldFlags } from "../../../experiments/held-flags.ts";
import { countedRule } from "../../../experiments/split.ts";
import { type Counted, type Reader, type SourceFile, sourceFile } from "../../../flags/flagd/source.ts";
import { type FlagSource, createFlagViews } from "../../../flags/reads/snapshots.ts";

/** The flags of environments as flagd files, and the tokens that read them. */
type FlagdFiles<T> = {
  /** The caller with a token. Throws `unauthenticated`, `unavailable`. */
  identify: (secret: string) => Promise<Caller>;
  /**
   * The file of an environment such as `shop/production` for a reader, from memory: the same object until it changes or one
   * of its flags expires. Undefined for an unknown environment. Throws `unavailable`.
   */
  find: (scope: string, reader: Reader) => Promise<T | undefined>;
  /** The key of an environment; undefined for an unknown one. Throws `unavailable`. */
  keyOf: (scope: string) => Promise<string | undefined>;
};

type View<T> = {
  source: FlagSource;
  prepared: Partial<Record<Reader, () => Promise<T>>>;
  until: number;
  /** The flags that experiments and guards measured when the file for the providers of this product was made. */
  measured: string;
};

/** `prepare` makes of a file what is sent, once for all its readers. */
export function createFlagdFiles<T>(app: App, prepare: (file: SourceFile) => T): FlagdFiles<T> {
  const findToken = createTokenFinder(app.watch, app.store);
  const findKeys = createCache<EnvironmentKeys>(app.watch, async (scope) => {
    const [slug, environment] = scope.split("/");
    const project = await app.store.projects.find(slug!);
    const found = project?.environments.find((each) => each.slug === environment);
    return found && { projectKey: project!.key, environmentKey: found.key };
  });
  const findView = createFlagViews<View<T>>(app, async (source) => ({
    source,
    prepared: {},
    until: Infinity,
    measured: "",
  }));
  const findMeasured = createMeasuredFlags(app);
  const make = async (view: View<T>, scope: string, reader: Reader): Promise<T> => {
    const counted = new Map<string, Counted>();
    for (const { slug, rules } of view.source.records)
      if (view.measured.split(" ").includes(slug)) counted.set(slug, countedIn(rules));
    const file = await sourceFile(view.source, scope, app.now(), reader, counted);
    view.until = Math.min(view.until, file.until);
    return prepare(file);
  };
  return {
    identify: (secret) => tokenCaller(app, secret, findToken, { hasConfirmed: () => false }),
    keyOf: async (scope) => (await findKeys(scope))?.environmentKey,
    async find(scope, reader) {
      const keys = await findKeys(scope);
      const view = keys && (await findView(keys.projectKey, keys.environmentKey));
      if (!view) return undefined;
      const measured = reader === "formflag" ? await findMeasured(scope, keys.environmentKey) : view.measured;
      if (app.now() >= view.until || measured !== view.measured)
        Object.assign(view, { prepared: {}, until: Infinity, measured });
      return await (view.prepared[reader] ??= once(() => make(view, scope, reader)))();
    },
  };
}

/** Finds the flags of an environment that experiments and guards measure, with spaces between them. */
function createMeasuredFlags(app: App): (scope: string, environmentKey: string) => Promise<string> {
  const findHeld = createHeldFlags(app);
  return async (scope, environmentKey) => {
    const measured: string[] = [];
    for (const flag of (await findHeld(scope)) ?? [])
      if ((await app.measuring.measurementOf(environmentKey, flag)) !== null) measured.push(flag);
    return measured.join(" ");
  };
}

/** The users of a measured flag who are counted. */
function countedIn(rules: string | null): Counted {
  try {
    const counted = countedRule(rules);
    return counted === null ? true : { rule: counted.targeting };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // A rule of another kind, which pauses the experiment in a moment.
    return true;
  }
}

/** The environment of a token that is limited to one. Throws `invalid`. */
export function onlyPlaceOf({ grants }: Caller): string {
  const [grant, ...others] = grants;
  const { project, environments = [] } = grant ?? {};
  if (others.length === 0 && project !== undefined && environments.length === 1)
    return `${project}/${environments[0]}`;
  throw new AppError("invalid", "the token reads several environments: select one, such as shop/production");
}
