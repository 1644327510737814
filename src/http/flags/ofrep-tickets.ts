import type { EnvironmentKeys } from "../../access/place.ts";
import type { FoundToken } from "../../access/store.ts";
import { isExpired } from "../../access/tokens.ts";
import type { App } from "../../app.ts";
import type { Find, Known } from "../../base/changes.ts";
import { isForApplication } from "./application.ts";

/** A caller that evaluates flags: with the two keys of an environment, or with the token that has the hash. */
export type Reader = { keys: EnvironmentKeys; tokenHash: string | null };

/** Tickets are in the addresses of event streams, since a browser sends no header with a request for one. */
export type Tickets = {
  /** The ticket of a reader. It gives access only to events; neither keys nor token can be derived from it. */
  of: (reader: Reader) => string;
  /** The reader of a ticket; undefined once its keys are gone or its token is invalid. */
  find: (ticket: string) => Promise<Reader | undefined>;
  /** Whether the token of a reader is neither revoked nor expired; always true for a reader with keys. */
  isValid: (reader: Reader) => Promise<boolean>;
};

/** The ticket of a token is its SHA-256 hash in base64url; tickets of keys are shorter. */
const TOKEN_TICKET = /^[\w-]{43}$/;

export function createTickets({ store, watch, now }: App, findByHash: Find<FoundToken>): Tickets {
  /** The readers with keys by ticket, as they were `at`. */
  const known = new Map<string, Reader>();
  let at: Known | undefined;

  const ofKeys = ({ projectKey, environmentKey }: EnvironmentKeys) =>
    new Bun.CryptoHasher("sha256", environmentKey)
      .update(`events ${projectKey}`)
      .digest("base64url")
      .slice(0, 32);

  const findKeys = async (ticket: string): Promise<Reader | undefined> => {
    const current = await watch.current();
    if (!known.has(ticket) && current !== at) {
      known.clear();
      for (const { key: projectKey, environments } of await store.projects.list()) {
        for (const { key: environmentKey } of environments) {
          const keys = { projectKey, environmentKey };
          known.set(ofKeys(keys), { keys, tokenHash: null });
        }
      }
      at = current;
    }
    return known.get(ticket);
  };

  const findToken = async (tokenHash: string): Promise<Reader | undefined> => {
    const token = await findByHash(tokenHash);
    if (!token || !isForApplication(token) || isExpired(token, now())) return undefined;
    return { keys: token.keys, tokenHash };
  };

  return {
    of: ({ keys, tokenHash }) =>
      tokenHash === null ? ofKeys(keys) : Buffer.from(tokenHash, "hex").toString("base64url"),
    find: (ticket) =>
      TOKEN_TICKET.test(ticket)
        ? findToken(Buffer.from(ticket, "base64url").toString("hex"))
        : findKeys(ticket),
    isValid: async ({ tokenHash }) => tokenHash === null || (await findToken(tokenHash)) !== undefined,
  };
}
