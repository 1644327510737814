import type { Role, UserRole } from "../role.ts";

/** The role that a group of a provider gives in a project, or with null in every project. */
export type GroupRole = { group: string; project: string | null; role: Role };

/** How people of an OpenID provider sign in. */
export type OidcRules = {
  /** The name of the provider on the button. */
  name: string;
  /** The claim that names new users. */
  userClaim: string;
  groupsClaim: string;
  /** Claims that a person must have to sign in. */
  required: readonly { claim: string; value: string }[];
  map: readonly GroupRole[];
  /** The role of users that are created; null creates none. */
  createAs: UserRole | null;
  /** Whether a name of the provider is that of the user without an identity. */
  trustsNames: boolean;
  /** Seconds for which a session lasts. */
  sessionSeconds: number;
};
