import { baseOf } from "./base.ts";
import { type Flags, readFlags } from "./flags.ts";

/** A place for the last flags, such as a file, a cache or a `Map`, for a start without the server. */
export type Storage = {
  get: (key: string) => string | null | undefined | Promise<string | null | undefined>;
  set: (key: string, value: string) => unknown;
};

export type SourceOptions = {
  /** The address of formflag, with its base path. */
  url: string | URL;
  /** A token with the scope `flags:sync`. */
  token: string;
  /** Only for a token that reads several environments. */
  project?: string | undefined;
  environment?: string | undefined;
  /** Milliseconds that a start or a load waits for the server; 2000 if not given. */
  timeout?: number | undefined;
  storage?: Storage | undefined;
  fetch?: typeof globalThis.fetch | undefined;
};

/** A server that did not answer with flags; `status` is that of its answer. */
export class SourceError extends Error {
  readonly status: number | null;
  constructor(message: string, status: number | null = null) {
    super(message);
    this.name = "SourceError";
    this.status = status;
  }
  /** Whether the token or the address is wrong, which another attempt does not change. */
  get isRefused(): boolean {
    return [400, 401, 403, 404].includes(this.status ?? 0);
  }
}

/** The newest flags of a server. */
export type Store = {
  address: string;
  flags: () => Flags | undefined;
  /** The tag of the flags that the server sent last. */
  etag: () => string | undefined;
  /** Gets what has changed; returns whether that is anything. Throws `SourceError`. */
  load: (signal: AbortSignal) => Promise<boolean>;
  /** Takes flags from the storage, unless there are any; returns whether it did. */
  restore: () => Promise<boolean>;
  request: (accept: string, signal: AbortSignal, headers?: Record<string, string>) => Promise<Response>;
};

export const DEFAULT_TIMEOUT = 2000;
const OWN_TYPE = "application/vnd.formflag+json";

export function createStore(options: SourceOptions): Store {
  const { token, storage, fetch: send = globalThis.fetch } = options;
  const address = addressOf(options);
  const key = `formflag:${address}${options.project === undefined ? `#${hashOf(token)}` : ""}`;
  let flags: Flags | undefined;
  let etag: string | undefined;
  let unsaved: string | undefined;
  let isSaving = false;

  const request: Store["request"] = (accept, signal, headers = {}) =>
    // A redirect could take the token elsewhere.
    send(address, {
      headers: { ...headers, Accept: accept, Authorization: `Bearer ${token}` },
      redirect: "manual",
      signal,
    });

  /** One text at a time, so that the newest is the last. */
  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    for (let text = unsaved; text !== undefined; text = unsaved) {
      unsaved = undefined;
      // A storage that fails is none.
      await new Promise((resolve) => resolve(storage?.set(key, text))).catch(() => {});
    }
    isSaving = false;
  };

  return {
    address,
    flags: () => flags,
    etag: () => etag,
    request,
    async load(signal) {
      try {
        const known = etag;
        const answer = await request(OWN_TYPE, signal, known === undefined ? {} : { "If-None-Match": known });
        if (answer.status === 304) return false;
        const text = await answer.text();
        if (!answer.ok) throw refusalOf(answer, text);
        flags = readFlags(text);
        etag = answer.headers.get("etag") ?? undefined;
        unsaved = text;
        void save();
        return true;
      } catch (error) {
        if (error instanceof SourceError) throw error;
        throw new SourceError(`there are no flags at ${address}: ${messageOf(error)}`);
      }
    },
    async restore() {
      try {
        const text = await storage?.get(key);
        if (flags || typeof text !== "string") return false;
        flags = readFlags(text);
        return true;
      } catch {
        // A storage that fails, or has something else, is none.
        return false;
      }
    },
  };
}

function refusalOf({ status }: Response, text: string): SourceError {
  let message = "";
  try {
    message = (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    // An answer of something in between.
  }
  return new SourceError(`the server of flags answered ${status}${message && `: ${message}`}`, status);
}

export function messageOf(error: unknown): string {
  const { message = String(error), cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? `${message}: ${cause.message}` : message;
}

/** Throws `TypeError` for options that are wrong. */
function addressOf({ url, token, project, environment }: SourceOptions): string {
  const base = new URL(url);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError(`url is no address of a server: ${base}`);
  if (typeof token !== "string" || token === "")
    throw new TypeError("token is missing: it has the scope flags:sync");
  if ((project === undefined) !== (environment === undefined))
    throw new TypeError("project and environment go together");
  if (base.protocol === "http:" && !isNear(base.hostname))
    console.warn(`formflag: the token is sent to ${base.host} without encryption: use https`);
  const path =
    project === undefined
      ? "/flagd/v1.json"
      : `/flagd/v1/${encodeURIComponent(project)}/${encodeURIComponent(environment!)}.json`;
  return `${baseOf(base)}${path}`;
}

/** Whether a host is this machine, or has a name that only a private network knows. */
function isNear(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\]|[^.]+|.+\.(?:localhost|internal|local))$/.test(host);
}

/** A hash that tells tokens apart, and from which none can be derived (FNV-1a). */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}
