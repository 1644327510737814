import * as z from "zod/mini";
import { FACTOR_LIMITS } from "../limits.ts";

const base64url = (bytes: number) =>
  z.string().check(z.regex(/^[\w-]*$/), z.maxLength(Math.ceil(bytes / 3) * 4));

const id = base64url(FACTOR_LIMITS.credentialId);

const shared = { id, rawId: id, type: z.literal("public-key") };

/** A new credential as `PublicKeyCredential.toJSON` makes it, without what is not used. */
export const newCredentialSchema = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url(4096),
    attestationObject: base64url(16_384),
  }),
});

/** A use of a credential as `PublicKeyCredential.toJSON` makes it, without what is not used. */
export const usedCredentialSchema = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url(4096),
    authenticatorData: base64url(4096),
    signature: base64url(8192),
    // Left out by a device that was told which passkey to use.
    userHandle: z.optional(base64url(64)),
  }),
});
