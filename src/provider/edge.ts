import type { Context, Evaluation } from "./flags.ts";
import { DEFAULT_TIMEOUT, type SourceOptions, SourceError, createStore, messageOf } from "./store.ts";

export type { Context, Evaluation } from "./flags.ts";
export type { SourceOptions, Storage } from "./store.ts";

/**
 * Flags for runtimes that keep nothing running between requests, such as Workers: it does something only while it is called.
 */
export class FormflagEdge {
  /** Why the last load got no flags; null if it did. */
  error: Error | null = null;
  readonly #store;
  readonly #timeout;
  #loading: { since: number; done: Promise<boolean> } | undefined;
  #loadedAt = -Infinity;

  constructor(options: SourceOptions) {
    this.#store = createStore(options);
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT;
  }

  /**
   * Gets the flags of the server, unless it got them within `maxAge` milliseconds; at most one request at a time. Returns
   * whether they are those of the server now. If not, the last ones stay, or those of the storage, and `error` says why.
   */
  async load({ maxAge = 0 }: { maxAge?: number } = {}): Promise<boolean> {
    const now = Date.now();
    if (now - this.#loadedAt < maxAge) return true;
    // The request that began a load may be gone, and its load with it.
    if (this.#loading && now - this.#loading.since > this.#timeout) this.#loading = undefined;
    if (!this.#loading) {
      const done = this.#load().finally(() => {
        if (this.#loading === mine) this.#loading = undefined;
      });
      const mine = { since: now, done };
      this.#loading = mine;
      return done;
    }
    return within(this.#timeout, this.#loading.done);
  }

  async #load(): Promise<boolean> {
    try {
      await this.#store.load(AbortSignal.timeout(this.#timeout));
      this.error = null;
      this.#loadedAt = Date.now();
      return true;
    } catch (error) {
      this.error = error instanceof Error ? error : new SourceError(messageOf(error));
      await this.#store.restore();
      return false;
    }
  }

  /** The result of a flag for a context. A flag without a value has none, so that the default of your code applies. */
  evaluate(key: string, context: Context = {}): Evaluation {
    const flags = this.#store.flags();
    if (flags) return flags.evaluate(key, context);
    const errorMessage = this.error?.message ?? "load() comes first";
    return { reason: "ERROR", errorCode: "PROVIDER_NOT_READY", errorMessage, metadata: {} };
  }

  /** The results of all flags by their keys. */
  evaluateAll(context: Context = {}): Record<string, Evaluation> {
    const flags = this.#store.flags();
    return Object.fromEntries((flags?.keys ?? []).map((key) => [key, flags!.evaluate(key, context)]));
  }
}

function within(ms: number, done: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
