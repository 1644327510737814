import { describe, expect, test } from "bun:test";
import { createLink } from "../../../../src/access/users.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { createAuthenticator } from "../../../support/peers/authenticator.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const MINUTE = 60_000;
const ORIGIN = "http://dashboard.test";

type Browser = Awaited<ReturnType<ReturnType<typeof openDashboard>["signIn"]>>;
type Options = { challenge: string; rpId: string; rp: { id: string }; user: { id: string } };
type Answer = { status: number; value: Options & { to: string; id: string; error: { reason: string } } };

/** Sends JSON as a page of the dashboard does. */
async function send(browser: Browser, path: string, body: unknown, headers: object = {}): Promise<Answer> {
  const answer = await browser.ask(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { Origin: ORIGIN, "Content-Type": "application/json", ...headers },
  });
  return { status: answer.status, value: (await answer.json()) as Answer["value"] };
}

const [ADD, USE] = ["/me/passkeys", "/sign-in/passkey"];

/** A dashboard on which ann, an editor, is signed in, and her device. */
async function open(options: Parameters<typeof openDashboard>[1] = {}) {
  const app = openTestApp();
  const dashboard = openDashboard(app, options);
  const ann = await dashboard.signIn("editor", "ann");
  const device = createAuthenticator(ORIGIN);
  const add = async (browser = ann, from = device, name = "Phone") => {
    const { value } = await send(browser, `${ADD}/options`, {});
    return send(browser, ADD, { name, credential: from.create(value) });
  };
  const use = async (faults: Parameters<typeof device.get>[1] = {}, browser = dashboard.openBrowser()) => {
    const { value } = await send(browser, `${USE}/options`, {});
    return send(browser, USE, { credential: device.get(value, faults) });
  };
  return { app, ...dashboard, ann, device, add, use };
}

const reasonOf = ({ status, value }: Answer) => `${status} ${value.error?.reason}`;

describe("A passkey", () => {
  test("is added under You, and signs in on another browser without a code", async () => {
    const { app, ann, add, use, openBrowser } = await open();
    const { value: options } = await send(ann, `${ADD}/options`, {});
    expect(options).toMatchObject({
      rp: { id: "dashboard.test" },
      user: { name: "ann" },
      attestation: "none",
      timeout: 5 * MINUTE,
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [],
    });
    expect(Buffer.from(options.user.id, "base64url").toString("latin1")).not.toContain("ann");
    const added = await add();
    expect([added.status, Object.keys(added.value)]).toEqual([201, ["id", "name", "createdAt"]]);
    expect((await ann.get("/me")).text).toContain("Added the passkey Phone");
    expect((await app.store.users.find("ann"))!.secondFactors).toEqual(["passkey"]);
    const other = openBrowser();
    expect((await other.get("/sign-in")).text).toContain("Sign in with a passkey");
    const { value } = await send(other, `${USE}/options`, {});
    expect(value).toMatchObject({
      rpId: "dashboard.test",
      userVerification: "required",
      allowCredentials: [],
    });
    const entered = await use({}, other);
    expect(entered).toEqual({ status: 200, value: expect.objectContaining({ to: "/dashboard" }) });
    expect((await other.get("/me")).text).toContain("Your account, ann");
    const methods = (await app.store.sessions.page("ann", { limit: 9 })).items.map(({ method }) => method);
    expect(methods.toSorted()).toEqual(["link", "passkey"]);
  });

  test("is renamed and removed by its own user, and a removed one signs nobody in", async () => {
    const { app, ann, add, use, signIn } = await open();
    const { id } = (await add()).value;
    const admin = await signIn("admin");
    for (const path of [`${ADD}/${id}/name`, `${ADD}/${id}/remove`])
      expect((await admin.post(path, { name: "Mine" })).status).toBe(404);
    expect((await ann.post(`${ADD}/${id}/name`, { name: " Old phone " })).text).toContain("Old phone");
    for (const name of ["", " ", "x".repeat(61), "a\u0000b"])
      expect((await ann.post(`${ADD}/${id}/name`, { name })).status).toBe(400);
    expect((await use()).status).toBe(200);
    expect((await ann.post(`${ADD}/${id}/remove`, {})).text).toContain("Removed the passkey");
    expect((await app.store.sessions.page("ann", { limit: 9 })).items).toHaveLength(1);
    expect(reasonOf(await use())).toBe("401 passkey-unknown");
  });

  test("takes a sign-in of the last 15 minutes to be added or removed", async () => {
    const { app, ann, add } = await open();
    const { id } = (await add()).value;
    const { value } = await send(ann, `${ADD}/options`, {});
    app.clock.now += 15 * MINUTE;
    const other = createAuthenticator(ORIGIN);
    expect(reasonOf(await send(ann, `${ADD}/options`, {}))).toBe("403 sign-in-old");
    expect(reasonOf(await send(ann, ADD, { name: "x", credential: other.create(value) }))).toBe(
      "403 sign-in-old",
    );
    expect((await ann.post(`${ADD}/${id}/remove`, {})).status).toBe(403);
    expect((await ann.get("/me")).text).not.toContain('data-passkey="add"');
  });

  test("is stored once, of one user", async () => {
    const { ann, add, signIn } = await open();
    expect((await add()).status).toBe(201);
    expect(reasonOf(await add())).toBe("409 passkey-known");
    const admin = await signIn("admin");
    expect(reasonOf(await add(admin))).toBe("409 passkey-known");
    for (let count = 1; count < 20; count += 1) {
      expect((await add(ann, createAuthenticator(ORIGIN))).status).toBe(201);
    }
    expect(reasonOf(await send(ann, `${ADD}/options`, {}))).toBe("409 passkeys-full");
  });

  test.each([
    ["another challenge", { challenge: "x".repeat(43) }],
    ["another origin", { origin: "http://evil.example" }],
    ["another host", { host: "evil.example" }],
    ["another type", { type: "webauthn.get" }],
    ["nobody present", { flags: 4 }],
    ["nobody verified", { flags: 1 }],
    ["a format that names certificates", { fmt: "android-safetynet" }],
    ["a format that is none", { fmt: "fido-u2f" }],
  ])("with %s is not added", async (_, faults) => {
    const { ann, device, app } = await open();
    const { value } = await send(ann, `${ADD}/options`, {});
    const refused = await send(ann, ADD, { name: "Phone", credential: device.create(value, faults) });
    expect(reasonOf(refused)).toBe("400 passkey-refused");
    expect((await app.store.users.find("ann"))!.secondFactors).toEqual([]);
  });

  test.each([
    ["another challenge", { challenge: "x".repeat(43) }],
    ["another origin", { origin: "http://evil.example" }],
    ["another host", { host: "evil.example" }],
    ["another type", { type: "webauthn.create" }],
    ["nobody present", { flags: 4 }],
    ["nobody verified", { flags: 1 }],
  ])("used with %s does not sign in", async (_, faults) => {
    const { add, use } = await open();
    await add();
    expect(reasonOf(await use(faults))).toBe("401 passkey-refused");
  });

  test("of another user or of nobody does not sign in", async () => {
    const { add, use } = await open();
    await add();
    expect(reasonOf(await use({ userHandle: "" }))).toBe("401 passkey-unknown");
    expect(reasonOf(await use({ userHandle: "x".repeat(43) }))).toBe("401 passkey-unknown");
    expect(reasonOf(await use({ credential: Buffer.alloc(32) }))).toBe("401 passkey-unknown");
  });

  test("whose counter does not grow does not sign in, one that does not count does", async () => {
    const { add, use, device } = await open();
    await add();
    for (const [counter, status] of [
      [0, 200],
      [0, 200],
      [5, 200],
      [5, 401],
      [4, 401],
      [0, 401],
      [6, 200],
    ] as const) {
      device.counter = counter;
      expect([counter, (await use()).status]).toEqual([counter, status]);
    }
  });

  test("whose answer is wrong twenty times makes its network wait", async () => {
    const { add, use, openBrowser } = await open();
    await add();
    for (let count = 0; count < 20; count += 1) expect((await use({ flags: 1 })).status).toBe(401);
    expect(reasonOf(await use())).toBe("429 passkey-throttled");
    expect((await use({}, openBrowser({ address: "203.0.113.9" }))).status).toBe(200);
  });
});

describe("A challenge", () => {
  test("counts once, for five minutes, and in the browser that got it", async () => {
    const { app, add, device, openBrowser } = await open();
    await add();
    const browser = openBrowser();
    const { value } = await send(browser, `${USE}/options`, {});
    const cookies = new Map(browser.cookies);
    const [[name, ticket]] = [...cookies] as [[string, string]];
    const answer = { credential: device.get(value) };
    expect(reasonOf(await send(openBrowser(), USE, answer))).toBe("400 challenge-ended");
    const thief = openBrowser();
    await send(thief, `${USE}/options`, {});
    expect(reasonOf(await send(thief, USE, answer))).toBe("401 passkey-refused");
    expect((await send(browser, USE, answer)).status).toBe(200);
    expect(reasonOf(await send(browser, USE, answer))).toBe("400 challenge-ended");
    expect(reasonOf(await send(openBrowser({ cookies }), USE, answer))).toBe("401 passkey-refused");
    const late = openBrowser();
    const second = await send(late, `${USE}/options`, {});
    app.clock.now += 5 * MINUTE;
    expect(reasonOf(await send(late, USE, { credential: device.get(second.value) }))).toBe(
      "400 challenge-ended",
    );
    const forged = new Map([[name, ticket.replace(/\.\d+$/, `.${app.now() + MINUTE}`)]]);
    expect(reasonOf(await send(openBrowser({ cookies: forged }), USE, answer))).toBe("401 passkey-refused");
  });

  test("spent by two answers at once signs in once", async () => {
    const { add, device, openBrowser } = await open();
    await add();
    const browser = openBrowser();
    const { value } = await send(browser, `${USE}/options`, {});
    const copy = openBrowser({ cookies: new Map(browser.cookies) });
    const both = await Promise.all(
      [browser, copy].map((each) => send(each, USE, { credential: device.get(value) })),
    );
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(["200", "401"]);
  });

  test("for adding a passkey is of one session, and adds one", async () => {
    const { ann, device, signIn } = await open();
    const { value } = await send(ann, `${ADD}/options`, {});
    const cookies = new Map(ann.cookies);
    const other = await signIn("editor", "ann");
    for (const [key, ticket] of cookies) if (key.endsWith("_challenge")) other.cookies.set(key, ticket);
    expect(reasonOf(await send(other, ADD, { name: "x", credential: device.create(value) }))).toBe(
      "400 passkey-refused",
    );
    expect((await send(ann, ADD, { name: "x", credential: device.create(value) })).status).toBe(201);
    for (const [key, ticket] of cookies) if (key.endsWith("_challenge")) ann.cookies.set(key, ticket);
    const again = { name: "x", credential: device.create(value, { credential: Buffer.alloc(32, 1) }) };
    expect(reasonOf(await send(ann, ADD, again))).toBe("409 challenge-spent");
  });
});

describe("The addresses of passkeys", () => {
  test("take JSON of their own origin, of a user where they are that user's, and nothing else", async () => {
    const { ann, openBrowser } = await open();
    for (const path of [ADD, `${ADD}/options`, USE, `${USE}/options`]) {
      for (const headers of [{ Origin: "http://evil.example" }, { Origin: "null" }])
        expect(reasonOf(await send(ann, path, {}, headers))).toBe("403 foreign-origin");
      expect((await send(ann, path, {}, { "Content-Type": "text/plain" })).status).toBe(415);
      const noOrigin = await ann.ask(path, {
        method: "POST",
        body: "{}",
        headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" },
      });
      expect(noOrigin.status).toBe(403);
      expect((await send(ann, path, "x".repeat(70_000))).status).toBe(413);
    }
    for (const path of [ADD, `${ADD}/options`])
      expect((await send(openBrowser(), path, {})).status).toBe(401);
    for (const body of [null, [], { credential: {} }, { credential: { id: "é" } }, "x"]) {
      expect((await send(openBrowser(), USE, body)).status).toBe(400);
      expect((await send(ann, ADD, body)).status).toBe(400);
    }
  });

  test("say localhost where the dashboard is open at an address", async () => {
    for (const [origin, said] of [
      ["http://127.0.0.1:8787", "http://localhost:8787"],
      ["http://[::1]:8787", "http://localhost:8787"],
      ["http://192.0.2.1", "name and HTTPS"],
    ] as const) {
      const { openBrowser } = openDashboard(openTestApp(), {}, origin);
      const answer = await openBrowser().ask(`${USE}/options`, {
        method: "POST",
        body: "{}",
        headers: { Origin: origin, "Content-Type": "application/json" },
      });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(said)]);
    }
  });
});

test("A password or link alone does not set up an app for a user who must have a factor and has a passkey", async () => {
  const { app, add, use, ann } = await open({ secondFactor: "releaser" });
  await add();
  const strict = openDashboard(app, { secondFactor: "editor" });
  const thief = strict.openBrowser();
  const { secret } = await createLink(app, OPERATOR, "ann");
  const page = await thief.post(`/link/${secret}`, {});
  expect(page.path).toBe("/me/totp?next=%2Fstart");
  expect(page.text).toContain("You need your passkey here");
  expect(page.text).toContain('name="next" value="/start"');
  expect(page.text).not.toContain("otpauth:");
  expect((await thief.post("/me/totp", { code: "000000" })).status).toBe(403);
  expect(reasonOf(await send(thief, `${ADD}/options`, {}))).toBe("403 factor-missing");
  const owner = strict.openBrowser();
  expect((await use({}, owner)).status).toBe(200);
  expect((await owner.get("/me/totp")).text).toContain("otpauth:");
  expect((await ann.get("/me")).path).toBe("/me");
});
