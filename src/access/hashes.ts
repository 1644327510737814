import { type Timer, clock } from "../base/clock.ts";

/** A password to compare with a hash; null to make a new hash of it. */
export type ToHash = { password: string; hash: string | null };

/** The hash of the password; false if it has another one. */
export type Hashed = string | false;

/** How long the thread waits for the next password before it ends, in milliseconds. */
const IDLE_MS = 10_000;

type Task = ToHash & { resolve: (hashed: Hashed) => void; reject: (error: unknown) => void };

const tasks: Task[] = [];
let thread: Worker | undefined;
let ending: Timer | undefined;

/**
 * Hashes passwords one by one on a thread of their own: the runtime would use the threads that write uploaded files, and
 * each hash takes 19 MiB.
 */
export function hashOnThread(task: ToHash): Promise<Hashed> {
  return new Promise((resolve, reject) => {
    tasks.push({ ...task, resolve, reject });
    if (tasks.length === 1) send();
  });
}

function send(): void {
  ending?.close();
  const [next] = tasks;
  if (!next) {
    ending = clock.after(IDLE_MS, end).unref();
    return;
  }
  const { password, hash } = next;
  try {
    (thread ??= startThread()).postMessage({ password, hash } satisfies ToHash);
  } catch (error) {
    tasks.shift();
    next.reject(error);
    send();
  }
}

function startThread(): Worker {
  const started = new Worker(new URL("./hash-thread.ts", import.meta.url).href);
  started.onmessage = ({ data }: MessageEvent<Hashed>) => {
    tasks.shift()!.resolve(data);
    send();
  };
  started.onerror = ({ message }) => {
    end();
    tasks.shift()?.reject(new Error(`the thread of passwords failed: ${message}`));
    send();
  };
  // A command or a test that has nothing else to do ends.
  started.unref();
  return started;
}

/** Forgets what waits, and the thread: a simulated machine has its own. */
export function dropHashing(): void {
  ending?.close();
  tasks.length = 0;
  end();
}

function end(): void {
  thread?.terminate();
  thread = undefined;
}
