import { IN_INBOX, type Insertion, type StoredSubmission } from "../../../forms/intake/insertion.ts";
import { AppError } from "../../../base/errors.ts";
import { clock } from "../../../base/clock.ts";
import { type Outcome, resultOf } from "../../outcome.ts";
import { abandoned, sendEach } from "../../queue.ts";

/** How often a thread checks for senders that have left while their submissions wait, in milliseconds. */
const CHECK_MS = 10;

/** A way to the store of the main thread for another thread of a server. */
export type StoreLink = { port: MessagePort; staleness: number };

/** Calls of one turn: store methods, each with its number, and inserts, whose submissions travel as one text. */
export type Calls = {
  calls: [id: number, noun: string, name: string, args: unknown[]][];
  inserts: number[];
  submissions: string;
  /** Inserts whose senders have left. */
  abandoned: number[];
};

/**
 * Outcomes of calls; `stored` are the inserts that went to the inbox, by far the most frequent outcome. With `news` another
 * version was published.
 */
export type Outcomes = { stored: number[]; outcomes: [id: number, outcome: Outcome][]; news?: true };

const NOTHING: Calls = { calls: [], inserts: [], submissions: "", abandoned: [] };

type Insert = [id: number, submission: StoredSubmission];

/** Calls the store of the main thread. */
export type Caller = {
  call: (noun: string, name: string, args: unknown[]) => Promise<unknown>;
  insert: (submission: StoredSubmission, isAbandoned?: () => boolean) => Promise<Insertion>;
  /** Calls `told` once the main thread has published another version of the setup. */
  onNews: (told: () => void) => void;
  /** Fulfils once every call is answered. */
  close: () => Promise<void>;
};

/** Sends the calls of one turn of the event loop together. */
export function createCaller(port: MessagePort): Caller {
  type Waiting = { resolve: (result: unknown) => void; isAbandoned: (() => boolean) | undefined };
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let calls: Calls["calls"] = [];
  let inserts: Insert[] = [];
  let isScheduled = false;
  let onIdle: (() => void) | undefined;
  let onNews = () => {};
  let closing: Promise<void> | undefined;

  const post = (message: Calls) => port.postMessage(message);
  const settle = (id: number, result: unknown) => {
    const call = waiting.get(id);
    waiting.delete(id);
    call?.resolve(result);
  };
  const refuse = ([id]: readonly [id: number, ...rest: unknown[]], error: unknown) =>
    settle(id, Promise.reject(error));
  const isAwaited = (insert: Insert): boolean => {
    try {
      if (!waiting.get(insert[0])?.isAbandoned?.()) return true;
      throw abandoned();
    } catch (error) {
      refuse(insert, error);
      return false;
    }
  };
  const sendInserts = (some: readonly Insert[]) => {
    const submissions = JSON.stringify(some.map(([, each]) => each));
    post({ ...NOTHING, inserts: some.map(([id]) => id), submissions });
  };
  const send = () => {
    const [named, rows] = [calls, inserts];
    [calls, inserts, isScheduled] = [[], [], false];
    const awaited = rows.filter(isAwaited);
    if (named.length > 0) sendEach(named, (some) => post({ ...NOTHING, calls: [...some] }), refuse);
    if (awaited.length > 0) sendEach(awaited, sendInserts, refuse);
  };
  const ask = <T>(isAbandoned: (() => boolean) | undefined, add: (id: number) => void): Promise<T> =>
    new Promise((resolve) => {
      if (closing) throw new AppError("unavailable", "the database is closed");
      const id = (last += 1);
      waiting.set(id, { resolve: resolve as (result: unknown) => void, isAbandoned });
      add(id);
      if (isScheduled) return;
      isScheduled = true;
      clock.soon(send);
    });
  const tellAbandoned = () => {
    const left: number[] = [];
    for (const [id, call] of waiting) {
      if (!call.isAbandoned?.()) continue;
      left.push(id);
      call.isAbandoned = undefined;
    }
    if (left.length > 0) post({ ...NOTHING, abandoned: left });
  };
  const checking = clock.every(CHECK_MS, tellAbandoned).unref();

  port.onmessage = ({ data }) => {
    const { stored, outcomes, news } = data as Outcomes;
    if (news) onNews();
    for (const id of stored) settle(id, IN_INBOX);
    for (const [id, outcome] of outcomes) settle(id, resultOf(outcome));
    if (waiting.size === 0) onIdle?.();
  };
  const close = async () => {
    if (waiting.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    checking.close();
    port.close();
  };
  return {
    call: (noun, name, args) => ask(undefined, (id) => void calls.push([id, noun, name, args])),
    insert: (submission, isAbandoned) =>
      ask<Insertion>(isAbandoned, (id) => void inserts.push([id, submission])),
    onNews: (told) => void (onNews = told),
    close: () => (closing ??= close()),
  };
}
