import { experimentPage, flagPage } from "./need.ts";
import type { Caller } from "../../access/caller.ts";
import { shortName } from "../../access/place.ts";
import { hasScopeSomewhere, visibleProjects } from "../../access/rights.ts";
import type { App } from "../../app.ts";
import { DAY_MS, HOUR_MS, hourOf } from "../../base/days.ts";
import { targetInWord } from "../../delivery/target.ts";
import type { FlagPatch } from "../../flags/flag.ts";
import { nextStep } from "../../flags/ramps/ramp.ts";
import { PERIODS } from "../../forms/keeping/keeping.ts";
import type { Backups } from "../../maintenance/status.ts";

/** Something that happens by itself. Times are milliseconds since 1970. */
export type Coming = {
  kind: "digest" | "change" | "step" | "experiment" | "expiry" | "deletion" | "backup";
  at: number;
  project: string | null;
  /** A sentence without a full stop; `subject`, if there is one, occurs in it and has a page at `path`. */
  title: string;
  subject: string | null;
  path: string | null;
};

/** Items of each kind, and days ahead. */
const MOST = 20;
const DAYS = 30;

/** Changes that come by themselves in the next 30 days, the next first, as far as the caller may see them; at most `limit`. */
export async function findComing(
  app: App,
  caller: Caller,
  backup: Backups | null,
  limit: number,
): Promise<Coming[]> {
  const ofFlags = hasScopeSomewhere(caller, "flags:read") ? visibleProjects(caller, "flags:read") : [];
  const found = await Promise.all([
    ofFlags?.length === 0 ? [] : changes(app, ofFlags),
    hasScopeSomewhere(caller, "forms:read") ? deletions(app, visibleProjects(caller, "forms:read")) : [],
  ]);
  const next = backup?.next == null ? [] : [backupAt(Date.parse(backup.next))];
  const until = app.now() + DAYS * DAY_MS;
  return [...found.flat(), ...next]
    .filter(({ at }) => at <= until)
    .toSorted((a, b) => a.at - b.at)
    .slice(0, limit);
}

function backupAt(at: number): Coming {
  return { kind: "backup", at, project: null, title: "A backup is made", subject: null, path: null };
}

async function changes(app: App, projects: readonly string[] | null): Promise<Coming[]> {
  const { store } = app;
  const now = app.now();
  const [digests, scheduled, ramps, experiments, expiring] = await Promise.all([
    store.deliveries.digests(projects, MOST),
    store.scheduled.next(projects, MOST),
    store.ramps.held(projects, MOST),
    store.experiments.held(projects, MOST),
    store.flags.expiring({ from: now, to: now + DAYS * DAY_MS }, projects, MOST),
  ]);
  const sent = digests.map(async ({ project, target, at, count }): Promise<Coming> => {
    const record = await store.targets.find(target);
    const title = `A digest to ${record ? targetInWord(record) : "a target"}, ${count === 1 ? "1 change" : `${count} changes`}`;
    return { kind: "digest", at, project, title, subject: null, path: null };
  });
  return [
    ...(await Promise.all(sent)),
    ...scheduled.map(({ project, scheduled: { environment, flag, patch, at } }): Coming => {
      const title = `${flag} ${patchInWords(patch)} in ${environment}`;
      return {
        kind: "change",
        at,
        project,
        title,
        subject: flag,
        path: flagPage({ project, environment, flag }),
      };
    }),
    ...ramps.flatMap(({ project, ramp }): Coming[] => {
      const { environment, flag, share, nextAt } = ramp;
      const next = nextStep(ramp);
      if (!next || nextAt === null) return [];
      const title = `${flag} ${share} → ${next.share} % in ${environment}`;
      return [
        {
          kind: "step",
          at: nextAt,
          project,
          title,
          subject: flag,
          path: flagPage({ project, environment, flag }),
        },
      ];
    }),
    ...experiments.flatMap(({ project, experiment }): Coming[] => {
      const { environment, name, status, startedAt, minDays } = experiment;
      const at = (startedAt ?? now) + minDays * DAY_MS;
      if (status !== "running" || at <= now) return [];
      const path = experimentPage(project, environment, name);
      const title = `${name} in ${environment} has run for ${minDays} days, and may have a result`;
      return [{ kind: "experiment", at, project, title, subject: name, path }];
    }),
    ...expiring.map(({ project, environment, flag, expiresAt: at }): Coming => {
      const title = `${flag} expires in ${environment}`;
      return {
        kind: "expiry",
        at,
        project,
        title,
        subject: flag,
        path: flagPage({ project, environment, flag }),
      };
    }),
  ];
}

/** The effect of a scheduled change on a flag: `on`, `off`, `changes`. */
function patchInWords({ enabled }: FlagPatch): string {
  return enabled === undefined ? "changes" : enabled ? "on" : "off";
}

/** Milliseconds for which deletions that are to come are kept: their counts change slowly. */
const KEPT_MS = 600_000;
/** Forms whose deletions are searched. */
const FORMS = 200;

type Deletion = Coming & { count: number };
const kept = new WeakMap<App["store"], Map<string, { until: number; found: Promise<Deletion[]> }>>();

async function deletions(app: App, projects: readonly string[] | null): Promise<Coming[]> {
  const entries = kept.get(app.store) ?? new Map<string, { until: number; found: Promise<Deletion[]> }>();
  kept.set(app.store, entries);
  const { version } = await app.store.readVersion();
  const key = JSON.stringify([version, projects]);
  const entry = entries.get(key);
  if (entry && entry.until > app.now()) return entry.found;
  entries.clear();
  const found = findDeletions(app, projects);
  entries.set(key, { until: app.now() + KEPT_MS, found });
  found.catch(() => entries.delete(key));
  return found;
}

/** The days on which the forms delete most in the next week, a folder at a time: counted by the hours in which it was stored. */
async function findDeletions(app: App, projects: readonly string[] | null): Promise<Deletion[]> {
  const now = app.now();
  const found: Deletion[] = [];
  for (const form of (await app.store.forms.list(projects)).slice(0, FORMS)) {
    for (const { setting, states, what } of PERIODS) {
      const seconds = form[setting];
      // Counts by the hour leave out submissions that wait for their senders.
      if (seconds === null || setting === "optInWithin") continue;
      const from = hourOf(now - seconds * 1000);
      const spans = Array.from({ length: 7 }, (_, day) => ({
        from: from + 24 * day,
        to: from + 24 * (day + 1),
      }));
      const sums = await app.store.submissions.stored(form.key, spans);
      const counts = sums.map((sum) => (states.includes("spam") ? sum.spam : sum.inbox));
      const day = counts.findIndex((count) => count > 0);
      if (day === -1) continue;
      const count = counts.reduce((sum, each) => sum + each, 0);
      const title = `Old ${what}s of ${form.name} are deleted, about ${count.toLocaleString("en")} in a week`;
      const at = Math.max(now, (spans[day]!.from + seconds / 3600) * HOUR_MS);
      const path = `/forms/${shortName(form)}`;
      found.push({ kind: "deletion", at, project: form.project, title, subject: form.name, path, count });
    }
  }
  return found.toSorted((a, b) => b.count - a.count).slice(0, 3);
}
