import * as z from "zod/mini";
import { momentOf, slugOf, timestamp } from "../../base/slug-schema.ts";
import { ROLES } from "../role.ts";
import { MEMBER_SOURCES } from "./member.ts";

const role = z.enum(ROLES, `a role in a project is one of ${ROLES.join(", ")}`);

/** The environments whose flags alone the role may change; null for all. */
const environments = z.nullable(z.array(z.string()));

const source = z.enum(MEMBER_SOURCES);

export const memberSchema = z.object({ user: z.string(), role, environments, source });

export const membershipSchema = z.object({ project: z.string(), role, environments, source });

const given = {
  role,
  environments: z.optional(
    z.nullable(
      z
        .array(slugOf("environment"))
        .check(
          z.minLength(1, "name at least one environment, or null for all"),
          z.maxLength(1000, "at most 1000 environments can be named"),
        ),
    ),
  ),
};

export const givenRoleSchema = z.strictObject(given);

export const newInvitationSchema = z.strictObject({
  ...given,
  expiresAt: z.optional(momentOf("expiresAt")),
});

export const invitationSchema = z.object({
  id: z.string(),
  role,
  environments,
  /** The user or token that made it; null for the operator of the machine. */
  by: z.nullable(z.string()),
  createdAt: timestamp,
  expiresAt: timestamp,
});

/** An invitation with its address, which is shown this once. */
export const createdInvitationSchema = z.extend(invitationSchema, { url: z.string() });
