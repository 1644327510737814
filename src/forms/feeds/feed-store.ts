import type { FoundFeed } from "./feed.ts";

/** `after` is the feed before the page; `projects` are null for every project, `form` is the key of one form. */
export type FeedPageQuery = {
  limit: number;
  after: { createdAt: number; id: string } | null;
  projects: readonly string[] | null;
  form: string | null;
};

export type FeedStore = {
  /** A page of feeds, the oldest first, and whether others follow. */
  page(query: FeedPageQuery): Promise<{ items: FoundFeed[]; more: boolean }>;
  find(id: string): Promise<FoundFeed | undefined>;
  /** The feed whose address has a token with that hash. */
  findByHash(hash: string): Promise<FoundFeed | undefined>;
  /** How many the form of that key has. */
  count(formKey: string): Promise<number>;
  /** Notes when a feed was read. */
  noteRead(id: string, at: number): Promise<void>;
};
