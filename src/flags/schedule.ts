import type { App } from "../app.ts";
import { MAX_LIST } from "../base/bytes.ts";
import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { dashedKey } from "../base/ids.ts";
import type { FlagPlace } from "./flag.ts";
import { SCHEDULE_LOOK_MS } from "./limits.ts";
import type { ScheduledChange } from "./scheduled-change.ts";

/** At most `limit` changes, those after one, which need not exist any more. */
export type ScheduledQuery = {
  limit: number;
  after?: Pick<ScheduledChange, "at" | "createdAt" | "id"> | undefined;
};

/** Plans a change. Throws `invalid` for a time that has come already. */
export async function scheduleChange(
  app: App,
  { project, environment, flag }: FlagPlace,
  { patch, at, who }: Pick<ScheduledChange, "patch" | "at" | "who">,
): Promise<ScheduledChange> {
  const now = app.now();
  if (at <= now) throw new AppError("invalid", `a change is scheduled for later: ${isoTime(at)} has come`);
  const id = dashedKey(app.random);
  return app.store.scheduled.insert(project, { id, environment, flag, patch, at, who, createdAt: now });
}

/** All that is scheduled in an environment, the next first. */
export async function everyScheduled(
  { store }: App,
  project: string,
  environment: string,
): Promise<ScheduledChange[]> {
  const all: ScheduledChange[] = [];
  for (;;) {
    const { items, more } = await store.scheduled.list(project, environment, {
      limit: MAX_LIST,
      after: all.at(-1),
    });
    all.push(...items);
    if (!more) return all;
  }
}

/** Makes the changes that are due, and tells of each that could not be made. Costs one look where none is. */
export async function applyDue(app: App, tell: (text: string) => void): Promise<void> {
  const next = await app.store.scheduled.nextAt();
  if (next === null || next > app.now()) return;
  for (const { project, environment, flag, id, failure } of await app.store.scheduled.applyDue(app.now())) {
    if (failure !== null)
      tell(`dropped the scheduled change ${id} of flag ${flag} in ${project}/${environment}: ${failure}`);
  }
}

/** Makes changes when they are due, from now on until the function returned is called. */
export function followSchedule(
  app: App,
  log: { warn: (text: string) => void; error: (error: unknown) => void },
): () => void {
  let timer: Timer | undefined;
  let stopped = false;
  const wait = (ms: number) => (timer = setTimeout(() => void look(), ms));
  const look = async () => {
    timer = undefined;
    let next: number | null = null;
    try {
      await applyDue(app, log.warn);
      next = await app.store.scheduled.nextAt();
    } catch (error) {
      if (!stopped) log.error(error);
    }
    if (!stopped) wait(Math.min(SCHEDULE_LOOK_MS, Math.max(1, (next ?? Infinity) - app.now())));
  };
  app.store.watch(() => {
    // A look under way ends with one of its own.
    if (!timer || stopped) return;
    clearTimeout(timer);
    wait(0);
  });
  wait(0);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
