import type { Clockwork } from "../base/clock.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { TokenChange } from "./change.ts";
import type { ChangeStore } from "./door.ts";
import type { EnvironmentKeys } from "./place.ts";
import type { Token } from "./token.ts";

export type TokenStore = {
  /** By name. */
  list(): Promise<Token[]>;
  page(query: PageQuery): Promise<Page<Token>>;
  /** By the hash of the secret. `keys` are those of the environment that the token is limited to. */
  find(hash: string): Promise<(Token & { keys?: EnvironmentKeys }) | undefined>;
};

/** The part of the app that operations on tokens use. */
export type AccessApp = Clockwork & { store: ChangeStore<TokenChange> & { tokens: TokenStore } };
