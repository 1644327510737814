import type { Watch } from "../../base/changes.ts";

/**
 * Reads the store if an event named a revision that this process does not know yet: the event may come from another
 * server. https://github.com/open-feature/protocol/tree/main/service/adrs, 0008
 */
export async function catchUp(watch: Watch, url: string): Promise<void> {
  const etag = URL.parse(url)?.searchParams.get(FLAG_CONFIG_ETAG) ?? "";
  const revision = Number(/^(?:W\/)?"?(\d{1,15})"?$/.exec(etag)?.[1] ?? 0);
  if (revision <= (watch.known()?.version ?? 0)) return;
  try {
    await watch.current(true);
  } catch (error) {
    if (watch.staleFor() === 0) throw error;
  }
}

/** The parameter with the `etag` of the event that made a reader evaluate again. */
export const FLAG_CONFIG_ETAG = "flagConfigEtag";
