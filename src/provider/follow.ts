import { readEvents } from "./changes.ts";
import type { Flags } from "./flags.ts";
import { type SourceError, type Store, messageOf } from "./store.ts";

/** Whether the flags are those of the server; an error is one that another attempt does not change. */
export type State = "ready" | "stale" | "error";

/** A connection to a server, which is made again whenever it is lost. */
export type Follower = {
  /** The first load: undefined, or why it failed. */
  first: Promise<SourceError | undefined>;
  now: () => { state: State; message: string };
  close: () => void;
};

type Heard = {
  silence: number;
  /** Called after the flags changed, with those before. */
  changed: (before: Flags | undefined) => void;
  became: (state: State, message: string) => void;
};

/** Milliseconds until a stream has had its first event: where it takes longer, something between holds streams back. */
const FIRST_EVENT = 5000;
/** Milliseconds between two attempts where streams do not pass: each also asks for the flags. */
const POLL = 10_000;
/** Milliseconds of a request. */
const REQUEST = 10_000;
const LEAST_WAIT = 1000;
const MOST_WAIT = 30_000;

export function createFollower(store: Store, { silence, changed, became }: Heard): Follower {
  const life = new AbortController();
  const { signal } = life;
  let [state, message]: [State, string] = ["stale", "the server of flags has not answered yet"];
  const become = (next: State, why = "") => {
    message = why;
    if (next === state || signal.aborted) return;
    state = next;
    became(next, why);
  };

  let loading: Promise<SourceError | undefined> | undefined;
  let isOutdated = false;
  const loadOnce = async (): Promise<SourceError | undefined> => {
    const before = store.flags();
    try {
      const hasChanged = await store.load(AbortSignal.any([signal, AbortSignal.timeout(REQUEST)]));
      if (signal.aborted) return undefined;
      if (hasChanged) changed(before);
      become("ready");
      return undefined;
    } catch (error) {
      const failure = error as SourceError;
      become(failure.isRefused ? "error" : "stale", failure.message);
      return failure;
    }
  };
  /** One request at a time: a change during one is asked for again. */
  const load = async (): Promise<SourceError | undefined> => {
    isOutdated = true;
    loading ??= (async () => {
      let failure: SourceError | undefined;
      while (isOutdated) {
        isOutdated = false;
        failure = await loadOnce();
      }
      loading = undefined;
      return failure;
    })();
    return loading;
  };

  /** Listens until a stream ends; returns whether it had an event. */
  const listen = async (): Promise<boolean> => {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end);
    let isUp = false;
    let watchdog = setTimeout(end, FIRST_EVENT);
    const alive = () => {
      if (!isUp) return;
      clearTimeout(watchdog);
      watchdog = setTimeout(() => {
        become("stale", "the server of flags is silent");
        end();
      }, silence);
    };
    const hear = (tag: string) => {
      isUp = true;
      if (tag === store.etag()) become("ready");
      else void load().then((failure) => failure && end());
    };
    try {
      const answer = await store.request("text/event-stream", connection.signal);
      if (
        !answer.ok ||
        !answer.headers.get("content-type")?.startsWith("text/event-stream") ||
        !answer.body
      ) {
        await answer.body?.cancel();
        return false;
      }
      await readEvents(answer.body, {
        alive,
        listen: (name, data) => {
          if (name === "change") hear((JSON.parse(data) as { etag: string }).etag);
          alive();
        },
      });
    } catch (error) {
      message = messageOf(error);
    } finally {
      clearTimeout(watchdog);
      signal.removeEventListener("abort", end);
      end();
    }
    return isUp;
  };

  const first = load();
  const follow = async () => {
    await first;
    for (let failures = 0; !signal.aborted;) {
      if (await listen()) {
        failures = 0;
        // All clients of a server that starts again would come at once.
        await pause(Math.random() * LEAST_WAIT, signal);
        continue;
      }
      if (signal.aborted) return;
      failures = (await load()) ? failures + 1 : 0;
      const wait = failures === 0 ? POLL : Math.min(LEAST_WAIT * 2 ** (failures - 1), MOST_WAIT);
      await pause(wait * (0.5 + Math.random() / 2), signal);
    }
  };
  void follow();
  return { first, now: () => ({ state, message }), close: () => life.abort() };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
