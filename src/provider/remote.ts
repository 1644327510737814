import { baseOf } from "./base.ts";
import type { Context, Evaluation } from "./flags.ts";

/** All flags for a context, evaluated by the server. */
export type Answer = { context: Context; flags: Record<string, Evaluation> };

/** The server of flags, as a page reaches it. */
export type Remote = {
  /** Asks for a context within a time, and hears of its changes from then on. */
  ask: (context: Context, timeout: number) => Promise<Answer | RemoteError | "superseded">;
  /** Hears of changes for a context. */
  follow: (context: Context) => Promise<void>;
  /** Notes that a flag was evaluated, which experiments count. */
  seen: (key: string) => void;
  track: (event: string, targetingKey: string | undefined) => void;
  close: () => void;
};

/** A request without flags as its answer. */
export class RemoteError extends Error {
  /** Whether the key or the address is wrong, which another attempt does not change. */
  readonly isRefused: boolean;
  constructor(message: string, status = 0) {
    super(message);
    this.isRefused = status >= 400 && status <= 404;
  }
}

type Heard = { took: (answer: Answer) => void; failed: (failure: RemoteError) => void };
type Bulk = {
  flags: (Omit<Evaluation, "reason"> & { key: string; reason?: string; errorDetails?: string })[];
  eventStreams?: { type: string; endpoint?: { requestUri: string }; inactivityDelaySec?: number }[];
};

/** Milliseconds of a request; between two where streams do not pass; for which exposures are collected. */
const REQUEST = 10_000;
const POLL = 60_000;
const COLLECTED = 1000;
/** Milliseconds for which a stream may be away. */
const LOST = 10_000;
const LEAST_WAIT = 1000;
const MOST_WAIT = 30_000;
/** Exposures of a request. */
const MOST_SEEN = 90;

export function createRemote(url: string | URL, token: string, { took, failed }: Heard): Remote {
  const base = baseOf(url);
  const authorization = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  let context: Context | undefined;
  let etag: string | null = null;
  let assignment: string | null = null;
  let stream: EventSource | undefined;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const waiting = new Set<string>();
  const sent = new Set<string>();

  /** The flags of the context; null if they are as before. Throws `RemoteError`. */
  const request = (signal: AbortSignal) =>
    bulk(signal).catch((error: unknown) => {
      throw error instanceof RemoteError ? error : new RemoteError((error as Error).message);
    });
  const bulk = async (signal: AbortSignal): Promise<Answer | null> => {
    const asked = context!;
    const answer = await fetch(`${base}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers: { ...authorization, ...(etag && { "If-None-Match": etag }) },
      body: JSON.stringify({ context: asked }),
      signal,
    });
    if (asked !== context) return null;
    assignment = answer.headers.get("X-Formflag-Assignment") ?? assignment;
    collect();
    if (answer.status === 304) return null;
    if (!answer.ok) throw new RemoteError(`the server of flags answered ${answer.status}`, answer.status);
    const { flags, eventStreams } = (await answer.json()) as Bulk;
    if (asked !== context) return null;
    const read = flags.map(({ key, variant, reason = "ERROR", errorDetails, ...rest }) => {
      const known = { ...(variant && { variant }), ...(errorDetails && { errorMessage: errorDetails }) };
      return [key, { reason, ...rest, ...known }] as const;
    });
    etag = answer.headers.get("ETag");
    listen(eventStreams?.find(({ type }) => type === "sse"));
    return { context: asked, flags: Object.fromEntries(read) };
  };

  let isAsking = false;
  let isOutdated = false;
  /** Asks for changes; one request at a time. */
  const refresh = async (): Promise<void> => {
    isOutdated = true;
    if (isAsking || isClosed) return;
    isAsking = true;
    clearTimeout(timer);
    while (isOutdated) {
      isOutdated = false;
      try {
        const answer = await request(AbortSignal.timeout(REQUEST));
        failures = 0;
        if (answer && !isClosed) took(answer);
      } catch (error) {
        failures += 1;
        // An answer without flags would not end what has failed.
        etag = null;
        if (!isClosed) failed(error as RemoteError);
      }
    }
    isAsking = false;
    plan();
  };
  const plan = () => {
    clearTimeout(timer);
    if (isClosed || context === undefined) return;
    const isHeard = stream?.readyState === 1;
    const wait = failures > 0 ? Math.min(LEAST_WAIT * 2 ** (failures - 1), MOST_WAIT) : POLL;
    timer = setTimeout(
      () => (failures > 0 || (!isHeard && isVisible()) ? void refresh() : plan()),
      wait * (0.5 + Math.random() / 2),
    );
  };

  let opened = "";
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let patience = 120;
  const listen = (found: NonNullable<Bulk["eventStreams"]>[number] | undefined) => {
    const uri = found?.endpoint?.requestUri;
    if (uri === undefined || typeof EventSource === "undefined" || isClosed) return;
    patience = found?.inactivityDelaySec ?? patience;
    if (uri === opened && stream && stream.readyState !== 2) return;
    stream?.close();
    opened = uri;
    stream = new EventSource(new URL(uri, base));
    // The first event comes with the connection: something may have changed before.
    stream.onmessage = () => void refresh();
    stream.onerror = () => {
      if (stream?.readyState !== 2) {
        losing ??= setTimeout(lost, LOST * (0.5 + Math.random() / 2));
        return;
      }
      etag = null;
      failures += 1;
      plan();
    };
  };
  let losing: ReturnType<typeof setTimeout> | undefined;
  /** Asks the server whether it answers, unless the stream is back by itself. */
  const lost = () => {
    losing = undefined;
    if (stream?.readyState === 0) void refresh();
  };
  const visit = () => {
    clearTimeout(hiding);
    if (!isVisible()) hiding = setTimeout(() => stream?.close(), patience * 1000);
    else if (context !== undefined && stream?.readyState !== 1) {
      etag = null;
      void refresh();
    }
  };
  if (typeof document !== "undefined") {
    document.addEventListener("visibilitychange", visit);
    addEventListener("online", visit);
  }

  let collecting: ReturnType<typeof setTimeout> | undefined;
  const send = (events: string[], targetingKey?: string) => {
    const exposures = [...waiting].slice(0, MOST_SEEN);
    for (const key of exposures) waiting.delete(key);
    const body = assignment
      ? { assignment, exposures, events }
      : { events: events.map((event) => ({ event, targetingKey })) };
    const init = { method: "POST", headers: authorization, body: JSON.stringify(body), keepalive: true };
    fetch(`${base}/v1/events`, init).catch(() => {});
  };

  const collect = () => {
    if (assignment === null || waiting.size === 0) return;
    collecting ??= setTimeout(() => {
      collecting = undefined;
      send([]);
    }, COLLECTED);
  };

  return {
    async ask(asked, timeout) {
      context = asked;
      etag = null;
      try {
        const answer = await request(AbortSignal.timeout(timeout));
        failures = 0;
        plan();
        return answer ?? "superseded";
      } catch (error) {
        if (context !== asked) return "superseded";
        failures = 1;
        plan();
        return error as RemoteError;
      }
    },
    async follow(asked) {
      context = asked;
      await refresh();
    },
    seen(key) {
      if (sent.has(key) || isPrivate()) return;
      sent.add(key);
      waiting.add(key);
      collect();
    },
    track(event, targetingKey) {
      if (!isPrivate() && (assignment ?? targetingKey)) send([event], targetingKey);
    },
    close() {
      isClosed = true;
      stream?.close();
      clearTimeout(timer);
      clearTimeout(hiding);
      clearTimeout(losing);
      if (typeof document === "undefined") return;
      document.removeEventListener("visibilitychange", visit);
      removeEventListener("online", visit);
    },
  };
}

function isVisible(): boolean {
  return typeof document === "undefined" || document.visibilityState !== "hidden";
}

/** Whether nothing is counted: the visitor asks for that, or a server renders the page. */
function isPrivate(): boolean {
  if (typeof document === "undefined") return true;
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === "1" || globalPrivacyControl === true;
}
