import { parseJson } from "../../base/json.ts";
import { GRANT_LIMITS } from "../limits.ts";
import type { AccessApp } from "../store.ts";
import { type OAuthClient, clientOfDocument, documentUrl, isDocumentId } from "./client.ts";
import { refusal } from "./refusal.ts";
import { registeredClient } from "./registration.ts";

/** Reads the text at an address of the internet, by the rules for outgoing connections, or says why there is none. */
export type ReadDocument = (
  url: string,
  limits: { bytes: number; ms: number },
) => Promise<{ answer: string } | { error: string }>;

/** Documents that are kept. */
const MOST_KEPT = 100;

/** The clients that people may sign in. `registers` is whether clients register. */
export function createClients(app: AccessApp, registers: boolean) {
  const kept = new Map<string, { client: OAuthClient; until: number }>();

  const fetched = async (id: string, read: ReadDocument): Promise<OAuthClient> => {
    const { href } = documentUrl(id);
    const known = kept.get(id);
    if (known && known.until > app.now()) return known.client;
    const { document: bytes, documentMs: ms, documentSeconds } = GRANT_LIMITS;
    const found = await read(href, { bytes, ms });
    // The same words whatever was wrong: no one learns from them what answers in the network of this server.
    if ("error" in found)
      throw refusal(
        "invalid_client",
        `the document of the client cannot be read: it has to be at a public address, in application/json, of at most ${bytes} bytes and sent within ${ms / 1000} s, without redirects`,
      );
    const client = clientOfDocument(id, parseJson(found.answer));
    kept.delete(id);
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT) kept.delete(oldest!);
    kept.set(id, { client, until: app.now() + documentSeconds * 1000 });
    return client;
  };
  /** The client with that id, whose document `read` gets unless it is kept. Throws `invalid_client`, and what `read` throws. */
  return async (id: string, read: ReadDocument): Promise<OAuthClient> => {
    if (isDocumentId(id)) return fetched(id, read);
    if (registers) return registeredClient(app, id);
    throw refusal(
      "invalid_client",
      "the id of a client is the address of its document: clients do not register here",
    );
  };
}
