import type { FormsApp } from "./store.ts";

/**
 * The secret that signs links to the error page: shared by all processes on a shared database, otherwise of this
 * process. Throws `unavailable`.
 */
export async function loadLinkSecret({ store, random }: Pick<FormsApp, "store" | "random">): Promise<string> {
  const candidate = Buffer.from(random(32)).toString("base64url");
  return store.shared === null ? candidate : store.secrets.keep("links", candidate);
}
