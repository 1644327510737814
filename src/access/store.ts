import type { ClockAndRandom } from "../base/clock.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { AuditStore } from "./audit/audit-store.ts";
import type { Author } from "./caller.ts";
import type { AccessChange } from "./change.ts";
import type { GrantStore } from "./oauth/grant-store.ts";
import type { IdentityStore } from "./oidc/identity-store.ts";
import type { Role, UserRole } from "./role.ts";
import type { DeviceLoginStore } from "./device/device-login-store.ts";
import type { ChangeStore } from "./door.ts";
import type { Invitation } from "./members/invitation.ts";
import type { Member, Membership } from "./members/member.ts";
import type { EnvironmentKeys } from "./place.ts";
import type { Passkey, SpentChallenge, Totp } from "./factors/factor.ts";
import type { NewSession, Session, SignInMethod } from "./session.ts";
import type { Token } from "./token.ts";
import type { Patience } from "./throttle.ts";
import type { User, UserCounts, UserFilter } from "./user.ts";

/** A token as the store finds it; `keys` are those of the environment that it is limited to. */
export type FoundToken = Token & { keys?: EnvironmentKeys };

/** A token of readers of flags, as a server that follows this one checks it. */
export type ReaderToken = FoundToken & { hash: string };

type TokenStore = {
  /** By name; of a name, the token of no project comes first. */
  list(): Promise<Token[]>;
  /** As `list`, of some projects or with null of all and none; `after` is what {@link tokenCursor} returns. */
  page(query: PageQuery, projects: readonly string[] | null): Promise<Page<Token>>;
  /** By the hash of the secret. */
  find(hash: string): Promise<FoundToken | undefined>;
  /** Tokens that can do nothing but read flags, with the hash of their secret, in the order of `list`. */
  readers(): Promise<ReaderToken[]>;
  /** All of a name: one of each project, and one that is limited to none. */
  named(name: string): Promise<Token[]>;
  /** The account of the token that is limited to a project, or with null to none; null for an unknown token. */
  account(name: string, project: string | null): Promise<string | null>;
};

type MemberStore = {
  /** By user and source; `after` is the name of a user, a slash and a source. Throws `not_found` for the project. */
  page(project: string, query: PageQuery): Promise<Page<Member>>;
  /** The roles of a user in a project. Throws `not_found` for the project. */
  find(project: string, user: string): Promise<Member[]>;
  /** By project and source; none for a user that does not exist. */
  ofUser(user: string): Promise<Membership[]>;
};

type InvitationStore = {
  /** By id. Throws `not_found` for the project. */
  page(project: string, query: PageQuery): Promise<Page<Invitation>>;
  /** By the hash of the secret. */
  find(hash: string): Promise<Invitation | undefined>;
  findById(project: string, id: string): Promise<Invitation | undefined>;
  /** Removes at most `limit` that expired until `now`. Returns whether any may be left. */
  clearExpired(now: number, limit: number): Promise<boolean>;
};

/** The roles that make up that of a user: the stronger one counts. */
export type UserRoles = { byHand: UserRole; byGroups: Role | null };

type UserStore = {
  page(query: PageQuery & UserFilter): Promise<Page<User>>;
  counts(): Promise<UserCounts>;
  find(name: string): Promise<User | undefined>;
  /** A text that no later user of the same name has; null for an unknown user. */
  account(name: string): Promise<string | null>;
  /** The hash of the password of a user; null without a password, and for a user that does not exist. */
  password(name: string): Promise<string | null>;
  /** The roles of a user in every project by their source; `none` for a user that does not exist. */
  roles(name: string): Promise<UserRoles>;
  /** The names of admins, at most `limit`, in their order. */
  admins(limit: number): Promise<string[]>;
};

/** A link of a user under the SHA-256 of its secret. */
export type SignInLink = { user: string; hash: string; expiresAt: number };

/** The user of a sign-in, and whether it waits for a code instead of being a session. */
type Entrance = { user: User; isBegun: boolean };

type SessionStore = {
  /**
   * Stores a session, and returns its user: undefined, with nothing stored, where the user does not exist, or where
   * `password` is not null and no longer the hash of the password.
   */
  insert(session: NewSession, password: string | null): Promise<User | undefined>;
  /** As `insert` with a password, but for a user with an authenticator app stores the begun sign-in instead. */
  begin(session: NewSession, password: string, begun: BegunSignIn): Promise<Entrance | undefined>;
  /** By the hash of the secret. */
  find(hash: string): Promise<{ user: User; memberships: Membership[]; session: Session } | undefined>;
  findById(id: string): Promise<Session | undefined>;
  /** By id, of every user or of one. */
  page(user: string | null, query: PageQuery): Promise<Page<Session>>;
  /** Records that a session was used. One that does not exist is ignored. */
  markSeen(hash: string, at: number): Promise<void>;
  /** Returns whether it existed. */
  delete(id: string, by: Author): Promise<boolean>;
  /** By the hash of the secret, for its user; one that does not exist is ignored. */
  deleteByHash(hash: string, by: Pick<Author, "at" | "address">): Promise<void>;
  /** Stores a link, and returns whether its user exists. */
  insertLink(link: SignInLink, by: Author): Promise<boolean>;
  /**
   * Removes the link with the hash and stores the session for its user, or as `begin` the begun sign-in, all or nothing.
   * Returns undefined for an unknown link, or one that expired at `now`.
   */
  spendLink(
    hash: string,
    now: number,
    session: NewSession,
    begun: BegunSignIn,
  ): Promise<Entrance | undefined>;
  /**
   * Removes at most `limit` sessions that were seen or created until these times or expired until `now`, and as many links,
   * logins, grants, begun sign-ins and spent challenges that expired until then. The log has an entry for each session and
   * each grant with tokens. Returns whether any may be left.
   */
  clearEnded(
    until: { seenBefore: number; createdBefore: number; now: number },
    limit: number,
  ): Promise<boolean>;
};

/** A sign-in that waits for a code, under the SHA-256 of the secret in its cookie. Times are milliseconds since 1970. */
export type BegunSignIn = { hash: string; expiresAt: number };

/** A code as it is spent: the step of one of the app, or the hash of a recovery code; null for a wrong one. */
export type SpentCode = { key: Uint8Array; step: number } | { recovery: string } | null;

/** A use of a passkey, by its id: its new counter, and the challenge that it answers. */
export type UsedPasskey = { id: string; counter: number; challenge: SpentChallenge };

type FactorStore = {
  totp(user: string): Promise<Totp | undefined>;
  /** The user of a sign-in that waits for a code, and how it began; undefined if it ended until `now`. */
  begun(hash: string, now: number): Promise<{ user: User; method: SignInMethod } | undefined>;
  /**
   * Spends a code and ends the begun sign-in with the hash, all or nothing: stores the session, and returns its user. A code
   * that does not count, because the step was spent, the key was replaced or the recovery code is unknown, is a wrong one:
   * returns `wrong`, or `ended` where it was the last of `most`, or the sign-in had ended when the session begins. Wrong codes
   * of the user in a row count together: beyond `failures` no code is checked for `wait` milliseconds.
   */
  spendCode(
    hash: string,
    code: SpentCode,
    session: NewSession,
    limits: Patience & { most: number },
  ): Promise<User | { wait: number } | "wrong" | "ended">;
  /**
   * Spends a code of a user at `now`, if it counts. Wrong ones count together with those of sign-ins: beyond `failures` no code
   * is checked for `wait` milliseconds.
   */
  tryCode(
    user: string,
    code: SpentCode,
    now: number,
    patience: Patience,
  ): Promise<{ wait: number } | "spent" | "wrong">;
  /** Whether any user has a passkey. */
  hasPasskeys(): Promise<boolean>;
  /** The oldest first. */
  passkeys(user: string): Promise<Passkey[]>;
  /** By the id that its device gave it. */
  passkey(credential: Uint8Array): Promise<{ user: User; passkey: Passkey } | undefined>;
  /**
   * Spends a challenge, records the use of the passkey with that id and its new counter, and stores the session, all or
   * nothing. Returns undefined where the challenge was spent, the passkey is gone, or its counter has not grown.
   */
  usePasskey(used: UsedPasskey, session: NewSession): Promise<User | undefined>;
  /** The same of a user at a time, without a session. Returns whether it counts. */
  presentPasskey(used: UsedPasskey, user: string, at: number): Promise<boolean>;
};

export type SecretStore = {
  /** Returns the secret of that name, which is `candidate` if there was none: 43 characters of base64url. */
  keep(name: string, candidate: string): Promise<string>;
};

export type AccessStore = AuditStore & {
  tokens: TokenStore;
  users: UserStore;
  members: MemberStore;
  invitations: InvitationStore;
  sessions: SessionStore;
  deviceLogins: DeviceLoginStore;
  grants: GrantStore;
  factors: FactorStore;
  identities: IdentityStore;
  secrets: SecretStore;
};

/** The part of the app that checks second factors. */
export type FactorsApp = ClockAndRandom & { store: Pick<AccessStore, "factors" | "secrets" | "audit"> };

/** The part of the app that operations on tokens, users and sessions use. */
export type AccessApp = ClockAndRandom & { store: ChangeStore<AccessChange> & AccessStore };
