import { own } from "../../../base/shapes/own.ts";
import { clock } from "../../../base/clock.ts";
import type { Watch } from "../../../base/changes.ts";
import type { PublishedVersion } from "../../../base/threads/published-version.ts";
import type { StoredSubmission } from "../../../forms/intake/insertion.ts";
import { type Outcome, failureOf } from "../../outcome.ts";
import { sendEach } from "../../queue.ts";
import type { Calls, Outcomes } from "./calls.ts";
import type { PostgresStore } from "../store.ts";

type Methods = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** In the main thread: answers the calls of another thread with the store and watch of this one. */
export function answerCalls(
  port: MessagePort,
  store: PostgresStore,
  watch: Pick<Watch, "current">,
  published: Pick<PublishedVersion, "onNews">,
): void {
  const nouns = { ...store, store, watch } as unknown as Record<string, Methods>;
  /** Inserts that wait, and whether the sender of each has left. */
  const inserting = new Map<number, { isAbandoned: boolean }>();
  let ready: Outcomes = { stored: [], outcomes: [] };
  let isScheduled = false;

  const send = () => {
    const { outcomes } = ready;
    let { stored } = ready;
    [ready, isScheduled] = [{ stored: [], outcomes: [] }, false];
    const post = (some: Outcomes["outcomes"]) => {
      port.postMessage({ stored, outcomes: some } satisfies Outcomes);
      stored = [];
    };
    sendEach(
      outcomes,
      (some) => post([...some]),
      ([id], error) => post([[id, failureOf(error)]]),
    );
  };
  const answerLater = () => {
    if (isScheduled) return;
    isScheduled = true;
    clock.soon(send);
  };
  const answer = async (id: number, perform: () => Promise<unknown>) => {
    let outcome: Outcome;
    try {
      outcome = { ok: true, value: await perform() };
    } catch (error) {
      outcome = failureOf(error);
    }
    ready.outcomes.push([id, outcome]);
    answerLater();
  };
  const insert = async (id: number, submission: StoredSubmission) => {
    const sender = { isAbandoned: false };
    inserting.set(id, sender);
    try {
      const insertion = await store.submissions.insert(submission, () => sender.isAbandoned);
      if (insertion.kind === "stored" && insertion.spam === null && !insertion.fills) ready.stored.push(id);
      else ready.outcomes.push([id, { ok: true, value: insertion }]);
    } catch (error) {
      ready.outcomes.push([id, failureOf(error)]);
    }
    inserting.delete(id);
    answerLater();
  };

  published.onNews(() => port.postMessage({ stored: [], outcomes: [], news: true } satisfies Outcomes));
  port.onmessage = ({ data }) => {
    const { calls, inserts, submissions, abandoned } = data as Calls;
    for (const id of abandoned) {
      const sender = inserting.get(id);
      if (sender) sender.isAbandoned = true;
    }
    for (const [id, noun, name, args] of calls)
      void answer(id, async () => own(own(nouns, noun)!, name)!(...args));
    if (inserts.length === 0) return;
    const rows = JSON.parse(submissions) as StoredSubmission[];
    for (const [index, id] of inserts.entries()) void insert(id, rows[index]!);
  };
}
