import type { ChangeStore } from "../access/door.ts";
import type { Clockwork } from "../base/clock.ts";
import type { Job } from "../base/jobs.ts";
import { unanswered } from "./attempt.ts";
import type { TargetChange } from "./change.ts";
import { type Lane, MAIL_LANE, laneOf } from "./delivery.ts";
import type { DeliveryFiles, Dispatched } from "./dispatch.ts";
import type { Outgoing } from "./outgoing.ts";
import { cancelled, postponed, removalOfCancelled, settle } from "./settle.ts";
import type { ClaimedDelivery, DeliveriesStore, SettledDelivery } from "./store.ts";
import { switchOffTarget } from "./targets.ts";

/** Deliveries that are sent at a time: in all, and of one lane. */
const MAX_RUNNING = 8;
const MAX_RUNNING_OF_LANE = 2;
/** Deliveries that one claim leases: in all, and of one lane, of which the next are claimed once so few wait. */
const MAX_CLAIM = 128;
const MAX_CLAIM_OF_LANE = 32;
const FEW = 8;
const LEASE_MS = 30_000;
const RENEWAL_MS = 10_000;
/** The longest that deliveries of a lane wait because another one failed. */
const MAX_PAUSE_MS = 30_000;
/** Between two checks for deliveries that other processes have queued. */
const POLL_MS = 2000;
/** In which any number of calls of `wake` are one, since each submission may make one; more while something is sent. */
const WAKE_MS = 5;
const BUSY_WAKE_MS = 50;
/** Queued deliveries that are cancelled in one transaction. */
const STEP = 500;

export type OutboxApp = Clockwork & { store: DeliveriesStore & ChangeStore<TargetChange> };

/** What an operator hears of: an attempt that ended, an error that is a bug, and a delivery or target that is given up. */
type OutboxReport = {
  attempted: (kind: string, status: SettledDelivery["status"]) => void;
  error: (error: unknown) => void;
  failed: (form: string, delivery: ClaimedDelivery, error: string, isSwitchedOff: boolean) => void;
};

export type OutboxOptions = {
  /** Who holds the leases: the same name when the server starts again, and another for each server beside it. */
  holder: string;
  outgoing: () => Promise<Outgoing>;
  files: DeliveryFiles;
  /** Seconds. */
  retryDelays: readonly number[];
  report: OutboxReport;
};

/** Sends what is queued, as a job. */
export type Outbox = {
  job: Job;
  /** Checks soon whether something is due. */
  wake: () => void;
  /** Ends the attempts under way, which do not count, and sends no more. */
  stop: () => void;
};

/**
 * Creates an outbox. Deliveries are claimed in batches and sent at most eight at a time, two of a lane. A lane whose
 * receiver is down waits for the next try of the delivery that noticed it.
 */
export function createOutbox(app: OutboxApp, options: OutboxOptions, wakeJob: () => void): Outbox {
  const { holder, retryDelays, report, files } = options;
  const { deliveries } = app.store;
  const stopping = new AbortController();
  /** Claimed, in the order in which they are sent. */
  let waiting: ClaimedDelivery[] = [];
  const running = new Map<string, Lane>();
  /** Results that are not recorded yet. */
  let settled: SettledDelivery[] = [];
  /** Until when nothing of a lane is sent. */
  const paused = new Map<Lane, number>();
  let isReleased = false;
  let renewedAt = 0;
  let isWoken = false;
  let signal = Promise.withResolvers<void>();

  const notify = () => {
    signal.resolve();
    signal = Promise.withResolvers();
  };
  const countOf = (lane: Lane, lanes: Iterable<Lane>) =>
    [...lanes].reduce((count, each) => count + (each === lane ? 1 : 0), 0);

  const pausedLanes = (outgoing: Outgoing) => {
    const now = app.now();
    for (const [lane, until] of paused) if (until <= now) paused.delete(lane);
    return [...paused.keys(), ...(outgoing.mail === null ? [MAIL_LANE] : [])];
  };

  /** Records results, renews leases and claims more, in one write; without any of these, does nothing. */
  const takeTurn = async (outgoing: Outgoing) => {
    const now = app.now();
    const isRenewing = now - renewedAt >= RENEWAL_MS;
    const lanes = waiting.map(laneOf);
    const full = [...new Set(lanes)].filter((lane) => countOf(lane, lanes) >= FEW);
    const limit = stopping.signal.aborted ? 0 : MAX_CLAIM - waiting.length;
    if (settled.length === 0 && !isRenewing && limit <= 0) return;
    const recorded = settled;
    settled = [];
    try {
      const claimed = await deliveries.turn({
        holder,
        now,
        leaseUntil: now + LEASE_MS,
        settled: recorded,
        renewed: isRenewing ? [...waiting.map(({ id }) => id), ...running.keys()] : [],
        blocked: [...pausedLanes(outgoing), ...full],
        perLane: MAX_CLAIM_OF_LANE,
        limit: Math.max(limit, 0),
      });
      // A lease that could not be renewed in time may have been claimed again.
      const isNew = ({ id }: ClaimedDelivery) => !running.has(id) && !waiting.some((each) => each.id === id);
      waiting.push(...claimed.filter(isNew));
      if (isRenewing) renewedAt = now;
    } catch (error) {
      // They are recorded with the next turn, within the lease or by whoever sends them again.
      settled = [...recorded, ...settled];
      throw error;
    }
  };

  const pause = (lane: Lane, until: number) => {
    const end = Math.min(until, app.now() + MAX_PAUSE_MS);
    paused.set(lane, Math.max(end, paused.get(lane) ?? 0));
    const isHeld = (each: ClaimedDelivery) => laneOf(each) === lane;
    settled.push(...waiting.filter(isHeld).map((each) => postponed(each, end)));
    waiting = waiting.filter((each) => !isHeld(each));
  };

  const record = async (delivery: ClaimedDelivery, result: Dispatched) => {
    const now = app.now();
    if ("cancelled" in result) {
      settled.push(cancelled(delivery, result.cancelled, now));
      report.attempted(delivery.kind, "cancelled");
      return;
    }
    const { attempt } = result;
    const outcome = settle(delivery, attempt, { now, retryDelays, random: app.random });
    settled.push(outcome);
    report.attempted(delivery.kind, outcome.status);
    if (attempt.isTargetDown && outcome.status === "queued") pause(laneOf(delivery), outcome.dueAt);
    if (attempt.outcome === "gone") await switchOffTarget(app, delivery.target);
    if (outcome.status === "failed")
      report.failed(result.form, delivery, attempt.error ?? "no answer", attempt.outcome === "gone");
    if (attempt.outcome === "gone") await cancelTargetless();
  };

  const send = async (outgoing: Outgoing, delivery: ClaimedDelivery) => {
    const { now, store } = app;
    let result: Dispatched;
    try {
      // Loaded with the first delivery, so that a server starts sooner.
      const { dispatch } = await import("./dispatch.ts");
      result = await dispatch({ store, outgoing, files, now }, delivery, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) report.error(error);
      result = { form: "?", attempt: unanswered("internal error: the log of the server has it", false) };
    }
    const isDelivered = "attempt" in result && result.attempt.outcome === "delivered";
    if (stopping.signal.aborted && !isDelivered) settled.push(postponed(delivery, now()));
    else await record(delivery, result).catch(report.error);
    running.delete(delivery.id);
    notify();
  };

  const start = (outgoing: Outgoing) => {
    const isReady = (each: ClaimedDelivery) => countOf(laneOf(each), running.values()) < MAX_RUNNING_OF_LANE;
    while (running.size < MAX_RUNNING) {
      const next = waiting.findIndex(isReady);
      if (next === -1) return;
      const [delivery] = waiting.splice(next, 1);
      running.set(delivery!.id, laneOf(delivery!));
      void send(outgoing, delivery!);
    }
  };

  const cancelTargetless = async () => {
    while (await deliveries.cancelTargetless(removalOfCancelled(app.now()), STEP));
  };

  /** Whether anything is queued, in whatever lane. Nothing that sends is loaded before. */
  const isEmpty = async () => (await deliveries.nextAt([])) === null;

  const run = async () => {
    if (running.size + waiting.length + settled.length === 0 && (await isEmpty())) return;
    const outgoing = await options.outgoing();
    if (!isReleased) await deliveries.release(holder, app.now());
    isReleased = true;
    await cancelTargetless();
    for (;;) {
      if (stopping.signal.aborted)
        settled.push(...waiting.splice(0).map((each) => postponed(each, app.now())));
      const changed = signal.promise;
      await takeTurn(outgoing);
      if (!stopping.signal.aborted) start(outgoing);
      if (running.size + waiting.length + settled.length === 0) return;
      if (settled.length > 0 && running.size < MAX_RUNNING) continue;
      const renewal = setTimeout(notify, RENEWAL_MS);
      await changed;
      clearTimeout(renewal);
    }
  };

  return {
    job: {
      name: "outbox",
      every: POLL_MS,
      async next() {
        if (await isEmpty()) return null;
        const blocked = pausedLanes(await options.outgoing());
        const due = await deliveries.nextAt(blocked);
        const resumed = [...paused.values()];
        return due === null && resumed.length === 0 ? null : Math.min(due ?? Infinity, ...resumed);
      },
      run,
    },
    wake() {
      if (isWoken) return;
      isWoken = true;
      const wake = () => {
        isWoken = false;
        notify();
        wakeJob();
      };
      setTimeout(wake, running.size > 0 ? BUSY_WAKE_MS : WAKE_MS);
    },
    stop() {
      stopping.abort();
      notify();
    },
  };
}
