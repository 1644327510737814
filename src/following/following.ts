import type { Reach } from "../access/place.ts";
import type { App } from "../app.ts";
import { type Find, type Known, createCache } from "../base/changes.ts";
import { clock } from "../base/clock.ts";
import { createTurns } from "../base/event-loop.ts";
import type { Measurement } from "../experiments/measurement.ts";
import type { MemberState } from "../flags/members.ts";
import { type FindSnapshot, type FlagSource, createFlagViews } from "../flags/reads/snapshots.ts";
import type { Project } from "../projects/project.ts";
import {
  type EnvironmentHead,
  type FollowedMeasurement,
  type FollowedProject,
  PROTOCOL,
  environmentLines,
  lineOf,
  memberLines,
} from "./lines.ts";

/** The projects of a place, and the lines of it that are not about one environment, by their subject. */
type Frame = { projects: FollowedProject[]; lines: ReadonlyMap<string, string> };

/** An environment with the text of each flag by its slug. */
type View = { source: FlagSource; texts: ReadonlyMap<string, string> };

/** The last of each that the reader of a stream was sent. */
type Sent = {
  lines: Map<string, string>;
  environments: Map<string, { view: View; members: Map<string, MemberState>; membersAt: number }>;
};

export type Following = {
  /**
   * The lines for a reader of a place, without an end until `isOver`: all that the reader may know, then what changes, and
   * the present moment at intervals. `verify` throws once the reader may read no more.
   */
  linesFor: (reach: Reach, verify: () => Promise<void>, isOver: () => boolean) => AsyncGenerator<string>;
  /** The keys of the environments of a place. */
  keysIn: (reach: Reach) => Promise<ReadonlySet<string>>;
};

/** How often to look for changes, and how often a line says that there are none, in milliseconds. */
const POLL_INTERVAL = 100;
const BEAT_INTERVAL = 1000;
/** Reads of everything in a row while changes come in between, so that one moment is sent. */
const ROUNDS = 5;

export function createFollowing(app: App): Following {
  const findFrame = createFrames(app);
  const findView = createFlagViews<View>(app, async (source) => {
    const takeTurns = createTurns();
    const texts = new Map<string, string>();
    for (const record of source.records) {
      texts.set(record.slug, JSON.stringify(record));
      await takeTurns();
    }
    return { source, texts };
  });
  const frameOf = async (reach: Reach) => (await findFrame(JSON.stringify(reach)))!;
  return {
    async keysIn(reach) {
      const { projects } = await frameOf(reach);
      return new Set(projects.flatMap(({ environments }) => environments.map(({ key }) => key)));
    },
    async *linesFor(reach, verify, isOver) {
      const sent: Sent = { lines: new Map(), environments: new Map() };
      const { watch } = app;
      if (watch.staleFor() === 0) await watch.current(true);
      yield lineOf({ follow: PROTOCOL });
      let last: Known | undefined;
      let membersAt = -1;
      let beatAt = Number.NEGATIVE_INFINITY;
      while (!isOver()) {
        await verify();
        let at = await versionOf(app);
        const isBeat = clock.steady() - beatAt >= BEAT_INTERVAL;
        if (at !== last || watch.memberships() !== membersAt || isBeat) {
          for (let round = 0; round < ROUNDS; round += 1) {
            membersAt = watch.memberships();
            yield* changedLines(app, await frameOf(reach), findView, sent);
            const now = await versionOf(app, true);
            const isSame = now === at && membersAt === watch.memberships();
            if (isSame) break;
            at = now;
          }
          const { version, access } = at;
          const moment = {
            version,
            access,
            memberships: membersAt,
            now: app.now(),
            behind: watch.staleFor(),
          };
          last = at;
          beatAt = clock.steady();
          yield lineOf({ at: moment });
        }
        await nextChange(app);
      }
    },
  };
}

/** The version that is read now, or while the database does not answer the last one. */
async function versionOf({ watch }: App, isForced = false): Promise<Known> {
  try {
    return await watch.current(isForced);
  } catch (error) {
    const last = watch.last();
    if (last === undefined || watch.staleFor() === 0) throw error;
    return last;
  }
}

/** Waits for a change of this process, and no longer than the changes of others may take to be seen. */
function nextChange({ watch }: App): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = watch.onChange(resolve);
  const timer = clock.after(POLL_INTERVAL, resolve);
  return promise.finally(() => {
    end();
    timer.close();
  });
}

function createFrames(app: App): Find<Frame> {
  const findAll = createCache(app.watch, async () => {
    const { projects, tokens, measurements } = app.store;
    const [all, readers, live] = await Promise.all([projects.list(), tokens.readers(), measurements.live()]);
    return { all, readers, live, assignments: await app.measuring.assignments() };
  });
  return createCache<Frame>(app.watch, async (place) => {
    const reach = JSON.parse(place) as Reach;
    const { all, readers, live, assignments } = (await findAll("all"))!;
    const isIn = (each: Reach) =>
      (reach.project === undefined || each.project === undefined || each.project === reach.project) &&
      (reach.environment === undefined ||
        each.environment === undefined ||
        each.environment === reach.environment);
    const projects = all.flatMap((project) => followed(project, isIn, assignments.sealingKeyOf));
    const measurements = live.filter(isIn).map(withoutSalt);
    const lines = new Map([
      ["projects", lineOf({ projects })],
      ["tokens", lineOf({ tokens: readers.filter(isIn) })],
      ["measurements", lineOf({ measurements })],
    ]);
    return { projects, lines };
  });
}

function withoutSalt(measurement: Measurement): FollowedMeasurement {
  const { id, project, environment, environmentKey, flag, variants, metrics, startedAt } = measurement;
  return { id, project, environment, environmentKey, flag, variants, metrics, startedAt };
}

/** A project with its environments in a place; none if it is not there. */
function followed(
  { slug, key, environments }: Project,
  isIn: (place: Reach) => boolean,
  sealingKeyOf: (environmentKey: string) => string,
): FollowedProject[] {
  const inPlace = environments.filter((each) => isIn({ project: slug, environment: each.slug }));
  if (inPlace.length === 0) return [];
  return [
    {
      slug,
      key,
      environments: inPlace.map((each) => ({
        slug: each.slug,
        key: each.key,
        sealing: sealingKeyOf(each.key),
      })),
    },
  ];
}

/** The lines of what differs from what was sent, which they are then part of. */
async function* changedLines(
  app: App,
  { projects, lines }: Frame,
  findView: FindSnapshot<View>,
  sent: Sent,
): AsyncGenerator<string> {
  for (const [about, line] of lines) {
    if (sent.lines.get(about) === line) continue;
    sent.lines.set(about, line);
    yield line;
  }
  const present = new Set<string>();
  for (const { key: projectKey, environments } of projects) {
    for (const { key } of environments) {
      const membersAt = app.watch.memberships();
      const view = await findView(projectKey, key);
      if (!view) continue;
      present.add(key);
      const before = sent.environments.get(key);
      const members = before?.members ?? new Map<string, MemberState>();
      sent.environments.set(key, { view, members, membersAt });
      if (view !== before?.view) yield* viewLines(headOf(projectKey, key, view), view, before?.view);
      const isRead = view === before?.view && before.membersAt === membersAt;
      if (view.source.members !== null && !isRead) yield* changedMembers(app, key, members);
    }
  }
  for (const key of sent.environments.keys()) if (!present.has(key)) sent.environments.delete(key);
}

function headOf(projectKey: string, key: string, { source }: View): EnvironmentHead {
  const { place, revision, metadata, segments } = source;
  return { key, projectKey, place, revision, metadata, segments };
}

function* viewLines(head: EnvironmentHead, { texts }: View, before: View | undefined): Generator<string> {
  const changed = texts.entries().filter(([slug, text]) => before?.texts.get(slug) !== text);
  const gone = [...(before?.texts.keys() ?? [])].filter((slug) => !texts.has(slug));
  yield* environmentLines(
    head,
    changed.map(([, text]) => text),
    gone,
  );
}

async function* changedMembers(
  { store }: App,
  key: string,
  sent: Map<string, MemberState>,
): AsyncGenerator<string> {
  const selection = await store.flags.select(key);
  for (const state of (await selection?.members()) ?? []) {
    const before = sent.get(state.segment);
    if (before?.epoch === state.epoch && before.revision === state.revision) continue;
    const isWhole = before === undefined || before.epoch !== state.epoch || state.leftAt > before.revision;
    const values = await selection!.membersSince(state.segment, isWhole ? 0 : before.revision);
    sent.set(state.segment, state);
    yield* memberLines(key, state, values, isWhole);
  }
}
