import type { ReaderToken } from "../access/store.ts";
import type { Measurement } from "../experiments/measurement.ts";
import type { FlagValues } from "../flags/flag.ts";
import type { MemberState } from "../flags/members.ts";
import type { SegmentRecord } from "../flags/segment.ts";

/** An environment with the key that seals its assignments. */
type FollowedEnvironment = { slug: string; key: string; sealing: string };

export type FollowedProject = { slug: string; key: string; environments: FollowedEnvironment[] };

/** Versions of the source at a time on its clock, and the milliseconds since which it does not hear of changes itself. */
export type Moment = { version: number; access: number; memberships: number; now: number; behind: number };

/** An environment without its flags. */
export type EnvironmentHead = {
  key: string;
  projectKey: string;
  place: string;
  revision: number;
  metadata: string;
  segments: readonly SegmentRecord[];
};

/** A count that is under way, without what its visitors are hashed with. */
export type FollowedMeasurement = Omit<Measurement, "salt">;

/**
 * A line of the stream that a server follows, as JSON. All lines up to one with `at` are one change. `follow` begins a state
 * that replaces what the reader has; lists replace what was sent before. Flags of an environment come in several lines, the
 * first with its head; `gone` are slugs.
 */
export type Line =
  | { follow: typeof PROTOCOL }
  | { projects: FollowedProject[] }
  | { tokens: ReaderToken[] }
  | { measurements: FollowedMeasurement[] }
  | { environment: EnvironmentHead; gone: string[] }
  | { flagsOf: string; flags: FlagValues[] }
  | { membersOf: string; state: MemberState; isWhole: boolean; values: string[] }
  | { at: Moment }
  | { ended: string };

/** The version of the protocol. */
export const PROTOCOL = 2;

/** Characters of flags, and members, from which on a line ends. */
const LINE = 131_072;
const MEMBERS_A_LINE = 5000;

export function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** The lines of an environment, with the texts of some flags as JSON. */
export function* environmentLines(
  head: EnvironmentHead,
  flags: Iterable<string>,
  gone: string[],
): Generator<string> {
  yield lineOf({ environment: head, gone });
  let texts: string[] = [];
  let size = 0;
  const joined = () => `{"flagsOf":${JSON.stringify(head.key)},"flags":[${texts.join(",")}]}\n`;
  for (const text of flags) {
    texts.push(text);
    size += text.length;
    if (size < LINE) continue;
    yield joined();
    [texts, size] = [[], 0];
  }
  if (texts.length > 0) yield joined();
}

/** The lines of members of a segment: all of them, or the ones approved since. */
export function* memberLines(
  key: string,
  state: MemberState,
  values: readonly string[],
  isWhole: boolean,
): Generator<string> {
  for (let start = 0; start === 0 || start < values.length; start += MEMBERS_A_LINE)
    yield lineOf({
      membersOf: key,
      state,
      isWhole: isWhole && start === 0,
      values: values.slice(start, start + MEMBERS_A_LINE),
    });
}
