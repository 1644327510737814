/** A read of a flag, or of all flags of the environment if `slug` is null. */
export type FlagRead = { environmentKey: string; slug: string | null; at: number };
