import type { Find, Known, Watch } from "../base/changes.ts";
import { MAX_UNKNOWN_TOKENS } from "./limits.ts";
import type { AccessStore, FoundToken } from "./store.ts";

/** Tokens in memory, valid until access rights change. */
type CachedTokens = { at: Known; found: Map<string, FoundToken>; unknown: Set<string> };

/**
 * Returns a lookup of tokens by the hash of their secret, cached until a token or a user changes. A token that is revoked
 * is refused once a read of the version finds that. While the database does not answer, the tokens that were known to the last such read still
 * count, and for others the lookup throws `unavailable`.
 */
export function createTokenFinder(watch: Watch, store: Pick<AccessStore, "tokens">): Find<FoundToken> {
  let cached: CachedTokens | undefined;

  const cachedAt = (at: Known): CachedTokens => {
    if (cached && cached.at.access === at.access && cached.at.generation === at.generation) return cached;
    return (cached = { at, found: new Map(), unknown: new Set() });
  };
  const read = async (hash: string): Promise<FoundToken | undefined> => {
    let at: Known;
    try {
      at = await watch.current();
    } catch (error) {
      const last = watch.last();
      const token = last && watch.staleFor() > 0 ? cachedAt(last).found.get(hash) : undefined;
      if (token) return token;
      throw error;
    }
    // A change during the read replaces `cached`, so that its outcome is not cached.
    const current = cachedAt(at);
    if (current.unknown.has(hash)) return undefined;
    const token = current.found.get(hash) ?? (await store.tokens.find(hash));
    if (token) current.found.set(hash, token);
    else addUnknown(current.unknown, hash);
    return token;
  };
  return (hash) => {
    const at = watch.known();
    if (at) {
      const { found, unknown } = cachedAt(at);
      const token = found.get(hash);
      if (token || unknown.has(hash)) return token;
    }
    return read(hash);
  };
}

/** Tokens that do not exist, of which a client can send any number: the oldest are forgotten. */
function addUnknown(unknown: Set<string>, hash: string): void {
  const [oldest] = unknown;
  if (unknown.size >= MAX_UNKNOWN_TOKENS) unknown.delete(oldest!);
  unknown.add(hash);
}
