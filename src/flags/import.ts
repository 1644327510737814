import type { SetResult } from "../base/result.ts";
import type { FlagRecord } from "./flag.ts";

/** A flag in one environment as a whole; `description` is left out where none is given. */
export type FlagDefinition = Pick<FlagRecord, "slug" | "enabled" | "payload" | "expiresAt" | "rules"> & {
  description?: string;
};

/** What an import sets in one environment; everything that it does not name stays. */
export type ImportPlan = {
  flags: FlagDefinition[];
  /** In the order in which they are put into rules, which is theirs from then on. `rule` is JSON text. */
  segments: { name: string; rule: string }[];
  /** Of the flag set, as a JSON object; null where none is named. */
  metadata: string | null;
};

export type ImportResult = {
  flags: { key: string; result: SetResult }[];
  segments: { name: string; result: SetResult }[];
  metadata: SetResult;
};

/** Sets a record to a definition; the description, which every environment shows, only where one is given. */
export function define(definition: FlagDefinition): (record: FlagRecord) => FlagRecord {
  return (record) => ({ ...record, ...definition, imported: true });
}
