/** What a form records about its senders: nothing, with shortened addresses, or everything. */
export const METADATA = ["none", "truncated", "full"] as const;
