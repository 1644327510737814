import type { SetResult } from "../base/result.ts";
import type { FlagRecord } from "./flag.ts";

/** A flag in one environment as a whole; `description` is left out where none is given. */
export type FlagDefinition = Pick<FlagRecord, "slug" | "enabled" | "payload" | "expiresAt" | "rules"> & {
  description?: string;
};

/** What an import sets in one environment; everything that it does not name stays. */
export type ImportPlan = {
  flags: FlagDefinition[];
  /** In the order of the file, which becomes their order in the environment. `rule` is JSON text. */
  segments: { name: string; rule: string }[];
  /** Metadata of the flag set, as JSON text of an object; null where the file has none. */
  metadata: string | null;
};

export type ImportResult = {
  flags: { key: string; result: SetResult }[];
  segments: { name: string; result: SetResult }[];
  metadata: SetResult;
};

/** Returns a function that sets a record to a definition; without a description, the record keeps its own. */
export function define(definition: FlagDefinition): (record: FlagRecord) => FlagRecord {
  return (record) => ({ ...record, ...definition, imported: true });
}
