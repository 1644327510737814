import { afterAll } from "bun:test";
import { type CryptoKey, type JWTPayload, SignJWT, exportJWK, generateKeyPair } from "jose";
import { CLIENT_ID, CLIENT_SECRET } from "./client.ts";

/** What a forger answers in place of what is right. */
export type Forgery = {
  /** The status, type and text of the answer of the token endpoint. */
  tokens?: { status: number; body: unknown } | undefined;
  /** Claims of the ID token; undefined removes one. */
  claims?: Record<string, unknown>;
  /** The ID token itself. */
  idToken?: ((right: JWTPayload) => Promise<string> | string) | undefined;
  userInfo?: Record<string, unknown>;
  /** How the client has to send its name and secret. */
  auth?: "basic" | "undecoded" | "post";
  metadata?: Record<string, unknown>;
  /** Milliseconds, as of a provider whose clock is wrong. */
  clock?: number;
};

const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;

/** A small provider of our own that can be wrong in every way. Codes count once, and only with the verifier of their challenge. */
export async function startForger() {
  let forgery: Forgery = {};
  let requests: string[] = [];
  let keys = await newKey("one");
  const codes = new Map<string, { nonce: string; challenge: string }>();
  const verifyClient = (request: Request, form: URLSearchParams): boolean => {
    const header = request.headers.get("authorization");
    const { auth = "basic" } = forgery;
    if (auth === "post") return form.get("client_secret") === CLIENT_SECRET && header === null;
    const encode = (text: string) =>
      new URLSearchParams({ x: text }).toString().slice(2).replaceAll("-", "%2D").replaceAll("_", "%5F");
    const wanted =
      auth === "basic" ? basic(CLIENT_ID, encode(CLIENT_SECRET)) : basic(CLIENT_ID, CLIENT_SECRET);
    // The provider that does not decode takes it in the body.
    return header === wanted || (auth === "undecoded" && form.get("client_secret") === CLIENT_SECRET);
  };
  const idTokenOf = async (nonce: string): Promise<string> => {
    const now = Math.floor((Date.now() + (forgery.clock ?? 0)) / 1000);
    const right: JWTPayload = {
      iss: issuer,
      aud: CLIENT_ID,
      sub: "forged",
      iat: now,
      exp: now + 60,
      nonce,
      ...forgery.claims,
    };
    return forgery.idToken ? forgery.idToken(right) : sign(right);
  };
  const sign = (claims: JWTPayload, header: Record<string, unknown> = {}, key: CryptoKey = keys.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: keys.kid, ...header }).sign(key);
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url);
      requests.push(pathname);
      if (pathname === "/.well-known/openid-configuration")
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          authorization_response_iss_parameter_supported: true,
          ...forgery.metadata,
        });
      if (pathname === "/keys") return Response.json({ keys: [keys.jwk] });
      if (pathname === "/userinfo") return Response.json({ sub: "forged", ...forgery.userInfo });
      if (pathname !== "/token") return new Response(null, { status: 404 });
      const form = new URLSearchParams(await request.text());
      if (forgery.tokens) return Response.json(forgery.tokens.body, { status: forgery.tokens.status });
      if (!verifyClient(request, form)) return Response.json({ error: "invalid_client" }, { status: 401 });
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const challenge = new Bun.CryptoHasher("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (code?.challenge !== challenge) return Response.json({ error: "invalid_grant" }, { status: 400 });
      const id_token = await idTokenOf(code.nonce);
      return Response.json({ access_token: "an-access-token", token_type: "Bearer", id_token });
    },
  });
  const issuer: string = `http://127.0.0.1:${server.port}`;
  afterAll(() => server.stop(true));
  return {
    issuer,
    requests: () => requests.splice(0),
    forge: (wanted: Forgery) => void (forgery = wanted),
    sign,
    /** A new key takes the place of the one there was, unless the old one is kept secretly. */
    rotate: async (kid: string) => void (keys = await newKey(kid)),
    key: () => keys,
    /** The answer of the provider to an address, as the path of the dashboard that it leads to; `change` alters it. */
    answer(url: string, change: Record<string, string | null> = {}): string {
      const { searchParams } = new URL(url);
      const code = crypto.randomUUID();
      codes.set(code, { nonce: searchParams.get("nonce")!, challenge: searchParams.get("code_challenge")! });
      const right = { code, state: searchParams.get("state")!, iss: issuer, ...change };
      const given = Object.entries(right).filter((entry): entry is [string, string] => entry[1] !== null);
      return `/sign-in/oidc/callback?${new URLSearchParams(given).toString()}`;
    },
  };
}

async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return {
    kid,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), use: "sig", alg: "RS256", kid },
  };
}
