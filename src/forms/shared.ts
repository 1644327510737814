/** Short-lived state, for minutes, that all processes of a database share. Hashes are hexadecimal SHA-256. */
export type Shared = {
  /**
   * Counts an event in the window of its hash, which the first event opens for `windowMs`, and returns the events in the
   * window and when it ends. A lost database may forget the counts.
   */
  count(hash: string, now: number, windowMs: number): Promise<{ count: number; endsAt: number }>;
  /** Keeps a text under a hash until it is taken or expires. */
  keep(hash: string, text: string, expiresAt: number): Promise<void>;
  /** Returns the text under a hash and removes it; undefined without one, or once it has expired. */
  take(hash: string, now: number): Promise<string | undefined>;
};
