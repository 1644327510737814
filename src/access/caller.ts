import type { ActorType } from "./audit/entry.ts";
import type { PasskeyAnswer } from "./factors/webauthn.ts";
import type { Membership } from "./members/member.ts";
import type { Review, ReviewNote } from "./review/review.ts";
import type { Rights } from "./rights.ts";
import type { Session } from "./session.ts";
import type { Source } from "./source.ts";

/** Author of a change: their name, its time in milliseconds since 1970, and the reason they gave. */
export type Author = {
  who: string;
  at: number;
  why?: string | undefined;
  /** Default: formflag itself. */
  type?: ActorType | undefined;
  /** The network address that the change came from; none for a command and for formflag itself. */
  address?: string | undefined;
  /** The way by which the change came. Default for formflag itself: `schedule`. */
  source?: Source | undefined;
  /** The name of the assistant's client that acted for the author. */
  via?: string | undefined;
  /** How the change was reviewed; null if it was not. */
  review?: ReviewNote | null | undefined;
};

/** Caller of an operation: name, rights and confirmations. */
export type Caller = Rights & {
  /** Memberships of a user; undefined for other callers. */
  memberships?: readonly Membership[] | undefined;
  /** When a token ends; null or undefined for a caller that does not, and for a session. */
  expiresAt?: string | null | undefined;
  /** Whether the caller has confirmed, by its slug, the change of a locked environment or of a form that deletes submissions. */
  hasConfirmed: (slug: string) => boolean;
  /** Why the caller makes the changes, for the history. */
  why?: string | undefined;
  /** The session of a user who is signed in; undefined for a token and for the operator. */
  session?: Pick<Session, "id" | "method" | "expiresAt"> | undefined;
  /** The way by which the caller's changes come. */
  source?: Source | undefined;
  /** The answer of a passkey of the user that came with the call, for one act. */
  passkey?: PasskeyAnswer | undefined;
  /** The network address of the request. */
  address?: string | undefined;
  /** The review of the changes; without one, environments that need approvals refuse them. */
  review?: Review | undefined;
  /**
   * Throws `unauthenticated` if the token was revoked or has expired, or the session has ended; `forbidden` if the
   * role of the user was changed.
   */
  verify: () => Promise<void>;
};

/** The part of a caller that an author is made of. */
export type Acting = Pick<Caller, "name" | "why" | "source" | "via" | "address" | "review"> & {
  type: ActorType;
};

/** The caller as the author of changes at a time, in milliseconds since 1970. */
export function authorOf({ name, why, type, source, via, address, review }: Acting, at: number): Author {
  const made = source ?? (type === "system" ? "schedule" : undefined);
  return { who: name, at, why, type, source: made, via, address, review: review?.note() };
}

/** The person who runs commands on the machine that holds the data: everything is allowed. */
export function operatorCaller(
  name: () => string,
  hasConfirmed: Caller["hasConfirmed"],
  why?: string,
): Caller {
  return {
    get name() {
      return name();
    },
    type: "operator",
    source: "cli",
    grants: [{ scopes: ["admin"] }],
    hasConfirmed,
    why,
    verify: async () => {},
  };
}

/** A caller without rights, of operations that need none. */
export const NOBODY: Caller = {
  name: "",
  type: "user",
  grants: [],
  hasConfirmed: () => false,
  verify: async () => {},
};

/** Whether a list with commas, such as the header `X-Confirm`, holds a slug, or `*` for every slug. */
export function confirmationIn(list: string | undefined): Caller["hasConfirmed"] {
  const named = new Set((list ?? "").split(",").map((each) => each.trim()));
  return (slug) => named.has(slug) || named.has("*");
}

/** Whether a caller is that user in person: not a token, not an assistant, and not the operator of the machine. */
export function isSelf({ type, name, via }: Caller, user: string): boolean {
  return type === "user" && via === undefined && name === user;
}
