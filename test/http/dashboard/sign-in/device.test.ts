import { expect, test } from "bun:test";
import { openServices, clientAt, openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { bearer, ROOT } from "../../../support/postgres/world.ts";

type Begun = Record<"device_code" | "user_code" | "verification_uri" | "verification_uri_complete", string>;
type Token = { access_token: string; token_type: string; expires_in: number; user: string };
type Refusal = { error: { code: string; message: string } };

/** The dashboard and the admin API of one app. */
async function open() {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  const send = (path: string, body: unknown, token?: string, address = "203.0.113.9") =>
    Promise.resolve(
      admin.request(
        `${ROOT}${path}`,
        {
          method: "POST",
          headers: { "content-type": "application/json", ...(token !== undefined && bearer(token)) },
          body: JSON.stringify(body),
        },
        { client: clientAt(address) },
      ),
    );
  const get = (path: string, token: string) =>
    Promise.resolve(admin.request(`${ROOT}${path}`, { headers: bearer(token) }));
  const begin = async (more: object = {}) =>
    (await (await send("/device-authorization", { client: "formflag on ada", ...more })).json()) as Begun;
  const poll = ({ device_code }: Begun) => send("/device-token", { device_code });
  return { app, ...openDashboard(app), send, get, begin, poll };
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as Refusal).error.code];

test("A person sees who asks, allows it, and the command line acts with their rights of each moment", async () => {
  const { app, signIn, send, get, begin, poll } = await open();
  const begun = await begin({ expiresIn: "1h" });
  expect(begun).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
    verification_uri: "/dashboard/device",
    verification_uri_complete: `/dashboard/device?code=${begun.user_code}`,
    expires_in: 900,
    interval: 2,
  } as never);
  const editor = await signIn("editor");
  expect(await codeOf(await poll(begun))).toEqual([400, "authorization_pending"]);
  expect(await codeOf(await poll(begun))).toEqual([400, "slow_down"]);
  const { text } = await editor.get(`/device?code=${begun.user_code.toLowerCase()}`);
  for (const shown of ["formflag on ada", "203.0.113.9", begun.user_code, "as editor", "1 hour"])
    expect(text).toContain(shown);
  expect((await editor.post("/device", { code: begun.user_code })).text).toContain("formflag on ada");
  expect((await editor.post("/device", { code: begun.user_code, answer: "perhaps" })).status).toBe(400);
  const allowed = await editor.post("/device", { code: begun.user_code, answer: "allow" });
  expect(allowed.text).toContain("The command line is logged in.");
  const token = (await (await poll(begun)).json()) as Token;
  expect(token).toEqual({
    access_token: expect.stringMatching(/^ffc_[\w-]{43}$/),
    token_type: "Bearer",
    expires_in: 3600,
    user: "editor",
  } as never);
  expect(await codeOf(await poll(begun))).toEqual([400, "expired_token"]);

  const { access_token: secret } = token;
  expect((await send("/forms", { slug: "contact" }, secret)).status).toBe(201);
  expect((await get("/users", secret)).status).toBe(403);
  const admin = await signIn("admin");
  expect((await admin.get("/access/users")).text).toContain("formflag on ada");
  await admin.post("/access/users/editor", { do: "role", role: "viewer" });
  expect((await send("/forms", { slug: "other" }, secret)).status).toBe(403);
  expect((await get("/forms", secret)).status).toBe(200);
  // The secret of a browser is no token, and that of a command line no cookie.
  const [[name, session]] = [...editor.cookies] as [[string, string]];
  expect((await get("/forms", session)).status).toBe(401);
  expect((await editor.get("/me")).status).toBe(200);
  editor.cookies.set(name, secret);
  expect((await editor.get("/me")).path).toStartWith("/sign-in");

  expect((await send("/logout", undefined, secret)).status).toBe(204);
  expect((await get("/forms", secret)).status).toBe(401);
  expect((await app.store.sessions.page("editor", { limit: 10 })).items).toMatchObject([{ method: "link" }]);
});

test("A login is answered by somebody who is signed in, with a form of the dashboard", async () => {
  const { openBrowser, signIn, begin, poll } = await open();
  const { user_code: code, ...begun } = await begin();
  const stranger = openBrowser();
  expect((await stranger.get(`/device?code=${code}`)).path).toBe(`/sign-in?next=%2Fdevice%3Fcode%3D${code}`);
  expect((await stranger.post("/device", { code, answer: "allow" })).status).toBe(401);
  const viewer = await signIn("viewer");
  const body = new URLSearchParams({ code, answer: "allow" });
  for (const headers of [{ Origin: "https://evil.example" }, {}] as Record<string, string>[])
    expect((await viewer.ask("/device", { method: "POST", body, headers })).status).toBe(403);
  expect(await codeOf(await poll({ ...begun, user_code: code }))).toEqual([400, "authorization_pending"]);
  // Opening the address allows nothing.
  await viewer.get(`/device?code=${code}&answer=allow`);
  expect((await viewer.post("/device", { code, answer: "deny" })).text).toContain("No one was logged in.");
  expect(await codeOf(await poll({ ...begun, user_code: code }))).toEqual([400, "access_denied"]);
});

test("Wrong codes are a page to try again on, and ten of them make the person wait", async () => {
  const { signIn, begin } = await open();
  const { user_code: code } = await begin();
  const viewer = await signIn("viewer");
  const wrong = await viewer.get("/device?code=%3Cb%3E");
  expect([wrong.status, wrong.text.includes("&lt;b&gt;")]).toEqual([404, true]);
  for (let count = 1; count < 10; count += 1)
    expect((await viewer.post("/device", { code: "BCDF-GHJK", answer: "allow" })).status).toBe(404);
  const waits = await viewer.post("/device", { code, answer: "allow" });
  expect([waits.status, waits.headers.get("retry-after")]).toEqual([429, "60"]);
  expect((await viewer.get(`/device?code=${code}`)).status).toBe(429);
});

test("The command line says who it is in a line of text, and asks for 30 days at most", async () => {
  const { send } = await open();
  for (const body of [
    {},
    { client: "" },
    { client: "x".repeat(101) },
    { client: "a\nb" },
    { client: "a\u202eb" },
    { client: "a", expiresIn: 30 * 86_400 + 1 },
    { client: "a", expiresIn: "soon" },
    { client: "a", expiresIn: "31d" },
    { client: "a", expiresIn: 0 },
    { client: "a", more: 1 },
  ])
    expect([body, (await send("/device-authorization", body)).status]).toEqual([body, 400]);
  expect((await send("/device-authorization", { client: "x".repeat(20_000) })).status).toBe(413);
  expect((await send("/device-token", { device_code: "nothing" })).status).toBe(400);
  const last = await Promise.all(
    Array.from({ length: 21 }, () =>
      send("/device-authorization", { client: "a" }, undefined, "198.51.100.3"),
    ),
  );
  expect(last.filter(({ status }) => status === 429)).toHaveLength(1);
});

test("Only a login is ended by itself", async () => {
  const { app, send } = await open();
  const { createToken } = await import("../../../../src/access/tokens.ts");
  const { OPERATOR } = await import("../../../support/records/caller.ts");
  const { token } = await createToken(app, OPERATOR, { name: "ci" });
  expect(await codeOf(await send("/logout", undefined, token))).toEqual([403, "forbidden"]);
  expect((await send("/logout", undefined)).status).toBe(401);
});
