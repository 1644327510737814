import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
} from "@openfeature/server-sdk";
import { createCounting } from "./counting.ts";
import { createTracker } from "./events.ts";
import { type Context, type Evaluation, type Flags, changesBetween } from "./flags.ts";
import { type Follower, type State, createFollower } from "./follow.ts";
import { createReads } from "./reads.ts";
import { resolved } from "./resolution.ts";
import { DEFAULT_TIMEOUT, type SourceOptions, createStore } from "./store.ts";

export type { Context, Evaluation } from "./flags.ts";
export type { SourceOptions, Storage } from "./store.ts";

export type FormflagOptions = SourceOptions & {
  /** Milliseconds without a sign of life after which a stream counts as lost; 60000 if not given. */
  silence?: number | undefined;
  /** Whether to report every minute how often each flag had each variant, as `formflag flags reads` shows it; true if not given. */
  reportReads?: boolean | undefined;
};

const EVENTS = {
  ready: ProviderEvents.Ready,
  stale: ProviderEvents.Stale,
  error: ProviderEvents.Error,
} as const;

/** The provider for servers: it has the flags of an environment, hears of changes, and evaluates in this process. */
export class FormflagProvider implements Provider {
  readonly metadata = { name: "formflag" } as const;
  readonly runsOn = "server";
  readonly events = new OpenFeatureEventEmitter();
  readonly #store;
  readonly #timeout;
  readonly #silence;
  readonly #tracker;
  readonly #reads;
  readonly #isCounted = createCounting();
  #follower: Follower | undefined;
  /** Whether the SDK has the outcome of `initialize`: before, it would replace what events say. */
  #isInitialized = false;

  constructor(options: FormflagOptions) {
    this.#store = createStore(options);
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT;
    this.#silence = options.silence ?? 60_000;
    this.#tracker = createTracker(options);
    this.#reads = options.reportReads === false ? null : createReads(options, this.#store.address);
  }

  /** Waits for the flags, or for `timeout` milliseconds. Throws if the token or the address is wrong and nothing is stored. */
  async initialize(): Promise<void> {
    this.#follower?.close();
    this.#isInitialized = false;
    const restored = this.#store.restore();
    const follower = createFollower(this.#store, {
      silence: this.#silence,
      changed: (before) => this.#changed(before),
      became: (state, message) => this.#announce(state, message),
    });
    this.#follower = follower;
    const late = after(this.#timeout);
    const failure = await Promise.race([follower.first, late.done]);
    if (failure) await Promise.race([restored, late.done]);
    late.cancel();
    const seen = this.#store.flags();
    // The SDK learns the outcome first.
    setTimeout(() => {
      if (this.#follower !== follower) return;
      this.#isInitialized = true;
      if (this.#store.flags() !== seen) this.#changed(seen);
      const { state, message } = follower.now();
      if (state !== "ready") this.#announce(state, message);
    });
    if (failure?.isRefused && !seen) throw failure;
  }

  #changed(before: Flags | undefined): void {
    if (!this.#isInitialized) return;
    const flagsChanged = changesBetween(before, this.#store.flags()!);
    if (flagsChanged.length > 0) this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
  }

  #announce(state: State, message: string): void {
    if (this.#isInitialized) this.events.emit(EVENTS[state], state === "ready" ? {} : { message });
  }

  async onClose(): Promise<void> {
    this.#follower?.close();
    this.#follower = undefined;
    this.#isInitialized = false;
    await Promise.all([this.#tracker.flush(this.#timeout), this.#reads?.flush(this.#timeout)]);
  }

  /** The result of a flag for a context. A flag without a value has none, so that the default of your code applies. */
  evaluate(key: string, context: Context = {}): Evaluation {
    const flags = this.#store.flags();
    if (flags) {
      const evaluation = flags.evaluate(key, context);
      if (evaluation.errorCode !== "FLAG_NOT_FOUND") this.#reads?.note(key, evaluation.variant ?? "");
      return evaluation;
    }
    const errorMessage = "the server of flags has not answered yet";
    return { reason: "ERROR", errorCode: "PROVIDER_NOT_READY", errorMessage, metadata: {} };
  }

  /** The results of all flags by their keys. */
  evaluateAll(context: Context = {}): Record<string, Evaluation> {
    const flags = this.#store.flags();
    return Object.fromEntries((flags?.keys ?? []).map((key) => [key, flags!.evaluate(key, context)]));
  }

  track(name: string, { targetingKey }: EvaluationContext): void {
    this.#tracker.track(name, targetingKey);
  }

  async resolveBooleanEvaluation(key: string, fallback: boolean, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "boolean");
  }
  async resolveStringEvaluation(key: string, fallback: string, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "string");
  }
  async resolveNumberEvaluation(key: string, fallback: number, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "number");
  }
  async resolveObjectEvaluation<T extends JsonValue>(key: string, fallback: T, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "object");
  }
  #resolve<T>(key: string, fallback: T, context: EvaluationContext, type: string): ResolutionDetails<T> {
    const evaluation = this.evaluate(key, context);
    const { variant } = evaluation;
    const { targetingKey } = context;
    if (variant !== undefined && targetingKey && this.#isCounted(this.#store.flags()!, key, context))
      this.#tracker.expose(key, variant, targetingKey);
    return resolved(evaluation, key, fallback, type);
  }
}

function after(ms: number): { done: Promise<undefined>; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout>;
  const done = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  return { done, cancel: () => clearTimeout(timer) };
}
