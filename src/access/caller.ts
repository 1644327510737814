/** Who makes a change, and when in milliseconds since 1970. */
export type Author = { who: string; at: number };
