import { chainHash } from "./entry.ts";

/** The end of the JSON of an entry. */
const HASH = /,"hash":"([0-9a-f]{64})"\}$/;

/** An entry from which the rest of the chain can be verified: its number and its hash. */
type AuditHead = { id: number; hash: string };

/** Checks a chain line by line: entries as an export has them, oldest first. */
export type ChainCheck = {
  /** Returns what is wrong with the next line; null if it continues the chain. */
  add: (line: string) => string | null;
  count: () => number;
  first: () => number | null;
  newest: () => AuditHead | null;
};

/**
 * Checks that lines are a chain. What begins behind the first entry, because older ones were removed, is trusted for its
 * first line.
 */
export function createChainCheck(): ChainCheck {
  let [count, first, newest] = [0, null as number | null, null as AuditHead | null];
  return {
    add(line) {
      const found = HASH.exec(line);
      const id = found ? idOf(line) : null;
      if (found === null || id === null) return `line ${count + 1} is not an entry of the audit log`;
      const hash = found[1]!;
      const content = `${line.slice(0, found.index)}}`;
      if (newest !== null && id !== newest.id + 1)
        return `entry ${newest.id} is followed by ${id}: entries between them are missing, or out of order`;
      const isFirst = newest === null && id !== 1;
      if (!isFirst && hash !== chainHash(newest?.hash ?? "", content))
        return `the hash of entry ${id} does not fit its content and the entry before`;
      count += 1;
      first ??= id;
      newest = { id, hash };
      return null;
    },
    count: () => count,
    first: () => first,
    newest: () => newest,
  };
}

function idOf(line: string): number | null {
  const [, id] = /^\{"id":(\d{1,15}),/.exec(line) ?? [];
  return id === undefined ? null : Number(id);
}
