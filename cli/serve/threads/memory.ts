import { type Counts, createCountsMemory, openCounts } from "../../../src/base/threads/counts.ts";
import { createPublishedMemory } from "../../../src/base/threads/published-version.ts";
import { createVersionMemory } from "../../../src/base/threads/shared-version.ts";
import { createCommitMemory } from "../../../src/store/commit-stats.ts";
import { createRoomMemory } from "../../../src/store/room.ts";

/** Everything that the threads of a server count together, apart from submission ids. */
export function createServerMemory() {
  return {
    windows: createCountsMemory(),
    places: createCountsMemory(),
    version: createVersionMemory(),
    published: createPublishedMemory(),
    writer: {
      room: createRoomMemory(),
      commits: createCommitMemory(),
      arrivals: new SharedArrayBuffer(4),
    },
  };
}

export type ServerMemory = ReturnType<typeof createServerMemory>;

export function openServerCounts({ windows, places }: ServerMemory): { windows: Counts; places: Counts } {
  return { windows: openCounts(windows), places: openCounts(places) };
}
