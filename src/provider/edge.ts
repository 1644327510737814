import type { Context, Evaluation } from "./flags.ts";
import { DEFAULT_TIMEOUT, type SourceOptions, createStore } from "./store.ts";

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
  /** The load under way, and its outcome once it is over. */
  #loading: { outcome?: boolean } | undefined;
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
    if (Date.now() - this.#loadedAt < maxAge) return true;
    while (this.#loading) {
      const other = this.#loading;
      // In a Worker, a promise of another request cannot be relied on.
      for (let waited = 0; other.outcome === undefined && waited < this.#timeout / 2; waited += LOOK)
        await pause(LOOK);
      if (other.outcome !== undefined) return other.outcome;
      // A request that ends takes its load with it.
      if (this.#loading === other) this.#loading = undefined;
    }
    const mine: { outcome?: boolean } = {};
    this.#loading = mine;
    mine.outcome = await this.#load();
    if (this.#loading === mine) this.#loading = undefined;
    return mine.outcome;
  }

  async #load(): Promise<boolean> {
    try {
      await this.#store.load(AbortSignal.timeout(this.#timeout));
      this.error = null;
      this.#loadedAt = Date.now();
      return true;
    } catch (error) {
      this.error = error as Error;
      const late = new Promise((resolve) =>
        AbortSignal.timeout(this.#timeout).addEventListener("abort", resolve),
      );
      await Promise.race([this.#store.restore(), late]);
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

/** Milliseconds between two looks at a load of another request. */
const LOOK = 5;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
