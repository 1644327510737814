import type { Page } from "../../base/pages.ts";
import type { AuditEntry, AuditFilter, NewAuditEntry } from "./entry.ts";

/** Entries that are counted at most. */
export const COUNTED_ENTRIES = 10_000;

/** The slice of the store that keeps the audit log. Changes write their entries in their own transactions. */
export type AuditStore = {
  audit: {
    /** Newest first: at most `limit` entries with ids below `before`. */
    page(filter: AuditFilter & { limit: number; before?: number | undefined }): Promise<Page<AuditEntry>>;
    /** How many of the newest {@link COUNTED_ENTRIES} entries that a filter selects have each action. */
    counts(filter: AuditFilter): Promise<ReadonlyMap<string, number>>;
    /** Oldest first: at most `limit` entries with ids above `after`. */
    after(filter: AuditFilter & { limit: number; after: number }): Promise<Page<AuditEntry>>;
    /** The id of the newest entry; 0 without any. */
    newest(): Promise<number>;
    /** Adds entries about what changes nothing in the store, such as an export. */
    append(entries: readonly NewAuditEntry[]): Promise<void>;
    /** Removes at most `limit` entries from before a time, but never the newest of them. Returns whether any may be left. */
    prune(before: number, limit: number): Promise<boolean>;
  };
};
