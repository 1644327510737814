/** What a `set` did. */
export type SetResult = "created" | "updated" | "unchanged";
