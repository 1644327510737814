import type { Page, PageQuery } from "../base/pages.ts";
import type { EnvironmentKeys, TokenPlace } from "./place.ts";
import type { Scope } from "./scope.ts";
import type { Token } from "./token.ts";

export type TokenStore = {
  insert(token: StoredToken): Promise<Token>;
  /** By name. */
  list(): Promise<Token[]>;
  page(query: PageQuery): Promise<Page<Token>>;
  /** By the hash of its secret; with the keys of the environment that it is limited to. */
  find(hash: string): Promise<(Token & { keys?: EnvironmentKeys }) | undefined>;
  delete(name: string): Promise<void>;
};

export type StoredToken = {
  name: string;
  hash: string;
  scopes: Scope[];
  /** What it is limited to. */
  place: TokenPlace | null;
  createdAt: number;
  expiresAt: number | null;
};
