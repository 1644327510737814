import type { PostgresStore } from "../../../../src/store/postgres/store.ts";
import { newSession, nextId } from "../../../support/records/records.ts";
import type { Shop } from "../shop.ts";

/** What an operation of the store is called with: one replica, what there is, and what this call alone has. */
export type Call = (store: PostgresStore, shop: Shop, own: Own) => Promise<unknown>;
export type Own = { id: string; name: string; hash: string; session: ReturnType<typeof newSession> };

export function createOwn(name: string): Own {
  return { id: nextId(), name, hash: Bun.SHA256.hash(name, "hex"), session: newSession("ann") };
}
