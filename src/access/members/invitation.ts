import { AppError } from "../../base/errors.ts";
import { isoTime } from "../../base/clock.ts";
import type { MemberRole } from "./member.ts";

/** The maker of an invitation: a user, a token by its name and its project, or the operator of the machine. */
export type Maker =
  | { type: "user"; name: string }
  | { type: "token"; name: string; project: string | null }
  | { type: "operator" };

/** A link that makes one user a member of a project. Times are milliseconds since 1970. */
export type Invitation = MemberRole & {
  /** Public identifier in lists: a dashed key, which is not the secret. */
  id: string;
  project: string;
  maker: Maker;
  createdAt: number;
  expiresAt: number;
};

/** How many days an invitation lasts if nothing else is said, and at most. */
export const INVITATION_DAYS = { default: 7, most: 90 } as const;

/** An invitation as the admin API lists it. */
export function viewInvitation({ id, role, environments, maker, createdAt, expiresAt }: Invitation) {
  return {
    id,
    role,
    environments,
    by: maker.type === "operator" ? null : maker.name,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  };
}

export function noSuchInvitation(id: string): AppError {
  return new AppError("not_found", `invitation "${id}" does not exist`, { reason: "invitation-not-found" });
}
