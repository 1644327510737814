import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
} from "@openfeature/web-sdk";
import { type Bootstrap, ELEMENT, fingerprintOf } from "./bootstrap.ts";
import type { Evaluation } from "./flags.ts";
import { type Answer, type Remote, type RemoteError, createRemote } from "./remote.ts";
import { resolved } from "./resolution.ts";

export type { Bootstrap } from "./bootstrap.ts";

export type FormflagWebOptions = {
  /** The address of formflag, with its base path. Without it, the values of the server stay as they are. */
  url?: string | URL | undefined;
  /** A browser key (the scope `flags:browser`), which every visitor can read. */
  token?: string | undefined;
  /** The result of `snapshot` of `./ssr`, or its JSON; if not given, that of the element which `bootstrap` wrote. */
  bootstrap?: Bootstrap | string | undefined;
  /** Milliseconds that a start or a new context waits for the server; 2000 if not given. */
  timeout?: number | undefined;
  /** The place of the last values; `localStorage` if not given, null for none. */
  storage?: Pick<globalThis.Storage, "getItem" | "setItem"> | null | undefined;
};

type Values = Record<string, Evaluation>;
type Kept = Pick<Bootstrap, "flags" | "for">;

/** The provider for pages: it starts from values that a server rendered, asks for new ones after the first paint, and hears of changes. */
export class FormflagWebProvider implements Provider {
  readonly metadata = { name: "formflag" } as const;
  readonly runsOn = "client";
  readonly domainScoped = true;
  readonly events = new OpenFeatureEventEmitter();
  /** Only without values of a server: with them, the provider is ready at once. */
  readonly initialize?: (context?: EvaluationContext) => Promise<void>;
  readonly #rendered: Kept | undefined;
  readonly #remote: Remote | undefined;
  readonly #timeout: number;
  readonly #storage;
  #values: Values;
  /** The fingerprint of the context that the values are for. */
  #for: string;
  /** The fingerprint of the context that the server is asked for. */
  #asked: string;
  #hasStarted = false;
  #isStale = false;

  constructor({ url, token, bootstrap, timeout = 2000, storage }: FormflagWebOptions = {}) {
    this.#rendered = typeof bootstrap === "object" ? bootstrap : parsed(bootstrap ?? textOfPage());
    this.#timeout = timeout;
    this.#storage = storage === undefined ? ownStorage() : storage;
    this.#values = this.#rendered?.flags ?? {};
    this.#for = this.#rendered?.for ?? "";
    this.#asked = this.#for;
    if (url !== undefined && token !== undefined)
      this.#remote = createRemote(url, token, {
        took: (answer) => this.#take(answer, true),
        failed: (failure) => this.#fail(failure),
      });
    if (!this.#rendered && this.#remote) this.initialize = (context = {}) => this.#change(context);
  }

  onContextChange(_: EvaluationContext, context: EvaluationContext): Promise<void> | void {
    if (!this.#remote) return undefined;
    if (fingerprintOf(context) === this.#asked) return this.#start(context);
    return this.#change(context);
  }

  async onClose(): Promise<void> {
    this.#remote?.close();
  }

  track(name: string, { targetingKey }: EvaluationContext): void {
    this.#remote?.track(name, targetingKey);
  }

  /** Waits for values of another context, up to the timeout. Throws if the key or the address is wrong. */
  async #change(context: EvaluationContext): Promise<void> {
    this.#hasStarted = true;
    this.#asked = fingerprintOf(context);
    const answer = await this.#remote!.ask(context, this.#timeout);
    if (answer === "superseded") return;
    if (!(answer instanceof Error)) {
      this.#take(answer, false);
      return;
    }
    // Values of another user would be worse than none.
    if (fingerprintOf(context) !== this.#for) {
      this.#for = fingerprintOf(context);
      this.#values = this.#stored();
    }
    this.#isStale = true;
    if (answer.isRefused) throw answer;
    // The SDK says first that the context has changed.
    setTimeout(() => this.#isStale && this.events.emit(ProviderEvents.Stale, { message: answer.message }));
  }

  /** Asks for the values of a context once the page is painted. */
  #start(context: EvaluationContext): void {
    if (this.#hasStarted || !this.#remote || typeof document === "undefined") return;
    this.#hasStarted = true;
    const asked = (this.#asked = fingerprintOf(context));
    // The context may change before the first paint.
    const begin = () => setTimeout(() => this.#asked === asked && void this.#remote!.follow(context));
    if (document.visibilityState === "hidden") begin();
    else requestAnimationFrame(begin);
  }

  #take({ context, flags }: Answer, isAnnounced: boolean): void {
    const before = this.#values;
    this.#for = fingerprintOf(context);
    // A browser key does not read all that a server renders.
    this.#values = { ...(this.#rendered?.for === this.#for && this.#rendered.flags), ...flags };
    try {
      const kept = { flags: this.#values, for: this.#for };
      this.#storage?.setItem(ELEMENT, JSON.stringify(kept));
    } catch {
      // Full, or forbidden.
    }
    const wasStale = this.#isStale;
    this.#isStale = false;
    if (!isAnnounced) return;
    if (wasStale) this.events.emit(ProviderEvents.Ready, {});
    const keys = new Set([...Object.keys(before), ...Object.keys(this.#values)]);
    const flagsChanged = [...keys].filter((key) => !isSame(before[key], this.#values[key]));
    if (flagsChanged.length > 0) this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
  }

  #fail({ message, isRefused }: RemoteError): void {
    if (this.#isStale) return;
    this.#isStale = true;
    this.events.emit(isRefused ? ProviderEvents.Error : ProviderEvents.Stale, { message });
  }

  #stored(): Values {
    try {
      const kept = parsed(this.#storage?.getItem(ELEMENT));
      return kept?.for === this.#for ? kept.flags : {};
    } catch {
      return {};
    }
  }

  resolveBooleanEvaluation(key: string, fallback: boolean, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "boolean");
  }
  resolveStringEvaluation(key: string, fallback: string, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "string");
  }
  resolveNumberEvaluation(key: string, fallback: number, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "number");
  }
  resolveObjectEvaluation<T extends JsonValue>(key: string, fallback: T, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, "object");
  }
  #resolve<T>(key: string, fallback: T, context: EvaluationContext, type: string): ResolutionDetails<T> {
    this.#start(context);
    const value = Object.hasOwn(this.#values, key) ? this.#values[key]! : this.#missing(key);
    if (value.variant !== undefined) this.#remote?.seen(key);
    return resolved(value, key, fallback, type);
  }

  #missing(key: string): Evaluation {
    const [errorCode, errorMessage] = this.#for
      ? ["FLAG_NOT_FOUND", `there is no flag ${key}`]
      : ["PROVIDER_NOT_READY", UNANSWERED];
    return { reason: "ERROR", errorCode, errorMessage, metadata: {} };
  }
}

const UNANSWERED = "the server of flags has not answered yet";

/** Undefined for a text that has no values. */
function parsed(text: string | null | undefined): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? "null") as Kept | null;
    return kept?.flags ? kept : undefined;
  } catch {
    return undefined;
  }
}

function textOfPage(): string | null | undefined {
  return typeof document === "undefined" ? null : document.querySelector(`script#${ELEMENT}`)?.textContent;
}

/** The storage of the page; null where it is forbidden, and on servers. */
function ownStorage(): globalThis.Storage | null {
  try {
    return typeof document === "undefined" ? null : localStorage;
  } catch {
    return null;
  }
}

function isSame(a: Evaluation | undefined, b: Evaluation | undefined): boolean {
  return (
    a?.variant === b?.variant &&
    a?.errorCode === b?.errorCode &&
    JSON.stringify(a?.value) === JSON.stringify(b?.value)
  );
}
