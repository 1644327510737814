import * as z from "zod/mini";
import { ROLES, USER_ROLES } from "../../../access/role.ts";
import { SCOPES } from "../../../access/scope.ts";
import { userSettingsSchema } from "../../../access/user-schema.ts";
import { timestamp } from "../../../base/slug-schema.ts";

export const get = {
  output: z.object({
    name: z.string(),
    type: z.enum(["user", "token", "operator"]),
    /** Of a user: the role in every project. */
    role: z.optional(z.enum(USER_ROLES)),
    /** Of any other caller. */
    scopes: z.optional(z.array(z.enum(SCOPES))),
    /** The projects in which the caller has rights; null for all. */
    projects: z.nullable(
      z.array(
        z.object({
          slug: z.string(),
          /** Null for a token, which has scopes. */
          role: z.nullable(z.enum(ROLES)),
          /** The environments whose flags alone the caller may change; null for all. */
          environments: z.nullable(z.array(z.string())),
        }),
      ),
    ),
    expiresAt: z.nullable(timestamp),
  }),
};

export const set = { body: z.strictObject(z.partial(userSettingsSchema).shape), output: userSettingsSchema };

export const saveView = {
  body: z.strictObject({
    /** The path of the list behind that of the dashboard, such as `/inbox/contact?unread=1`. */
    to: z.string(),
  }),
};
