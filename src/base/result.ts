/** The outcome of an operation that creates or updates. */
export type SetResult = "created" | "updated" | "unchanged";
