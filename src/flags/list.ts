import { yieldToEventLoop } from "../base/event-loop.ts";
import type { FlagRecord } from "./flag.ts";
import type { FlagsApp } from "./store.ts";

/** Flags that are read at once, with rules and previews. */
const STEP = 250;

/** Every flag of an environment by slug, read in steps so that readers do not wait. Throws `not_found`. */
export async function listInSteps(
  { store }: FlagsApp,
  project: string,
  environment: string,
): Promise<FlagRecord[]> {
  const all: FlagRecord[] = [];
  for (;;) {
    const { items, more } = await store.flags.page(project, environment, {
      limit: STEP,
      after: all.at(-1)?.slug,
    });
    all.push(...items);
    if (!more) return all;
    await yieldToEventLoop();
  }
}
