/** A call with when it began and ended. Of a write whose answer was lost, nobody knows whether and when it was made. */
export type Call = {
  flag: string;
  begin: number;
  end: number;
  /** Of the state that was written or read; null for a write of which that is not known. */
  revision: number | null;
} & (
  | { kind: "read" }
  | { kind: "write"; expected: number | null }
  /** A write that was refused because the flag was not at the revision that it expected. */
  | { kind: "conflict"; expected: number }
);

export type History = {
  calls: Call[];
  /** The newest revision that a write has returned. */
  newest: (flag: string) => number | null;
  beginWrite: (
    flag: string,
    expected: number | null,
    begin: number,
  ) => { end: (at: number, revision: number | "unknown" | null, isConflict: boolean) => void };
  beginRead: (flag: string, begin: number) => { end: (at: number, revision: number | null) => void };
};

/** Records what writers and readers of flags were answered. What has surely done nothing is left out. */
export function createHistory(): History {
  const calls: Call[] = [];
  const newest = new Map<string, number>();
  return {
    calls,
    newest: (flag) => newest.get(flag) ?? null,
    beginWrite: (flag, expected, begin) => ({
      end(at, revision, isConflict) {
        if (isConflict && expected !== null)
          calls.push({ kind: "conflict", flag, begin, end: at, revision: null, expected });
        if (revision === null) return;
        const isKnown = revision !== "unknown";
        if (isKnown) newest.set(flag, revision);
        calls.push({
          kind: "write",
          flag,
          begin,
          end: isKnown ? at : Infinity,
          revision: isKnown ? revision : null,
          expected,
        });
      },
    }),
    beginRead: (flag, begin) => ({
      end(at, revision) {
        if (revision !== null) calls.push({ kind: "read", flag, begin, end: at, revision });
      },
    }),
  };
}
