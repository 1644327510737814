import { dashedKey } from "../../base/ids.ts";
import { once } from "../../base/once.ts";
import { GRANT_LIMITS } from "../limits.ts";
import { signInSecret } from "../session.ts";
import type { AccessApp } from "../store.ts";
import { type OAuthClient, clientIn } from "./client.ts";
import { refusal } from "./refusal.ts";

/** Before the id of a client that was registered. */
const PREFIX = "client-";

/** The description in the id of a client: its name, where it may be sent back, and what makes the id its own. */
type Described = { n: string; r: readonly string[]; i: string };

/**
 * Registers a client (RFC 7591). Nothing is stored: its id is what it said, signed by this server, so that no stranger fills
 * the database and every replica knows it. Throws `invalid_client_metadata`, `invalid_redirect_uri`.
 */
export async function registerClient(app: AccessApp, metadata: unknown): Promise<OAuthClient> {
  const { name, redirects } = clientIn(metadata);
  const described: Described = { n: name, r: redirects, i: dashedKey(app.random) };
  const text = Buffer.from(JSON.stringify(described)).toString("base64url");
  const id = `${PREFIX}${text}.${await signatureOf(app, text)}`;
  if (id.length > GRANT_LIMITS.clientId)
    throw refusal("invalid_client_metadata", "the names and addresses of the client are too long");
  return { id, name: name || NAMELESS, redirects };
}

const NAMELESS = "An assistant";

/** The client that was registered under an id. Throws `invalid_client`. */
export async function registeredClient(app: AccessApp, id: string): Promise<OAuthClient> {
  const [, text = "", signature = ""] = /^client-([\w-]+)\.([\w-]{43})$/.exec(id) ?? [];
  const isKnown = id.length <= GRANT_LIMITS.clientId && equal(signature, await signatureOf(app, text));
  if (!isKnown) throw refusal("invalid_client", "this client is not known here");
  const { n, r } = JSON.parse(Buffer.from(text, "base64url").toString()) as Described;
  return { id, name: n || NAMELESS, redirects: r };
}

async function signatureOf(app: AccessApp, text: string): Promise<string> {
  return new Bun.CryptoHasher("sha256", await keyOf(app)).update(text).digest("base64url");
}

const keys = new WeakMap<object, () => Promise<string>>();

/** The key of the ids, which all processes of a database share. It is read once, since strangers cause the reads. */
function keyOf({ store, random }: AccessApp): Promise<string> {
  let read = keys.get(store);
  if (!read) keys.set(store, (read = once(() => store.secrets.keep("oauth-clients", signInSecret(random)))));
  return read();
}

function equal(a: string, b: string): boolean {
  return a.length === b.length && crypto.timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
