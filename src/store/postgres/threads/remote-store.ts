import type { Shared } from "../../../forms/shared.ts";
import { addLazily } from "../../../base/once.ts";
import { parsed } from "../../../forms/submission.ts";
import type { Notes } from "../../../blobs/notes.ts";
import { remoteSlices } from "../../sql/slices.ts";
import { submissionSlice } from "../../sql/submissions/slice.ts";
import { forgetNothing } from "../copies/moving.ts";
import { findHits } from "../search.ts";
import type { PostgresStore } from "../store.ts";
import type { Caller } from "./calls.ts";

/**
 * The store of the main thread, for another thread of a server. Every call is passed on, so that connections, batches
 * and limits exist once in a process, however many threads serve.
 */
export function openRemoteStore(caller: Caller, staleness: number): PostgresStore {
  const { call } = caller;
  const method =
    <T>(noun: string, name: string) =>
    (...args: unknown[]) =>
      call(noun, name, args) as Promise<T>;
  const ofStore = <K extends keyof PostgresStore>(name: K) =>
    method("store", name) as unknown as PostgresStore[K];
  const slices = remoteSlices(call, () => submissionSlice(findHits, forgetNothing));
  const notes = Object.fromEntries(
    (["add", "clear", "forget", "claim", "pending"] as const).map((name) => [name, method("notes", name)]),
  ) as Omit<Notes, "hold" | "clearedByInsert">;
  const shared = Object.fromEntries(
    (["count", "keep", "take"] as const).map((name) => [name, method("shared", name)]),
  ) as unknown as Shared;
  const submissions = (): PostgresStore["submissions"] => {
    const shared = slices.submissions();
    return {
      ...shared,
      insert: caller.insert,
      // A number as it was sent cannot be sent to another thread, its text can.
      async find(id) {
        const found = await shared.findRaw(id);
        return found && parsed(found);
      },
      updateIndex: method("submissions", "updateIndex"),
      indexBacklog: method("submissions", "indexBacklog"),
      rewrite: method("submissions", "rewrite"),
    };
  };
  const itself = {
    notes: { ...notes, hold: onlyMain, clearedByInsert: true },
    shared,
    servers: null,
    apply: ofStore("apply"),
    readVersion: ofStore("readVersion"),
    staleness,
    // The main thread learns of changes here by its own store, and publishes them.
    watch: () => {},
    activity: ofStore("activity"),
    opened: async () => {},
    ping: ofStore("ping"),
    ready: ofStore("ready"),
    stats: ofStore("stats"),
    check: ofStore("check"),
    dump: onlyMain,
    fill: onlyMain,
    moving: onlyMain,
    close: caller.close,
  } satisfies Partial<PostgresStore>;
  return addLazily(itself, { ...slices, submissions });
}

function onlyMain(): never {
  throw new Error("only the main thread does that");
}
