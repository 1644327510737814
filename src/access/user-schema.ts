import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../base/kinds/kinds-schema.ts";
import { slugOf, timestamp } from "../base/slug-schema.ts";
import { SECOND_FACTORS } from "./factors/second-factor.ts";
import { SIGN_IN_METHODS } from "./session.ts";
import { USER } from "./members/member-card.ts";
import { membershipSchema } from "./members/member-schema.ts";

const userName = slugOf("user");

const shown = shownSchemas(USER);

/** How the dashboard behaves for a user. */
export const userSettingsSchema = z.object({
  /** A name of the IANA database; null for the time zone of the browser. */
  timeZone: z.nullable(z.string()),
  /** Whether single keys are shortcuts. */
  shortcuts: z.boolean(),
  /** The address that gets mail about changes that the user may approve; null for none. */
  reviewMail: z.optional(z.nullable(z.string())),
});

export const userSchema = z.object({
  ...shown,
  hasPassword: z.boolean(),
  /** Beside a password, or in place of it. */
  secondFactors: z.array(z.enum(SECOND_FACTORS)),
  settings: userSettingsSchema,
  createdAt: timestamp,
});

/** A user with what it is a member of. */
export const userDetailSchema = z.extend(userSchema, {
  memberships: z.array(membershipSchema),
  /** The account of an identity provider by which the user signs in. */
  identity: z.nullable(z.object({ issuer: z.string(), subject: z.string() })),
});

const given = givenSchemas(USER, { name: userName });

export const newUserSchema = z.strictObject(given);

export const userPatchSchema = z.strictObject({ role: given.role });

/** Whom a link signs in; without a name the only admin, or the first user. */
export const newLinkSchema = z.strictObject({ name: z.optional(userName) });

/** A link that signs a user in once. */
export const linkSchema = z.object({
  name: userName,
  /** A path where the address of the dashboard is not known. */
  url: z.string(),
  expiresAt: timestamp,
  /** Whether the user was created for the link: the first one, an admin. */
  isFirst: z.optional(z.boolean()),
});

/** A browser or a command line in which a user is signed in. */
export const sessionSchema = z.object({
  id: z.string(),
  user: z.string(),
  method: z.enum(SIGN_IN_METHODS),
  agent: z.string(),
  address: z.string(),
  createdAt: timestamp,
  /** To about ten minutes. */
  seenAt: timestamp,
  /** When it ends although it is used; null for the usual time. */
  expiresAt: z.nullable(timestamp),
});
