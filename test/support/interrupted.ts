import type { Store } from "../../src/app.ts";

/** An app, with an event that happens once, between what an operation reads and what it writes. */
export function interrupted<A extends { store: Pick<Store, "apply"> }>(
  app: A,
  happens: () => Promise<unknown>,
): A {
  let hasHappened = false;
  const apply: A["store"]["apply"] = async (...args) => {
    if (!hasHappened) {
      hasHappened = true;
      await happens();
    }
    return app.store.apply(...args);
  };
  return { ...app, store: { ...app.store, apply } };
}
