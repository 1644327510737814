import { type Timer, clock } from "../../base/clock.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "../../access/caller.ts";
import type { Scope } from "../../access/scope.ts";
import { hasScopeSomewhere } from "../../access/rights.ts";
import type { Activity } from "../../maintenance/store.ts";
import type { Topic } from "./page.tsx";

/** Milliseconds between two reads of the database while a page is open. */
const TICK = 400;
/** Milliseconds after which a stream is checked for the end of its session, and kept alive with a comment. */
const CHECK = 5000;
/**
 * How many streams are told of changes: each time a page loads itself again, which must not take the server from others while
 * submissions keep coming. So many at once after a quiet time, and so many a second in the long run.
 */
const TOLD = { atOnce: 20, perSecond: 2 };
/** Open streams; a browser holds one for its visible tab. */
const MAX_OPEN = 1000;

/** Messages that wait for a browser that reads none, before its stream ends. */
const MAX_WAITING = 100;

/** Scope that a user needs to be notified of a topic. */
const SCOPE_OF: Record<Topic, Scope> = {
  submissions: "forms:read",
  deliveries: "forms:read",
  setup: "flags:read",
};
const TOPICS = Object.keys(SCOPE_OF) as Topic[];

type Stream = {
  caller: Caller;
  /** The fingerprint that the page was made with; undefined once it has been compared. */
  since: string | undefined;
  /** Topics that have not been sent yet. */
  news: Set<Topic>;
  send: (text: string) => void;
  close: () => void;
  checkedAt: number;
};

/**
 * Streams that name to open pages what has changed, as server-sent events whose data is a topic and never content. The
 * database is read only while one is open.
 */
export function createEvents(app: Pick<App, "store">, report: (error: unknown) => void) {
  const streams = new Set<Stream>();
  let timer: Timer | undefined;
  let known: Activity | undefined;
  /** How many may be told now, as of a time. */
  let [allowance, allowedAt] = [TOLD.atOnce, clock.steady()];

  const tick = async () => {
    const current = await app.store.activity();
    const before = known;
    known = current;
    // A user who has lost a right gets no more news.
    if (before && before.access !== current.access) for (const stream of streams) await check(stream);
    for (const stream of streams) addNews(stream, before, current);
    announce();
    for (const stream of streams) if (clock.steady() - stream.checkedAt > CHECK) await check(stream);
  };
  /** Streams that have waited longest come first. */
  const announce = () => {
    const now = clock.steady();
    allowance = Math.min(TOLD.atOnce, allowance + ((now - allowedAt) / 1000) * TOLD.perSecond);
    allowedAt = now;
    for (const stream of [...streams].filter(({ news }) => news.size > 0).slice(0, Math.floor(allowance))) {
      for (const topic of stream.news) stream.send(`data: ${topic}\n\n`);
      stream.news.clear();
      allowance -= 1;
      streams.delete(stream);
      streams.add(stream);
    }
  };
  const run = async () => {
    await tick().catch(report);
    timer = streams.size > 0 ? clock.after(TICK, () => void run()) : undefined;
    if (!timer) known = undefined;
  };

  return {
    /** The fingerprint for a page, as of now or shortly before. It is taken before the content of the page is read. */
    since: async (caller: Caller) => fingerprint(caller, known ?? (await app.store.activity())),
    /** `since` is that of the page, which gets what came after. Throws `rate_limited` if too many are open. */
    open(caller: Caller, since?: string): Response {
      if (streams.size >= MAX_OPEN)
        throw new AppError("rate_limited", "too many pages are open", { retryAfter: 5 });
      let stream: Stream;
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          stream = {
            caller,
            since,
            news: new Set(),
            send(text) {
              // The browser may have left since the stream was checked.
              if (!streams.has(stream)) return;
              if ((controller.desiredSize ?? 0) < -MAX_WAITING) stream.close();
              else controller.enqueue(encoder.encode(text));
            },
            close() {
              if (streams.delete(stream)) controller.close();
            },
            checkedAt: clock.steady(),
          };
          streams.add(stream);
          stream.send("retry: 1000\n\n");
          timer ??= clock.after(0, () => void run());
        },
        cancel: () => void streams.delete(stream),
      });
      return new Response(body, {
        headers: { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" },
      });
    },
    close() {
      for (const stream of streams) stream.close();
    },
  };
}

function addNews(stream: Stream, before: Activity | undefined, current: Activity): void {
  const { caller, since, news } = stream;
  const isLate = since !== undefined && since !== fingerprint(caller, current);
  stream.since = undefined;
  for (const topic of topicsOf(caller))
    if (isLate || (before && before[topic] !== current[topic])) news.add(topic);
}

const topicsOf = (caller: Caller) => TOPICS.filter((topic) => hasScopeSomewhere(caller, SCOPE_OF[topic]));

/** A text that changes with the topics that a user may be notified of. */
function fingerprint(caller: Caller, activity: Activity): string {
  return Bun.hash(
    topicsOf(caller)
      .map((topic) => activity[topic])
      .join(" "),
  ).toString(36);
}

/** Ends a stream whose caller has lost the right to it. */
async function check(stream: Stream): Promise<void> {
  stream.checkedAt = clock.steady();
  try {
    await stream.caller.verify();
    stream.send(": \n\n");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    stream.close();
  }
}
