import { clock } from "../../../src/base/clock.ts";
import type { Peer } from "../../../src/http/hot.ts";
import type { ThreadValues } from "../../../src/http/operation/metrics.ts";
import type { Notes } from "../../../src/experiments/measuring.ts";
import type { Sockets } from "../listen.ts";
import { createAnswerer } from "./answerer.ts";
import type { FromThread, ThreadStart, ToThread } from "./messages.ts";

/** The serving threads of a server beside its main thread. */
export type Threads = {
  /** Fulfils once all listen. Rejects with the error of one that cannot. */
  listening: Promise<void>;
  values: () => Promise<ThreadValues[]>;
  /** The sockets of each thread at a place. */
  socketsAt: (place: number) => Sockets[];
  /** Makes each further answer the last one of its connection, and ends streams. */
  retire: () => void;
  /** Takes no more connections; fulfils once none has requests under way. */
  stop: () => Promise<void>;
  end: () => Promise<void>;
};

type ThreadHost = {
  answer: (place: number, request: Request, peer: Peer) => Response | Promise<Response>;
  /** Writes a part of the log, which a thread has formatted. */
  write: (text: string, isNote: boolean) => void;
  wakeOutbox: () => void;
  /** Counts the users whom all threads note. */
  measuring: Notes;
  report: (error: unknown) => void;
  /** Called with the message of a thread that failed: the server ends with it. */
  fail: (message: string) => void;
};

/** Starts a thread with each of the starts. */
export function startThreads(starts: ThreadStart[], host: ThreadHost): Threads {
  const threads = starts.map((start) => startThread(start, host));
  return {
    listening: all(threads.map(({ listening }) => listening)),
    socketsAt: (place) => threads.map((thread) => thread.socketsAt(place)),
    values: () => Promise.all(threads.map((thread) => thread.values())),
    retire() {
      for (const thread of threads) thread.retire();
    },
    stop: () => all(threads.map((thread) => thread.stop())),
    end: () => all(threads.map((thread) => thread.end())),
  };
}

async function all(promises: Promise<void>[]): Promise<void> {
  await Promise.all(promises);
}

function startThread(start: ThreadStart, host: ThreadHost) {
  const worker = new Worker(new URL("./serve-thread.ts", import.meta.url).href);
  const post = (message: ToThread, transfer: Bun.Transferable[] = []) =>
    worker.postMessage(message, transfer);
  const answerer = createAnswerer(host.answer, (part) => post({ kind: "forwarded", part }), host.report);
  const listening = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  /** Calls that wait for values. */
  let waiting: ((values: ThreadValues) => void)[] = [];
  let acting: PromiseWithResolvers<void> | undefined;
  let isEnding = false;

  worker.onmessage = ({ data: message }: MessageEvent<FromThread>) => {
    switch (message.kind) {
      case "clock":
        return post({ kind: "clock", at: clock.steady() });
      case "listening":
        return listening.resolve();
      case "failed":
        return listening.reject(message.error);
      case "log":
        return host.write(message.text, message.isNote);
      case "queued":
        return host.wakeOutbox();
      case "noted":
        return host.measuring.note(message.measurement, message.user);
      case "count":
        return void countNoted(host).then(() => post({ kind: "counted" }));
      case "values": {
        const calls = waiting;
        waiting = [];
        for (const call of calls) call(message.values);
        return undefined;
      }
      case "done":
        if (message.failure === null) return acting?.resolve();
        return acting?.reject(new Error(message.failure));
      case "stopped":
        return stopped.resolve();
      case "ended":
        return ended.resolve();
      case "forwarded":
        return answerer.receive(message.part);
    }
  };
  worker.onerror = ({ message }) => host.fail(message);
  worker.addEventListener("close", () => {
    if (!isEnding) host.fail("it ended by itself");
    ended.resolve();
  });
  post({ kind: "start", start }, [start.link.port]);
  const act = (message: ToThread): Promise<void> => {
    acting = Promise.withResolvers<void>();
    post(message);
    return acting.promise;
  };
  return {
    listening: listening.promise,
    socketsAt: (place: number) => socketsOf(place, act),
    values: () =>
      new Promise<ThreadValues>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1) post({ kind: "values" });
      }),
    retire: () => post({ kind: "retire" }),
    stop() {
      post({ kind: "stop" });
      return stopped.promise;
    },
    async end() {
      isEnding = true;
      post({ kind: "end" });
      await ended.promise;
      worker.terminate();
    },
  };
}

function socketsOf(place: number, act: (message: ToThread) => Promise<void>): Sockets {
  return {
    add: (tls) => act({ kind: "sockets", place, act: "add", tls }),
    retireOld: () => act({ kind: "sockets", place, act: "retireOld" }),
    closeNewest: () => act({ kind: "sockets", place, act: "closeNewest" }),
    closeOldest: () => act({ kind: "sockets", place, act: "closeOldest" }),
  };
}

/** The job that counts users reports why that fails. */
function countNoted({ measuring }: ThreadHost): Promise<void> {
  return measuring.flush().catch(() => {});
}
