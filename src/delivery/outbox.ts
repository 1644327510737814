import { DEFAULT_PROJECT } from "../access/place.ts";
import { type ChangeStore, change } from "../access/door.ts";
import { type ClockAndRandom, clock } from "../base/clock.ts";
import type { Telemetry } from "./trace.ts";
import type { Job } from "../base/jobs.ts";
import { unanswered } from "./attempt.ts";
import { type TargetChange, recordTarget } from "./change.ts";
import { createClaims } from "./claims.ts";
import { type Lane, MAIL_LANES, laneOf } from "./delivery.ts";
import type { DeliveryFiles, Dispatched } from "./dispatch.ts";
import type { NoteAttempt } from "./failures.ts";
import type { ChangeInWords, NoticePages } from "./notices/notice-words.ts";
import type { Outgoing } from "./outgoing.ts";
import { type DeliveryOwner, ownerName } from "./owner.ts";
import { cancelled, postponed, removalOfCancelled, settle } from "./settle.ts";
import type { ClaimedDelivery, DeliveriesStore, SettledDelivery, TitleOfContent } from "./store.ts";
import { operatorCaller } from "../access/caller.ts";

type TargetsApp = ClockAndRandom & { store: DeliveriesStore & ChangeStore<TargetChange> };

/** Caller that disables a target after 410 Gone. */
const OUTBOX = {
  ...operatorCaller(
    () => "outbox",
    () => false,
  ),
  source: "schedule" as const,
};

/** Disables a target that answered 410 Gone; does nothing if the target has been deleted. */
function switchOffTarget(app: TargetsApp, owner: DeliveryOwner, id: string): Promise<void> {
  return change(app, OUTBOX, async ({ at }) => {
    const target = await app.store.targets.find(id);
    if (!target?.enabled) return { changes: [], result: undefined };
    const off = { ...target, enabled: false, updatedAt: at };
    const changes: TargetChange[] = [
      { change: "updateTarget", target: off },
      ...recordTarget(owner, target, off),
    ];
    return { changes, result: undefined };
  });
}

/** Deliveries that one claim leases: in all, and of one lane, of which the next are claimed once so few wait. */
const MAX_CLAIM = 128;
const MAX_CLAIM_OF_LANE = 32;
const FEW = 8;
const LEASE_MS = 30_000;
const RENEWAL_MS = 10_000;
/** Between two checks for deliveries that other processes have queued. */
const POLL_MS = 2000;
/** In which any number of calls of `wake` are one, since each submission may make one; more while something is sent. */
const WAKE_MS = 5;
const BUSY_WAKE_MS = 50;
/** How long after a delivery is due it may be committed. */
const LATE_MS = 60_000;
/** Queued deliveries that are changed in one transaction. */
const STEP = 500;

/** The owner of a delivery that could not be read. */
const UNKNOWN: DeliveryOwner = { form: { project: DEFAULT_PROJECT, slug: "?" } };

export type OutboxApp = ClockAndRandom & { store: DeliveriesStore & ChangeStore<TargetChange> };

/** Reports to the operator: each attempt, errors that are bugs, and deliveries or targets that are given up. */
type OutboxReport = {
  attempted: (kind: string, status: SettledDelivery["status"]) => void;
  tried?: NoteAttempt;
  error: (error: unknown) => void;
  failed: (owner: string, delivery: ClaimedDelivery, error: string, isSwitchedOff: boolean) => void;
};

export type OutboxOptions = {
  /** Name of the holder of leases: the same when the server restarts, and different for each server. */
  holder: string;
  outgoing: () => Promise<Outgoing>;
  files: DeliveryFiles;
  titleOf: TitleOfContent;
  inWords: ChangeInWords;
  pages?: NoticePages;
  /** Seconds. */
  retryDelays: readonly number[];
  report: OutboxReport;
  /** Begins the span of an attempt; null without a collector. */
  tracing?: Telemetry["delivering"] | null;
};

/** Sends what is queued, as a job. */
export type Outbox = {
  job: Job;
  /** Checks soon whether something is due. */
  wake: () => void;
  /** Ends the attempts under way, which do not count, and sends no more. */
  stop: () => void;
};

const NO_PAGES: NoticePages = { ofNotice: () => null, ofProject: () => null };

/**
 * Creates an outbox. Deliveries are claimed in batches and sent at most eight at a time, two to a receiver. What
 * goes to a receiver that is down waits for the next try of the delivery that noticed it.
 */
export function createOutbox(app: OutboxApp, options: OutboxOptions, wakeJob: () => void): Outbox {
  const { holder, retryDelays, report, files, titleOf, inWords, pages = NO_PAGES } = options;
  const { deliveries } = app.store;
  const stopping = new AbortController();
  const claims = createClaims(app.now);
  let lastClaimed: Lane | null = null;
  let isReleased = false;
  let renewedAt = 0;
  let explainedUntil = 0;
  /** When the last turn claimed nothing, although all that was due by then could have been. */
  let foundNothingAt = -Infinity;
  let isWoken = false;
  let signal = Promise.withResolvers<void>();

  const notify = () => {
    signal.resolve();
    signal = Promise.withResolvers();
  };
  const blockedLanes = (outgoing: Outgoing) => [
    ...claims.pausedLanes(),
    ...(outgoing.mail === null ? MAIL_LANES : []),
  ];

  /** Records results, renews leases and claims more, in one write; without any of these, does nothing. */
  const takeTurn = async (outgoing: Outgoing) => {
    const now = app.now();
    // The clock may have been set back since.
    const isRenewing = Math.abs(now - renewedAt) >= RENEWAL_MS;
    const limit = stopping.signal.aborted ? 0 : Math.max(MAX_CLAIM - claims.waiting(), 0);
    const settled = claims.takeSettled();
    if (settled.length === 0 && !isRenewing && limit === 0) return;
    try {
      const databaseNow = await deliveries.clock();
      const claimed = await deliveries.turn({
        holder,
        now,
        databaseNow,
        leaseUntil: databaseNow + LEASE_MS,
        settled,
        renewed: isRenewing ? claims.ids() : [],
        blocked: [...blockedLanes(outgoing), ...claims.lanesWith(FEW)],
        after: lastClaimed,
        perLane: MAX_CLAIM_OF_LANE,
        limit,
      });
      foundNothingAt = claimed.length === 0 && limit > 0 ? now : -Infinity;
      if (claimed.length > 0) lastClaimed = laneOf(claimed.at(-1)!);
      claims.add(claimed);
      if (isRenewing) renewedAt = now;
    } catch (error) {
      // They are recorded with the next turn, or sent again once their leases have ended.
      claims.settle(...settled);
      throw error;
    }
  };

  const record = async (delivery: ClaimedDelivery, result: Dispatched, startedAt: number) => {
    const now = app.now();
    if ("cancelled" in result) {
      claims.settle(cancelled(delivery, result.cancelled, now));
      report.attempted(delivery.kind, "cancelled");
      return;
    }
    if ("postponed" in result) return claims.settle(postponed(delivery, result.postponed));
    const { attempt } = result;
    const outcome = settle(delivery, attempt, { startedAt, now, retryDelays, random: app.random });
    const isGone = attempt.outcome === "gone";
    claims.settle(outcome);
    report.attempted(delivery.kind, outcome.status);
    report.tried?.(ownerName(result.owner), delivery, attempt, outcome.status === "failed");
    if (attempt.isTargetDown && outcome.status === "queued") claims.pause(delivery, outcome.dueAt);
    if (isGone) await switchOffTarget(app, result.owner, delivery.target);
    if (outcome.status === "failed")
      report.failed(ownerName(result.owner), delivery, attempt.error ?? "no answer", isGone);
    if (isGone) await cancelTargetless();
  };

  const send = async (outgoing: Outgoing, delivery: ClaimedDelivery) => {
    const { now, store } = app;
    const startedAt = now();
    const span = delivery.trace === null ? null : (options.tracing?.(delivery.trace, delivery.kind) ?? null);
    let result: Dispatched;
    try {
      // Loaded with the first delivery, so that a server starts sooner.
      const { dispatch } = await import("./dispatch.ts");
      result = await dispatch(
        { store, outgoing, files, titleOf, inWords, pages, now, traceparent: span?.traceparent ?? null },
        delivery,
        stopping.signal,
      );
    } catch (error) {
      if (!stopping.signal.aborted) report.error(error);
      const attempt = unanswered("internal error: the log of the server has it", false);
      result = { owner: UNKNOWN, attempt };
    }
    if ("attempt" in result) span?.end(result.attempt);
    const isDelivered = "attempt" in result && result.attempt.outcome === "delivered";
    if (stopping.signal.aborted && !isDelivered) claims.settle(postponed(delivery, now()));
    else await record(delivery, result, startedAt).catch(report.error);
    claims.end(delivery);
    notify();
  };

  const start = (outgoing: Outgoing) => {
    for (let next = claims.next(); next; next = claims.next()) void send(outgoing, next);
  };

  const cancelTargetless = async () => {
    while (await deliveries.cancelTargetless(removalOfCancelled(app.now()), STEP));
  };

  /** Records why mail waits, also of what was due before this began. */
  const explainMail = async () => {
    const now = app.now();
    while (await deliveries.explainMail(explainedUntil - LATE_MS, now, STEP));
    explainedUntil = now;
  };

  /** Whether anything is queued, in whatever lane. Nothing that sends is loaded before. */
  const isEmpty = async () => (await deliveries.nextAt([])) === null;

  const run = async () => {
    if (claims.isEmpty() && (await isEmpty())) return;
    const outgoing = await options.outgoing();
    if (!isReleased) await deliveries.release(holder, app.now());
    isReleased = true;
    await cancelTargetless();
    for (;;) {
      if (stopping.signal.aborted) claims.postponeAll();
      const changed = signal.promise;
      if (outgoing.mail === null) await explainMail();
      await takeTurn(outgoing);
      if (!stopping.signal.aborted) start(outgoing);
      if (claims.isEmpty()) return;
      if (claims.isDue()) continue;
      // Other deliveries become due, and leases end, while slow ones are sent.
      const check = clock.after(POLL_MS, notify);
      await changed;
      check.close();
    }
  };

  return {
    job: {
      name: "outbox",
      every: POLL_MS,
      runsOnWake: true,
      async next() {
        if (await isEmpty()) return null;
        const blocked = blockedLanes(await options.outgoing());
        const due = await deliveries.nextAt(blocked);
        // Leased by another server, whose lease has ended only by the clock of this one.
        const isLeased = due !== null && due <= foundNothingAt;
        const next = isLeased ? foundNothingAt + POLL_MS : due;
        const resumed = claims.pauseEnds();
        return next === null && resumed.length === 0 ? null : Math.min(next ?? Infinity, ...resumed);
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
      clock.after(claims.isAnyRunning() ? BUSY_WAKE_MS : WAKE_MS, wake);
    },
    stop() {
      stopping.abort();
      notify();
    },
  };
}
