import { type PortableTable, setup } from "./column.ts";

/** Tables of users and of how they sign in, parents first. */
export const USER_TABLES = {
  users: setup("id", {
    id: "integer",
    name: "text slug",
    role: "text userRole",
    password: "text? password",
    settings: "text userSettings",
    created_at: "integer time",
    oidc_role: "text? role",
    born: "integer? count",
  }),
  identities: setup("user_id", {
    user_id: "integer",
    issuer: "text",
    subject: "text",
    created_at: "integer time",
  }),
  totp_keys: setup("user_id", {
    user_id: "integer",
    secret: "bytes totpKey",
    step: "integer count",
    created_at: "integer time",
  }),
  recovery_codes: setup("hash", {
    hash: "bytes hash",
    user_id: "integer",
  }),
  passkeys: setup("id", {
    id: "text dashedKey",
    user_id: "integer",
    credential: "bytes credential",
    public_key: "bytes publicKey",
    counter: "integer count",
    name: "text passkeyName",
    created_at: "integer time",
    used_at: "integer? time",
  }),
} satisfies Record<string, PortableTable>;
