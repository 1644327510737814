import { MemberList, type Members } from "../members.ts";
import type { FlagSelection } from "../store.ts";

/** The members of the segments of an environment, kept up to date. */
export type MemberLists = Members & {
  /** Reads what differs from what is in memory. Throws `unavailable`. */
  load(selection: Pick<FlagSelection, "members" | "membersSince">): Promise<void>;
};

/** Lists without members yet. A list is the same object while its members change, so that compiled rules hold it. */
export function createMemberLists(): MemberLists {
  const lists = new Map<string, MemberList>();
  const listOf = (segment: string): MemberList => {
    const known = lists.get(segment);
    if (known) return known;
    const list = new MemberList();
    lists.set(segment, list);
    return list;
  };
  return {
    get: listOf,
    async load(selection) {
      for (const state of await selection.members()) {
        const list = listOf(state.segment);
        if (list.isAt(state)) continue;
        const since = list.missingSince(state);
        list.take(state, await selection.membersSince(state.segment, since ?? 0), since === null);
      }
    },
  };
}
