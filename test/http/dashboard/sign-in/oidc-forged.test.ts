import { beforeEach, describe, expect, test } from "bun:test";
import { type JWTPayload, SignJWT, UnsecuredJWT, exportSPKI, generateKeyPair } from "jose";
import { createUser } from "../../../../src/access/users.ts";
import { openTestApp } from "../../../support/app.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { CLIENT_ID, CLIENT_SECRET, openCompany } from "../../../support/oidc/client.ts";
import { type Forgery, startForger } from "../../../support/oidc/forger.ts";

const app = openTestApp();
app.clock.now = Date.now();
const company = await openCompany(app, startForger, { createAs: "none" });
const { peer, url, warned } = company;
await createUser(app, OPERATOR, { name: "boss", role: "admin" });

let people = 0;
/** A person that nobody has seen yet. */
const newcomer = () => ({ sub: `person-${(people += 1)}`, preferred_username: `person-${people}` });

type Change = { answer?: Record<string, string | null>; cookie?: "none" | "other" };

/** Signs somebody in, with something forged; the status of the page that follows. */
async function signIn(forgery: Forgery, { answer, cookie }: Change = {}) {
  const person = newcomer();
  const claims = { ...person, ...forgery.claims };
  peer.forge({ userInfo: { sub: person.sub }, ...forgery, claims });
  const browser = company.openBrowser();
  const begun = await browser.ask("/sign-in/oidc?next=/me");
  const address = begun.headers.get("location")!;
  if (cookie === "none") browser.cookies.clear();
  if (cookie === "other") await browser.ask("/sign-in/oidc");
  const path = peer.answer(address, answer);
  const shown = await browser.get(path);
  const isIn = (await browser.get("/me")).path === "/me";
  return { browser, path, address, person, shown, isIn };
}

/** That a sign-in is refused, and nothing was made. */
async function expectRefused(status: number, forgery: Forgery, change?: Change) {
  const { shown, isIn, person, browser } = await signIn(forgery, change);
  expect([status, shown.status, isIn]).toEqual([status, status, false]);
  expect(await app.store.users.find(person.preferred_username)).toBeUndefined();
  expect([...browser.cookies.keys()].filter((name) => name.endsWith("_oidc"))).toEqual([]);
  return shown;
}

beforeEach(() => peer.forge({}));

test("A sign-in carries a state, a nonce and a challenge of its own, and no secret", async () => {
  const addresses = await Promise.all([1, 2].map(async () => (await signIn({})).address));
  for (const address of addresses) {
    const { origin, pathname, searchParams } = new URL(address);
    expect(origin + pathname).toBe(`${peer.issuer}/authorize`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT_ID,
      response_type: "code",
      redirect_uri: `${url}/dashboard/sign-in/oidc/callback`,
      scope: "openid profile email groups",
      state: expect.stringMatching(/^[\w-]{43}$/) as never,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as never,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as never,
      code_challenge_method: "S256",
    });
    expect(address).not.toContain("secret");
  }
  const [one, two] = addresses.map((address) => new URL(address).searchParams);
  for (const name of ["state", "nonce", "code_challenge"]) expect(one!.get(name)).not.toBe(two!.get(name));
});

describe("An answer is refused", () => {
  test.each([
    ["without the cookie", { cookie: "none" }],
    ["with the cookie of another sign-in", { cookie: "other" }],
    ["with another state", { answer: { state: "x".repeat(43) } }],
    ["without a state", { answer: { state: null } }],
    ["of another issuer", { answer: { iss: "https://evil.example" } }],
    ["without its issuer, which the provider promises", { answer: { iss: null } }],
    ["with another code", { answer: { code: "guessed" } }],
    ["without a code", { answer: { code: null } }],
  ] as [string, Change][])("%s", async (_, change) => {
    await expectRefused(400, {}, change);
  });

  test("that was used before, in the same browser and in another one", async () => {
    const { browser, path, isIn } = await signIn({});
    expect(isIn).toBe(true);
    expect((await browser.get(path)).status).toBe(400);
    expect((await company.openBrowser().get(path)).status).toBe(400);
  });

  test("with an error of the provider, which is not shown as it is", async () => {
    const denied = await expectRefused(403, {}, { answer: { code: null, error: "access_denied" } });
    expect(denied.text).toContain("access_denied");
    await expectRefused(502, {}, { answer: { code: null, error: "server_error" } });
    const odd = await expectRefused(502, {}, { answer: { code: null, error: "<script>alert(1)</script>" } });
    expect(odd.text).not.toContain("alert(1)");
  });
});

describe("An ID token is refused", () => {
  const now = () => Math.floor(Date.now() / 1000);
  test.each([
    ["with another nonce", () => ({ nonce: "x" })],
    ["without a nonce", () => ({ nonce: undefined })],
    ["of another issuer", () => ({ iss: "https://evil.example" })],
    ["for another client", () => ({ aud: "other" })],
    ["for several clients, authorized for another one", () => ({ aud: [CLIENT_ID, "other"], azp: "other" })],
    ["for several clients, without the one it is for", () => ({ aud: [CLIENT_ID, "other"] })],
    ["that has expired", () => ({ exp: now() - 31 })],
    ["without an end", () => ({ exp: undefined })],
    ["that is not valid yet", () => ({ nbf: now() + 40 })],
    ["without a person", () => ({ sub: undefined })],
    ["of a person with a name of its own length", () => ({ sub: "x".repeat(256) })],
  ] as [string, () => Record<string, unknown>][])("%s", async (_, claims) => {
    await expectRefused(400, { claims: claims() });
  });

  test("of another person than UserInfo", async () => {
    await expectRefused(400, { userInfo: { sub: "somebody else" } });
  });

  test("without a signature, with one by the shared secret, or by a key that is not the provider's", async () => {
    const secret = new TextEncoder().encode(CLIENT_SECRET);
    const publicKey = new TextEncoder().encode(await exportSPKI(peer.key().publicKey));
    const { privateKey } = await generateKeyPair("RS256");
    const forged: ((right: JWTPayload) => Promise<string> | string)[] = [
      (right) => new UnsecuredJWT(right).encode(),
      (right) => new SignJWT(right).setProtectedHeader({ alg: "HS256" }).sign(secret),
      (right) => new SignJWT(right).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(publicKey),
      (right) => peer.sign(right, {}, privateKey),
      (right) => peer.sign(right, { kid: "unknown" }),
      async (right) => `${(await peer.sign(right)).replace(/\.[^.]+$/, "")}.AAAA`,
      async (right) =>
        (await peer.sign({ ...right, sub: "somebody" })).replace(/\.[^.]+\./, `.${btoa("{}")}.`),
      () => "no token",
    ];
    for (const idToken of forged) await expectRefused(400, { idToken });
  });

  test("unless it is right, for this client alone or for several, and its clock is wrong by 30 seconds at most", async () => {
    for (const forgery of [
      {},
      { claims: { aud: [CLIENT_ID, "other"], azp: CLIENT_ID } },
      { clock: 25_000 },
      { clock: -85_000 },
    ])
      expect([forgery, (await signIn(forgery)).isIn]).toEqual([forgery, true]);
    await expectRefused(400, { clock: -120_000 });
  });
});

test("A key that was changed a moment after the last sign-in counts, and the one before no more", async () => {
  expect((await signIn({})).isIn).toBe(true);
  const old = peer.key();
  await peer.rotate("two");
  expect((await signIn({})).isIn).toBe(true);
  await expectRefused(400, { idToken: (right) => peer.sign(right, { kid: old.kid }, old.privateKey) });
});

test("A provider that takes the secret only undecoded, or in the body, is sent it there", async () => {
  for (const auth of ["basic", "undecoded", "post"] as const)
    expect([auth, (await signIn({ auth })).isIn]).toEqual([auth, true]);
});

test("A provider that does not answer as it should is a 502, and the server goes on", async () => {
  for (const [status, body] of [
    [500, {}],
    [401, { error: "invalid_client" }],
    [400, { error: "invalid_request" }],
    [302, {}],
    [200, { access_token: "x".repeat(2_000_000), token_type: "Bearer" }],
  ] as const)
    await expectRefused(502, { tokens: { status, body } });
  for (const body of [
    { error: "invalid_grant" },
    { error: "invalid_grant", error_description: "a".repeat(9000) },
  ])
    await expectRefused(400, { tokens: { status: 400, body } });
  expect((await signIn({})).isIn).toBe(true);
});

test("Groups count from the ID token alone, from UserInfo alone, and as one text", async () => {
  const { rules } = company;
  Object.assign(rules, { map: [{ group: "staff", project: null, role: "editor" }] });
  for (const [forgery, role] of [
    [{ claims: { groups: ["staff"] } }, "editor"],
    [{ userInfo: { groups: ["other", "staff"] } }, "editor"],
    [{ claims: { groups: "staff" } }, "editor"],
    [{ claims: { groups: { staff: true } } }, "none"],
    [{ claims: { groups: [["staff"], 1] } }, "none"],
    [{ claims: { groups: "staffer" } }, "none"],
    [{ claims: {} }, "none"],
  ] as [Forgery, string][]) {
    const person = newcomer();
    const wanted = {
      ...forgery,
      claims: { ...person, ...forgery.claims },
      userInfo: { sub: person.sub, ...forgery.userInfo },
    };
    expect((await signIn(wanted)).isIn).toBe(true);
    expect<unknown[]>([forgery, (await app.store.users.find(person.preferred_username))?.role]).toEqual([
      forgery,
      role,
    ]);
  }
  Object.assign(rules, { map: [] });
});

test("Nothing secret is in the log", async () => {
  warned.splice(0);
  const { path } = await signIn({
    tokens: { status: 400, body: { error: "invalid_grant", error_description: "sent by it" } },
  });
  await signIn({ claims: { nonce: "x" } });
  const { searchParams } = new URL(path, url);
  expect(warned).toHaveLength(2);
  for (const line of warned)
    for (const secret of [
      searchParams.get("code")!,
      searchParams.get("state")!,
      CLIENT_SECRET,
      "an-access-token",
      "eyJ",
      "sent by it",
    ])
      expect(line).not.toContain(secret);
  // What strangers send is not logged.
  await company.openBrowser().get("/sign-in/oidc/callback?code=a&state=b");
  expect(warned).toHaveLength(2);
});

describe("A logout by the provider", () => {
  const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const logOut = async (token: string) => {
    const answer = await company.openBrowser().ask("/sign-in/oidc/logout", {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return answer.status;
  };
  let tokens = 0;
  const claimsOf = (more: Record<string, unknown>): JWTPayload => ({
    iss: peer.issuer,
    aud: CLIENT_ID,
    iat: Math.floor(app.now() / 1000),
    jti: `token-${(tokens += 1)}`,
    events: EVENTS,
    ...more,
  });
  const isIn = async ({ browser }: Awaited<ReturnType<typeof signIn>>) =>
    (await browser.get("/me")).path === "/me";

  beforeEach(() => void (app.clock.now = Date.now()));

  test("ends the session that it names, or all of a person that the provider began, once", async () => {
    const person = { sub: "luz", preferred_username: "luz" };
    const [one, two, three] = [
      await signIn({ claims: { ...person, sid: "one" }, userInfo: { sub: "luz" } }),
      await signIn({ claims: { ...person, sid: "two" }, userInfo: { sub: "luz" } }),
      await signIn({ claims: person, userInfo: { sub: "luz" } }),
    ] as const;
    const byLink = await company.signIn("none", "luz");
    const token = await peer.sign(claimsOf({ sid: "one" }));
    expect(await logOut(token)).toBe(200);
    expect([await isIn(one), await isIn(two), await isIn(three)]).toEqual([false, true, true]);
    // A session whose name is not known is one of the person.
    expect(await logOut(await peer.sign(claimsOf({ sid: "gone", sub: "luz" })))).toBe(200);
    expect([await isIn(two), await isIn(three)]).toEqual([true, false]);
    expect(await logOut(await peer.sign(claimsOf({ sub: "somebody else" })))).toBe(200);
    expect(await isIn(two)).toBe(true);
    expect(await logOut(await peer.sign(claimsOf({ sub: "luz" })))).toBe(200);
    expect([await isIn(two), (await byLink.get("/me")).path]).toEqual([false, "/me"]);
    expect(await logOut(token)).toBe(400);
  });

  test("does nothing by a token that is wrong, too old, or something else", async () => {
    const person = { sub: "mia", preferred_username: "mia" };
    const mia = await signIn({ claims: { ...person, sid: "mia" }, userInfo: { sub: "mia" } });
    const at = Math.floor(app.now() / 1000);
    const right = { sub: "mia", sid: "mia" };
    for (const more of [
      { iss: "https://evil.example" },
      { aud: "other" },
      { events: undefined },
      { events: { "http://schemas.openid.net/event/backchannel-logout": "yes" } },
      { events: [] },
      { nonce: "a" },
      { iat: at - 121 },
      { iat: at + 121 },
      { iat: undefined },
      { iat: String(at) },
      { exp: at - 31 },
      { jti: undefined },
      { sub: undefined, sid: undefined },
      { sub: 7 },
      { sub: "", sid: undefined },
    ])
      expect([more, await logOut(await peer.sign(claimsOf({ ...right, ...more })))]).toEqual([more, 400]);
    const secret = new TextEncoder().encode(CLIENT_SECRET);
    const { privateKey } = await generateKeyPair("RS256");
    for (const token of [
      "",
      "no.token.here",
      "x".repeat(15_000),
      new UnsecuredJWT(claimsOf(right)).encode(),
      await new SignJWT(claimsOf(right)).setProtectedHeader({ alg: "HS256" }).sign(secret),
      await peer.sign(claimsOf(right), {}, privateKey),
    ])
      expect([token.slice(0, 20), await logOut(token)]).toEqual([token.slice(0, 20), 400]);
    expect(await isIn(mia)).toBe(true);
    const large = await company.openBrowser().ask("/sign-in/oidc/logout", {
      method: "POST",
      body: new URLSearchParams({ logout_token: "x".repeat(20_000) }),
    });
    expect(large.status).toBe(400);
  });

  test("that is refused is one line of the log in an hour, however many there are", async () => {
    warned.length = 0;
    for (let count = 0; count < 20; count += 1) expect(await logOut(`no.token.${count}`)).toBe(400);
    expect(warned.length).toBeLessThanOrEqual(1);
  });

  test("by a key that is not known reads the keys once in ten seconds", async () => {
    app.clock.now += 400_000;
    await logOut(await peer.sign(claimsOf({ sub: "a" })));
    app.clock.now += 10_000;
    peer.requests();
    await peer.rotate("three");
    const token = await peer.sign(claimsOf({ sub: "a" }));
    expect(await logOut(token)).toBe(200);
    for (let count = 0; count < 5; count += 1)
      expect(await logOut(await peer.sign(claimsOf({ sub: "a" }), { kid: `unknown-${count}` }))).toBe(400);
    expect(peer.requests().filter((path) => path === "/keys")).toHaveLength(1);
  });
});

test("An invitation asks for no password on a server that takes none", async () => {
  const { createInvitation } = await import("../../../../src/access/members/invitations.ts");
  const { createProject } = await import("../../../../src/projects/projects.ts");
  await createProject(app, OPERATOR, { slug: "invited", environments: ["develop"] });
  const { secret } = await createInvitation(app, OPERATOR, "invited", { role: "viewer" });
  const closed = openDashboard(app, { passwords: false });
  const page = await closed.openBrowser().get(`/invitation/${secret}`);
  expect([
    page.text.includes('type="password"'),
    page.text.includes(`/sign-in?next=%2Finvitation%2F${secret}`),
  ]).toEqual([false, true]);
  const fields = { name: "nina", password: "correct horse battery" };
  expect((await closed.openBrowser().post(`/invitation/${secret}`, fields)).status).toBe(403);
  expect(await app.store.users.find("nina")).toBeUndefined();
});
