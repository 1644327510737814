import * as z from "zod/mini";
import { parseDuration } from "../../base/units.ts";
import { LOGIN_LIMITS } from "../limits.ts";

const text = (what: string, most: number) =>
  z.string().check(
    z.minLength(1, `${what} is empty`),
    z.maxLength(most, `${what} has at most ${most} characters`),
    z.refine(
      (given) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(given) && given.isWellFormed(),
      `${what} is one line of text`,
    ),
  );

export const newDeviceLoginSchema = z.strictObject({
  /** The name that the client gives itself, for the person who approves it. */
  client: text("client", LOGIN_LIMITS.client),
  /** Seconds for which the login lasts, or a text such as `12h`. */
  expiresIn: z.optional(
    z.union([
      z
        .int()
        .check(z.gte(1), z.lte(LOGIN_LIMITS.mostSeconds, "a login lasts for 30 days at most, in seconds")),
      z.string().check(z.refine((text) => Boolean(parseDuration(text)), "a time is written as 12h or 30d")),
    ]),
  ),
});

/** As RFC 8628, 3.2. */
export const deviceLoginSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  /** A path where the address of the dashboard is not known. */
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.int(),
  interval: z.int(),
});

export const devicePollSchema = z.strictObject({ device_code: z.string().check(z.maxLength(200)) });

/** As RFC 8628, 3.5, with the name of the user. */
export const deviceTokenSchema = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
  user: z.string(),
});
