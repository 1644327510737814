import type { Caller } from "../../../access/caller.ts";
import type { EnvironmentKeys } from "../../../access/place.ts";
import { createTokenFinder } from "../../../access/token-finder.ts";
import { tokenCaller } from "../../../access/tokens.ts";
import type { App } from "../../../app.ts";
import { createCache } from "../../../base/changes.ts";
import { type SourceFile, sourceFile } from "../../../flags/flagd/source.ts";
import { type FlagSource, createFlagViews } from "../../../flags/reads/snapshots.ts";

/** The flags of environments as flagd files, and the tokens that read them. */
export type FlagdFiles<T> = {
  /** The caller with a token. Throws `unauthenticated`, `unavailable`. */
  identify: (secret: string) => Promise<Caller>;
  /**
   * The file of an environment such as `shop/production`, from memory: the same object until it changes or one of its flags
   * expires. Undefined if there is no such environment. Throws `unavailable`.
   */
  find: (scope: string) => Promise<T | undefined>;
};

type View<T> = { source: FlagSource; prepared?: Promise<T>; until: number };

/** `prepare` makes of a file what is sent, once for all its readers. */
export function createFlagdFiles<T>(app: App, prepare: (file: SourceFile) => T): FlagdFiles<T> {
  const findToken = createTokenFinder(app.watch, app.store);
  const findKeys = createCache<EnvironmentKeys>(app.watch, async (scope) => {
    const [slug, environment] = scope.split("/");
    const project = await app.store.projects.find(slug!);
    const found = project?.environments.find((each) => each.slug === environment);
    return found && { projectKey: project!.key, environmentKey: found.key };
  });
  const findView = createFlagViews<View<T>>(app, async (source) => ({ source, until: Infinity }));
  const make = async (view: View<T>, scope: string): Promise<T> => {
    const file = await sourceFile(view.source, scope, app.now());
    view.until = file.until;
    return prepare(file);
  };
  return {
    identify: (secret) => tokenCaller(app, secret, findToken, { hasConfirmed: () => false }),
    async find(scope) {
      const keys = await findKeys(scope);
      const view = keys && (await findView(keys.projectKey, keys.environmentKey));
      if (!view) return undefined;
      if (app.now() >= view.until) delete view.prepared;
      return await (view.prepared ??= make(view, scope));
    },
  };
}
