import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../../base/kinds/kinds-schema.ts";
import { slugOf, timestamp } from "../../base/slug-schema.ts";
import { MEMBER_SOURCES } from "./member.ts";
import { INVITATION, MEMBER } from "./member-card.ts";

const shown = shownSchemas(MEMBER);

const source = z.enum(MEMBER_SOURCES);

export const memberSchema = z.object({ user: z.string(), ...shown, source });

export const membershipSchema = z.object({ project: z.string(), ...shown, source });

const own = {
  environments: z
    .array(slugOf("environment"))
    .check(
      z.minLength(1, "name at least one environment, or null for all"),
      z.maxLength(MEMBER.environments.kind.most, "at most 1000 environments can be named"),
    ),
};

export const givenRoleSchema = z.strictObject(givenSchemas(MEMBER, own));

export const newInvitationSchema = z.strictObject(givenSchemas(INVITATION, own));

export const invitationSchema = z.object({
  id: z.string(),
  ...shown,
  /** The user or token that made it; null for the operator of the machine. */
  by: z.nullable(z.string()),
  createdAt: timestamp,
  expiresAt: timestamp,
});

/** An invitation with its address, which is shown this once. */
export const createdInvitationSchema = z.extend(invitationSchema, { url: z.string() });
