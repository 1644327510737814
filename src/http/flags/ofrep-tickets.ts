import type { EnvironmentKeys } from "../../access/place.ts";
import { isExpired } from "../../access/tokens.ts";
import type { App } from "../../app.ts";

/** Who evaluates flags: a caller with the two keys of an environment, or with the token of that hash. */
export type Reader = { keys: EnvironmentKeys; tokenHash: string | null };

/** Tickets are in the addresses of event streams, since a browser sends no header with a request for one. */
export type Tickets = {
  /** The ticket of a reader, from which neither keys nor token can be derived. It is good for nothing but events. */
  of: (reader: Reader) => string;
  /** The reader of a ticket, while the keys exist or the token is valid. */
  find: (ticket: string) => Promise<Reader | undefined>;
  /** Whether the token of a reader was neither revoked nor has expired. Keys are valid while they select flags. */
  isValid: (reader: Reader) => Promise<boolean>;
};

/** A SHA-256 in base64url; tickets of keys are shorter. */
const HASH = /^[\w-]{43}$/;

export function createTickets({ store, now }: App): Tickets {
  /** The readers with keys, as of `version`. */
  const known = new Map<string, Reader>();
  let version = -1;

  const ofKeys = ({ projectKey, environmentKey }: EnvironmentKeys) =>
    new Bun.CryptoHasher("sha256", environmentKey)
      .update(`events ${projectKey}`)
      .digest("base64url")
      .slice(0, 32);

  const findKeys = async (ticket: string): Promise<Reader | undefined> => {
    const current = await store.version();
    if (!known.has(ticket) && current !== version) {
      known.clear();
      for (const { key: projectKey, environments } of await store.projects.list()) {
        for (const { key: environmentKey } of environments) {
          const keys = { projectKey, environmentKey };
          known.set(ofKeys(keys), { keys, tokenHash: null });
        }
      }
      version = current;
    }
    return known.get(ticket);
  };

  const findToken = async (tokenHash: string): Promise<Reader | undefined> => {
    const token = await store.tokens.find(tokenHash);
    if (!token?.keys || !token.scopes.includes("flags:evaluate") || isExpired(token, now())) return undefined;
    return { keys: token.keys, tokenHash };
  };

  return {
    of: ({ keys, tokenHash }) =>
      tokenHash === null ? ofKeys(keys) : Buffer.from(tokenHash, "hex").toString("base64url"),
    find: (ticket) =>
      HASH.test(ticket) ? findToken(Buffer.from(ticket, "base64url").toString("hex")) : findKeys(ticket),
    isValid: async ({ tokenHash }) => tokenHash === null || (await findToken(tokenHash)) !== undefined,
  };
}
