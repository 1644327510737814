import type { Page, PageQuery } from "../../base/pages.ts";
import type { Author } from "../caller.ts";
import type { Membership } from "../members/member.ts";
import type { User } from "../user.ts";
import type { OAuthGrant } from "./grant.ts";

/**
 * A grant to store under the SHA-256 of its code, with the challenge of its client, and the id of the session in which a
 * person allowed it.
 */
export type NewOAuthGrant = { grant: OAuthGrant; hash: string; challenge: string; session: string };

/** New tokens of a grant, by the SHA-256 of their secrets, and when the access token and the grant end. */
export type IssuedTokens = {
  access: string;
  accessExpiresAt: number;
  family: string;
  refresh: string;
  expiresAt: number;
};

/** A code as a client presents it: its hash, and what must be as it was. With null, a part was not sent. */
export type PresentedCode = {
  hash: string;
  challenge: string;
  client: string;
  redirect: string | null;
  resource: string | null;
};

/** A refresh token as a client presents it, by the hashes of its two parts. */
export type PresentedRefresh = { family: string; refresh: string; client: string; resource: string | null };

/** Why a grant ended that no person ended. */
export type GrantEnd = "code-reused" | "refresh-reused" | "client" | "provider" | "expired";

export type FoundGrant = {
  grant: OAuthGrant;
  user: User;
  memberships: Membership[];
  accessExpiresAt: number;
  /** Whether the access token has replaced another one and was never marked as used. */
  isUnused: boolean;
};

export type GrantStore = {
  /**
   * Stores a grant that waits for its code, and returns whether its user exists. Of the user, the `most` that were used last
   * are kept.
   */
  insert(grant: NewOAuthGrant, most: number): Promise<boolean>;
  /**
   * Exchanges a code for tokens, once: any other presentation of it ends the grant, as does a code that is presented with
   * another part. Returns undefined unless it counts.
   */
  start(
    code: PresentedCode,
    issued: IssuedTokens,
    by: Pick<Author, "at" | "address">,
  ): Promise<OAuthGrant | undefined>;
  /**
   * Replaces the tokens of a grant whose refresh token is presented by its client. The one that was replaced last counts
   * too, as long as the access token that came for it is valid and no token that came for it was used: its answer may have
   * been lost (RFC 9700, 4.14.2). Any other one ends the grant. Returns undefined unless it counts.
   */
  refresh(
    token: PresentedRefresh,
    issued: IssuedTokens,
    by: Pick<Author, "at" | "address">,
  ): Promise<OAuthGrant | undefined>;
  /** By the hash of the access token. */
  find(access: string): Promise<FoundGrant | undefined>;
  findById(id: string): Promise<OAuthGrant | undefined>;
  /** Grants with tokens, of every user or of one, by id. */
  page(user: string | null, query: PageQuery): Promise<Page<OAuthGrant>>;
  /** Records that a grant was used, by the hash of its access token. One that does not exist is ignored. */
  markUsed(access: string, at: number): Promise<void>;
  /** Returns whether it existed. */
  delete(id: string, by: Author): Promise<boolean>;
  /** Ends the grant of a client whose access token, or the shared part of whose refresh tokens, has the hash. */
  deleteBySecret(hash: string, client: string, by: Pick<Author, "at" | "address">): Promise<void>;
};
