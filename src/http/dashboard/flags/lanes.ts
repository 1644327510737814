import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { DAY_MS } from "../../../base/days.ts";
import { everyItem } from "../../../base/pages.ts";
import { capital } from "../../../base/shapes/words.ts";
import type { FoundExperiment } from "../../../experiments/experiment.ts";
import type { Course } from "../../../flags/audience.ts";
import { type KnownCode, pageReferences, readKnownCode } from "../../../flags/code/code-references.ts";
import type { FlagStatus } from "../../../flags/flag.ts";
import { everyFlag, type FlagOverview } from "../../../flags/overviews.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { type FoundRamp, isHeld } from "../../../flags/ramps/ramp.ts";
import { type FlagReads, readsOfFlags } from "../../../flags/reads/flag-reads.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { assessOverviews, DEFAULT_STALE_DAYS, type StaleVerdict } from "../../../flags/stale.ts";
import type { Project } from "../../../projects/project.ts";

/** The lanes of the list, in their order, with what is said of them. */
export const LANES = {
  release: { title: "In release", hint: "something changes by itself" },
  use: { title: "In use", hint: "" },
  remove: { title: "Ready to remove", hint: "they decide nothing any more" },
} as const;

export type Lane = keyof typeof LANES;

/** A flag in its lane. */
export type LaneFlag = FlagOverview & {
  lane: Lane;
  /** Why it is ready to be removed. */
  verdict: StaleVerdict | undefined;
  /** The changes that are under way by themselves, by the environment. */
  courses: ReadonlyMap<string, Course>;
  /** Whether its environments are not alike. */
  differs: boolean;
  /** Whether no application has read it lately, in any environment. */
  isUnread: boolean;
  changedAt: number;
};

/** The flags of a project in the order of their lanes, then by slug. */
export async function flagsInLanes(
  app: App,
  project: Project,
): Promise<{ flags: LaneFlag[]; code: KnownCode | null }> {
  const { version } = await app.store.readVersion();
  const [found, code, courses] = await Promise.all([
    keptFlags(app, project.slug, version, () => everyFlag(app, project.slug)),
    readKnownCode(app, project.slug),
    coursesOf(app, project),
  ]);
  const now = app.now();
  const stale = await assessOverviews(found, now, code, { environment: null, days: DEFAULT_STALE_DAYS });
  const verdicts = new Map(stale.map((each) => [each.slug, each]));
  const none: ReadonlyMap<string, Course> = new Map();
  const flags = found.map((flag): LaneFlag => {
    const { slug, environments } = flag;
    const verdict = verdicts.get(slug);
    const own = courses.get(slug);
    const [first, ...others] = environments;
    return {
      ...flag,
      lane: own ? "release" : verdict ? "remove" : "use",
      verdict: own ? undefined : verdict,
      courses: own ?? none,
      differs: others.some((each) => !isAlike(each, first!)),
      isUnread: environments.every(
        ({ readAt }) => readAt === null || now - readAt >= DEFAULT_STALE_DAYS * DAY_MS,
      ),
      changedAt: Math.max(0, ...environments.map(({ updatedAt }) => updatedAt)),
    };
  });
  const order = Object.keys(LANES);
  return { flags: flags.toSorted((a, b) => order.indexOf(a.lane) - order.indexOf(b.lane)), code };
}

const ALIKE = ["enabled", "expiresAt", "rules", "requires", "payload"] as const;

function isAlike(one: FlagStatus, other: FlagStatus): boolean {
  return ALIKE.every((name) => one[name] === other[name]);
}

/** Ramps, experiments and scheduled changes that are read at once. */
const STEP = 500;

/** The changes of flags that are under way by themselves, by the flag and its environment. */
async function coursesOf(
  app: App,
  { slug, environments }: Project,
): Promise<Map<string, Map<string, Course>>> {
  const { store } = app;
  const [ramps, scheduled, ...experiments] = await Promise.all([
    everyItem<FoundRamp>((last) => store.ramps.page(slug, null, { limit: STEP, after: last?.ramp })),
    everyItem<ScheduledChange>((last) => store.scheduled.page(slug, null, { limit: STEP, after: last })),
    ...environments.map((each): Promise<FoundExperiment[]> => store.experiments.holding(slug, each.slug)),
  ]);
  const courses = new Map<string, Map<string, Course>>();
  const add = ({ flag, environment }: { flag: string; environment: string }, course: Course) => {
    const own = courses.get(flag) ?? new Map<string, Course>();
    // The first of several scheduled changes is the next one.
    courses.set(flag, own.set(environment, { ...course, ...own.get(environment) }));
  };
  for (const ramp of ramps.map(settled)) if (isHeld(ramp)) add(ramp, { ramp });
  for (const { experiment } of experiments.flat()) add(experiment, { experiment });
  for (const change of scheduled) add(change, { scheduled: change });
  return courses;
}

/** How long what was read of a project is shown as it was, if nothing was changed: reads are counted to the minute. */
const KEPT_MS = 30_000;

/** Projects of which it is kept. */
const MAX_KEPT = 4;

/** Returns a function that keeps what was read of a project at a version of its store. */
function keptOfProject<T>() {
  const stores = new WeakMap<App["store"], Map<string, { at: number; version: number; value: Promise<T> }>>();
  return (app: App, project: string, version: number, read: () => Promise<T>): Promise<T> => {
    const kept =
      stores.get(app.store) ?? new Map<string, { at: number; version: number; value: Promise<T> }>();
    stores.set(app.store, kept);
    const last = kept.get(project);
    if (last?.version === version && Math.abs(app.now() - last.at) < KEPT_MS) return last.value;
    if (kept.size >= MAX_KEPT) kept.clear();
    const value = read();
    kept.set(project, { at: app.now(), version, value });
    value.catch(() => kept.delete(project));
    return value;
  };
}

const keptFlags = keptOfProject<FlagOverview[]>();
const keptReads = keptOfProject<FlagReads[]>();

/** The reads of the flags of a project in the last hours, by flag, for a caller who reads all its environments. */
export async function recentReads(
  app: App,
  caller: Caller,
  project: string,
): Promise<Map<string, FlagReads>> {
  const reads = await keptReads(app, project, 0, () => readsOfFlags(app, caller, { project }));
  return new Map(reads.map((each) => [each.flag, each]));
}

/** The files that name a flag in uploaded code; null where that is not known. */
export async function filesNaming(
  app: App,
  project: string,
  flag: string,
  code: KnownCode | null,
): Promise<number | null> {
  if (!code?.slugs.has(flag)) return null;
  const { references } = await pageReferences(app, project, { flag, limit: 10 });
  return new Set(references.flatMap((each) => each.references.map(({ filePath }) => filePath))).size;
}

/** Why a flag is ready to be removed: `Same for everyone, 41 days; in 3 files`. */
export function reasonsInWords({ reasons, times }: StaleVerdict, files: number | null, now: number): string {
  const days = (since = now) => {
    const count = Math.floor((now - since) / DAY_MS);
    return count === 1 ? "1 day" : `${count.toLocaleString("en")} days`;
  };
  const words = reasons.map(
    (reason) =>
      ({
        expired: "expired",
        settled: `same for everyone, ${days(times.settled)}`,
        unread: `not read for ${days(times.unread)}`,
        unreferenced: "no code names it",
      })[reason],
  );
  if (files !== null) words.push(files === 1 ? "in 1 file" : `in ${files} files`);
  return capital(words.join("; "));
}
