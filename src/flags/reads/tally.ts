/**
 * Kinds of hourly counts. `reads`: by environment key, with `one` for reads of one flag and `all` for reads of every
 * flag. `flagReads`: by environment key, a slash and the flag. `served`: the same names, by variant (empty for none),
 * for reads of the flag alone and of all flags. `clients`: by environment key, a slash and the flag that was read alone, or
 * nothing for all flags, by the name of the token of the reader; reads with the keys of the environment are not among them.
 */
export const TALLY_KINDS = ["reads", "flagReads", "served", "clients"] as const;

export type TallyKind = (typeof TALLY_KINDS)[number];

/** How often flags were read within an hour, in hours since 1970. */
export type Tally = { kind: TallyKind; hour: number; what: string; variant: string; count: number };

/** Selects the hours from `from` until before `to`, with `what` only that, and with `prefix` only what begins with it. */
export type TallyQuery = {
  kind: TallyKind;
  from: number;
  to: number;
  what?: string | undefined;
  prefix?: string | undefined;
  /** Left out is what sorts behind all that begins with it. */
  until?: string | undefined;
};

export type HourTally = Omit<Tally, "kind">;
/** With `after`, which begins with the prefix, only what sorts behind it, and no more than `limit`: to read an hour in steps. */
export type TallyPage = TallyQuery & { after?: string | undefined; limit?: number | undefined };

export type TallySum = Omit<HourTally, "hour">;

/** The id of counts that came from another server at a time, and when it is forgotten, in milliseconds since 1970. */
export type TallyKey = { id: string; at: number; expiresAt: number };

export type TallyStore = {
  /** By hour and what. Its cost grows with the hours and with what is tallied in each: callers read in steps, as with `sum`. */
  read(query: TallyPage): Promise<HourTally[]>;
  /** The sums over the hours, by what and variant. */
  sum(query: TallyQuery): Promise<TallySum[]>;
  /** Adds counts to the stored ones; with a key, once for that key. */
  add(tallies: readonly Tally[], key?: TallyKey): Promise<void>;
  /** Removes at most `limit` tallies from before an hour. Returns whether any may be left. */
  clear(kind: TallyKind, before: number, limit: number): Promise<boolean>;
};
