import type { Card } from "../../base/kinds/kinds.ts";
import { ROLES, USER_ROLES, roleKind } from "../role.ts";

/** The role of a user in every project. */
export const USER = {
  name: {
    kind: { is: "named", what: "a user" },
    required: true,
    option: ["[name]", "name of the new user"],
    label: "Name",
  },
  role: {
    kind: roleKind(USER_ROLES),
    required: true,
    option: ["role <role>", "what the user may do"],
    label: "Role",
    suggested: "viewer",
  },
} as const satisfies Card;

/** The role of a user in a project. */
export const MEMBER = {
  role: {
    kind: roleKind(ROLES),
    required: true,
    option: ["role <role>", "role in the project"],
    label: "Role",
    suggested: "viewer",
  },
  /** The environments whose flags alone the role may change; null for all. */
  environments: {
    kind: { is: "names", of: "environments", most: 1000, longest: 150 },
    default: null,
    option: ["environment <environment...>", "limit changes of flags to these environments"],
  },
} as const satisfies Card;

/** An invitation to a project. */
export const INVITATION = {
  ...MEMBER,
  expiresAt: {
    kind: { is: "expiry" },
    option: ["expires <time>", "when it expires: 30d, or ISO 8601 (default: 7d, at most 90d)"],
  },
} as const satisfies Card;
