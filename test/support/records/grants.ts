import type { IssuedTokens, NewOAuthGrant, PresentedCode } from "../../../src/access/oauth/grant-store.ts";
import type { OAuthGrant } from "../../../src/access/oauth/grant.ts";
import { dashedKey } from "../../../src/base/ids.ts";
import { NOW, newSession, random } from "./records.ts";

const hash = () => newSession("").hash;

/** A grant of a user that waits for its code. */
export const grantOf = (user: string, more: Partial<OAuthGrant> = {}): NewOAuthGrant => ({
  grant: {
    id: dashedKey(random),
    user,
    client: "https://app.example/client.json",
    clientName: "Claude ✓",
    redirect: "https://app.example/back",
    resource: "https://flags.example.com/mcp",
    scopes: ["read", "flags:write"],
    project: null,
    environment: null,
    createdAt: NOW,
    usedAt: NOW,
    expiresAt: NOW + 60,
    ...more,
  },
  hash: hash(),
  challenge: "a challenge",
  session: "no session",
});

/** The code of a grant as its client presents it, but for some parts. */
export const codeOf = (
  { hash, challenge, grant }: NewOAuthGrant,
  more: Partial<PresentedCode> = {},
): PresentedCode => ({
  hash,
  challenge,
  client: grant.client,
  redirect: grant.redirect,
  resource: grant.resource,
  ...more,
});

/** New tokens of a grant. */
export const issue = (more: Partial<IssuedTokens> = {}): IssuedTokens => ({
  access: hash(),
  accessExpiresAt: NOW + 3600,
  family: hash(),
  refresh: hash(),
  expiresAt: NOW + 9000,
  ...more,
});
