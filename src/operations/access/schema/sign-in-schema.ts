import {
  deviceLoginSchema,
  devicePollSchema,
  deviceTokenSchema,
  newDeviceLoginSchema,
} from "../../../access/device/device-schema.ts";
import * as z from "zod/mini";
import { grantSchema } from "../../../access/oauth/grant-schema.ts";
import { sessionSchema } from "../../../access/user-schema.ts";

export const login = {
  begin: { body: newDeviceLoginSchema, output: deviceLoginSchema },
  poll: { body: devicePollSchema, output: deviceTokenSchema },
};

export const sessions = {
  list: {
    query: z.strictObject({ user: z.optional(z.string()) }),
    output: z.object({ sessions: z.array(sessionSchema) }),
  },
};

export const grants = {
  list: {
    query: z.strictObject({ user: z.optional(z.string()) }),
    output: z.object({ grants: z.array(grantSchema) }),
  },
};
