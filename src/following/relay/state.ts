import type { ReaderToken } from "../../access/store.ts";
import type { FlagValues } from "../../flags/flag.ts";
import type { MemberState } from "../../flags/members.ts";
import {
  type EnvironmentHead,
  type FollowedMeasurement,
  type FollowedProject,
  type Line,
  type Moment,
  PROTOCOL,
  environmentLines,
  lineOf,
  memberLines,
} from "../lines.ts";

/** The members of a segment in the order in which they came; `marks` say from which on they came behind a revision. */
type MemberLog = { state: MemberState; values: string[]; marks: { revision: number; from: number }[] };

type Environment = EnvironmentHead & {
  /** Newest first by creation, then by slug. */
  flags: readonly FlagValues[];
  members: ReadonlyMap<string, MemberLog>;
};

/** The flags of the server that this one follows, as of one moment. */
export type State = {
  moment: Moment;
  projects: readonly FollowedProject[];
  tokens: readonly ReaderToken[];
  measurements: readonly FollowedMeasurement[];
  environments: ReadonlyMap<string, Environment>;
};

const NO_MOMENT: Moment = { version: 0, access: 0, memberships: 0, now: 0, behind: 0 };

/** The state of a server whose token reads nothing. */
export const EMPTY: State = {
  moment: NO_MOMENT,
  projects: [],
  tokens: [],
  measurements: [],
  environments: new Map(),
};

/** A change of a state that takes lines until a moment ends it. */
export class Draft {
  readonly #before: State;
  #changed: Omit<State, "moment">;
  /** Flags by slug of environments whose flags change. */
  readonly #flags = new Map<string, Map<string, FlagValues>>();
  readonly #heads = new Map<string, EnvironmentHead>();
  readonly #members = new Map<string, Map<string, MemberLog>>();
  /** Whether it replaces the state instead of changing it. */
  isWhole = false;
  isEmpty = true;

  constructor(before: State) {
    this.#before = before;
    this.#changed = before;
  }

  /** Throws for a line of another protocol. */
  take(line: Exclude<Line, { at: Moment } | { ended: string }>): void {
    this.isEmpty = false;
    if ("follow" in line) {
      if (line.follow !== PROTOCOL)
        throw new Error(
          "the source speaks another version of the protocol: give both servers the same release",
        );
      this.isWhole = true;
      this.#changed = EMPTY;
    } else if ("environment" in line) {
      const { environment, gone } = line;
      this.#heads.set(environment.key, environment);
      const flags = this.#flagsOf(environment.key);
      for (const slug of gone) flags.delete(slug);
    } else if ("flagsOf" in line) {
      const flags = this.#flagsOf(line.flagsOf);
      for (const flag of line.flags) flags.set(flag.slug, flag);
    } else if ("membersOf" in line) this.#takeMembers(line);
    else this.#changed = { ...this.#changed, ...line };
  }

  #flagsOf(key: string): Map<string, FlagValues> {
    const known = this.#flags.get(key);
    if (known) return known;
    const flags = this.#changed.environments.get(key)?.flags ?? [];
    const bySlug = new Map(flags.map((flag) => [flag.slug, flag]));
    this.#flags.set(key, bySlug);
    return bySlug;
  }

  #takeMembers({ membersOf: key, state, isWhole, values }: Extract<Line, { membersOf: string }>): void {
    const members = this.#members.get(key) ?? new Map(this.#changed.environments.get(key)?.members ?? []);
    this.#members.set(key, members);
    const before = isWhole ? undefined : members.get(state.segment);
    const { revision } = state;
    const mark = { revision, from: before?.values.length ?? 0 };
    const isMarked = before?.state.revision === revision;
    const marks = isMarked ? before.marks : [...(before?.marks ?? []), mark];
    members.set(state.segment, { state, values: [...(before?.values ?? []), ...values], marks });
  }

  /** The state at a moment, with what is as it was the same objects. */
  at(moment: Moment): State {
    const { projects } = this.#changed;
    const environments = new Map<string, Environment>();
    for (const { environments: own } of projects) {
      for (const { key } of own) {
        const environment = this.#environment(key);
        if (environment) environments.set(key, environment);
      }
    }
    return { ...this.#changed, moment, environments };
  }

  #environment(key: string): Environment | undefined {
    const known = this.#changed.environments.get(key);
    const head = this.#heads.get(key) ?? known;
    if (!head) return undefined;
    const [changed, members] = [this.#flags.get(key), this.#members.get(key)];
    if (known && !changed && !members) return known;
    const flags = changed ? [...changed.values()].toSorted(newestFirst) : known!.flags;
    const environment = { ...head, flags, members: members ?? known?.members ?? new Map() };
    const before = this.#before.environments.get(key);
    const isSame =
      this.isWhole && before && JSON.stringify(linesIn(before)) === JSON.stringify(linesIn(environment));
    return isSame ? before : environment;
  }
}

function newestFirst(a: FlagValues, b: FlagValues): number {
  return b.createdAt - a.createdAt || (a.slug < b.slug ? -1 : 1);
}

function linesIn(environment: Environment): string[] {
  const { flags, members, key, projectKey, place, revision, metadata, segments } = environment;
  const head = { key, projectKey, place, revision, metadata, segments };
  const texts = flags.values().map((flag) => JSON.stringify(flag));
  const ofMembers = members.values().flatMap(({ state, values }) => memberLines(key, state, values, true));
  return [...environmentLines(head, texts, []), ...ofMembers];
}

/** The lines that make a state. */
export function* linesOf({ moment, projects, tokens, measurements, environments }: State): Generator<string> {
  yield lineOf({ follow: PROTOCOL });
  yield lineOf({ projects: [...projects] });
  yield lineOf({ tokens: [...tokens] });
  yield lineOf({ measurements: [...measurements] });
  for (const environment of environments.values()) yield* linesIn(environment);
  yield lineOf({ at: moment });
}

/** The values of a segment that came behind a revision. */
export function membersSince({ values, marks }: MemberLog, revision: number): string[] {
  const first = marks.find((mark) => mark.revision > revision);
  return first ? values.slice(first.from) : [];
}

/**
 * Whether the source went back to an earlier state, so that nothing that was made of the one before may be used: the same
 * revision or version has other content, or an earlier one came.
 */
export function wentBack(before: State, now: State): boolean {
  if (now.moment.version < before.moment.version || now.moment.access < before.moment.access) return true;
  // Tokens are kept in memory by that version.
  if (
    now.moment.access === before.moment.access &&
    JSON.stringify(now.tokens) !== JSON.stringify(before.tokens)
  )
    return true;
  return [...now.environments].some(([key, environment]) => {
    const known = before.environments.get(key);
    if (!known || known === environment) return false;
    if (environment.revision < known.revision) return true;
    // The flags before were from before their version.
    if (environment.revision > known.revision && now.moment.version === before.moment.version) return true;
    if (environment.revision === known.revision && environment.flags !== known.flags) return true;
    return [...environment.members].some(([segment, { state }]) => {
      const last = known.members.get(segment)?.state;
      return (
        last !== undefined &&
        (state.epoch < last.epoch || (state.epoch === last.epoch && state.revision < last.revision))
      );
    });
  });
}
