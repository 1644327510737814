import * as openid from "openid-client";
import { jwtVerify } from "jose/jwt/verify";
import type { Identified, LogoutToken, OidcProvider, SignInSecrets } from "../access/oidc/provider.ts";
import { oidcRefusal, unavailable, wrong } from "./oidc-refusal.ts";
import { TIMEOUT, providerFetch } from "./oidc-fetch.ts";
import { createLocalJWKSet } from "jose/jwks/local";
import { isObject } from "../base/json.ts";

/** How long the metadata and keys of a provider are used again, in milliseconds. */
const METADATA_MS = 300_000;

/** Least time between two reads of the keys, in milliseconds: anyone can send a token that names another key. */
const KEYS_MS = 10_000;

type Keys = { get: () => Promise<ReadableKeys>; renew: () => Promise<ReadableKeys | null> };
type ReadableKeys = ReturnType<typeof createLocalJWKSet>;

/** The keys of a provider; `renew` reads them again, unless that was done a moment ago. */
function createKeys(now: () => number, uri: () => Promise<string>): Keys {
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<ReadableKeys> => {
    readAt = now();
    const answer = await providerFetch(await uri(), { signal: AbortSignal.timeout(TIMEOUT * 1000) });
    const body: unknown = answer.ok ? await answer.json() : null;
    if (!isObject(body) || !Array.isArray(body["keys"]))
      throw unavailable("the identity provider sent no keys");
    return createLocalJWKSet(body as unknown as Parameters<typeof createLocalJWKSet>[0]);
  };
  const known = remembered(now, METADATA_MS, read);
  return {
    get: known,
    async renew() {
      if (now() - readAt < KEYS_MS) return null;
      known.forget();
      return known();
    },
  };
}

/** Calls `read` at most once in a time, and shares what is under way; a failure is not remembered. */
function remembered<T>(
  now: () => number,
  ms: number,
  read: () => Promise<T>,
): (() => Promise<T>) & { forget: () => void } {
  let known: { at: number; value: Promise<T> } | null = null;
  const get = (): Promise<T> => {
    if (known !== null && now() - known.at < ms) return known.value;
    const entry = { at: now(), value: read() };
    known = entry;
    entry.value.catch(() => {
      if (known === entry) known = null;
    });
    return entry.value;
  };
  return Object.assign(get, { forget: () => void (known = null) });
}

/** The client that a server is at its provider. */
export type OidcClient = {
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** Scopes with spaces between them. */
  scopes: string;
  /** The address to which the provider answers. */
  redirectUri: string;
};

/** Seconds by which the clock of the provider may differ. */
const SKEW = 30;

/** Characters of a subject (OpenID Connect Core, 2). */
const MAX_SUBJECT = 255;

/** Algorithms of signatures: none with a shared secret. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

type Metadata = openid.ServerMetadata;

/** Requests to an OpenID provider; none is sent before the first call. `now` is in milliseconds since 1970. */
export function createOidcProvider(client: OidcClient, now: () => number): OidcProvider {
  const metadata = remembered(now, METADATA_MS, () => discover(client));
  const keys = createKeys(now, async () => (await metadata()).jwks_uri!);
  /** For one sign-in, so that its keys are read again: one may have been changed a moment ago. */
  const configure = async (method: "basic" | "post"): Promise<openid.Configuration> =>
    configured(await metadata(), client, method);

  return {
    async authorizationUrl({ state, nonce, verifier }) {
      const config = await configure("basic");
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: client.redirectUri,
        scope: client.scopes,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return webAddress(url.href);
    },
    async identify(query, secrets) {
      try {
        const isBasic = takesBasic(await metadata());
        try {
          return await identified(await configure(isBasic ? "basic" : "post"), client, query, secrets);
        } catch (error) {
          // Some providers do not decode the name and the secret in the header, as RFC 6749, 2.3.1 has it.
          if (!isBasic || client.clientSecret === null || !isClientRefusal(error)) throw error;
          return await identified(await configure("post"), client, query, secrets);
        }
      } catch (error) {
        throw oidcRefusal(error);
      }
    },
    async endSessionUrl() {
      const { end_session_endpoint: endpoint } = await metadata();
      if (endpoint === undefined) return null;
      const url = new URL(webAddress(endpoint));
      url.searchParams.set("client_id", client.clientId);
      return url.href;
    },
    readLogoutToken: (token) => readLogoutToken(token, client, now, metadata, keys),
  };
}

/** The metadata of a provider. Throws `unavailable`. */
export async function discover({
  issuer,
  clientId,
}: Pick<OidcClient, "issuer" | "clientId">): Promise<Metadata> {
  try {
    const config = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
      [openid.customFetch]: providerFetch,
      timeout: TIMEOUT,
      execute: issuer.startsWith("http:") ? [openid.allowInsecureRequests] : [],
    });
    const metadata = config.serverMetadata();
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
      if (metadata[name] === undefined) throw unavailable(`the metadata of ${issuer} has no ${name}`);
    }
    return metadata;
  } catch (error) {
    const refusal = oidcRefusal(error);
    // Wrong metadata is never the fault of a person.
    throw unavailable(refusal.message, refusal.cause instanceof Error ? refusal.cause.message : undefined);
  }
}

function configured(metadata: Metadata, client: OidcClient, method: "basic" | "post"): openid.Configuration {
  const { clientId, clientSecret: secret, issuer } = client;
  const secretBy = method === "basic" ? openid.ClientSecretBasic : openid.ClientSecretPost;
  const auth = secret === null ? openid.None() : secretBy(secret);
  const config = new openid.Configuration(metadata, clientId, { [openid.clockTolerance]: SKEW }, auth);
  config[openid.customFetch] = providerFetch;
  config.timeout = TIMEOUT;
  if (issuer.startsWith("http:")) openid.allowInsecureRequests(config);
  openid.enableNonRepudiationChecks(config);
  return config;
}

/** Spends the code of an answer, and checks the tokens that it brings. */
async function identified(
  config: openid.Configuration,
  { redirectUri }: OidcClient,
  query: string,
  { state, nonce, verifier }: SignInSecrets,
): Promise<Identified> {
  const url = new URL(redirectUri);
  url.search = query;
  const tokens = await openid.authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const idToken = tokens.claims()!;
  if (idToken.sub.length > MAX_SUBJECT)
    throw wrong("the identity provider names you by more than 255 characters", "sub");
  const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
  const userInfo = hasUserInfo ? await userInfoOf(config, tokens.access_token, idToken.sub) : {};
  const { sid } = idToken;
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    sid: typeof sid === "string" && sid !== "" ? sid : null,
    // The signed claims win.
    claims: { ...userInfo, ...idToken },
  };
}

/** With errors of its own: after one the code is spent, and must not be sent again. */
async function userInfoOf(config: openid.Configuration, token: string, subject: string): Promise<object> {
  try {
    return await openid.fetchUserInfo(config, token, subject);
  } catch (error) {
    throw oidcRefusal(error);
  }
}

function takesBasic({ token_endpoint_auth_methods_supported: methods }: Metadata): boolean {
  return (
    methods === undefined ||
    methods.includes("client_secret_basic") ||
    !methods.includes("client_secret_post")
  );
}

/** Whether the provider did not accept the name and secret of the client. */
function isClientRefusal(error: unknown): boolean {
  const named = error instanceof openid.ResponseBodyError ? error.error : "";
  const isChallenge = error instanceof openid.WWWAuthenticateChallengeError;
  return isChallenge || named === "invalid_client" || named === "unauthorized_client";
}

async function readLogoutToken(
  token: string,
  { clientId }: OidcClient,
  now: () => number,
  metadata: () => Promise<Metadata>,
  keys: Keys,
): Promise<LogoutToken> {
  try {
    const { issuer } = await metadata();
    const verify = async (readable: ReadableKeys) => {
      const rules = { issuer, audience: clientId, algorithms: ALGORITHMS, clockTolerance: SKEW };
      const { payload } = await jwtVerify(token, readable, { ...rules, currentDate: new Date(now()) });
      return { issuer, claims: payload };
    };
    try {
      return await verify(await keys.get());
    } catch (error) {
      const isUnknown =
        error instanceof Error && "code" in error && error.code === "ERR_JWKS_NO_MATCHING_KEY";
      const renewed = isUnknown ? await keys.renew() : null;
      if (renewed === null) throw error;
      return await verify(renewed);
    }
  } catch (error) {
    throw oidcRefusal(error);
  }
}

/** An address to which a browser may be sent. Throws `unavailable` for any other scheme. */
function webAddress(address: string): string {
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? "")) return address;
  throw unavailable("the identity provider names an address that is not of the web");
}
