/** A read of a flag, or of all flags of the environment where `slug` is null. */
export type FlagRead = { environmentKey: string; slug: string | null; at: number };
