import { describe, expect, test } from "bun:test";
import { bytesOfBase32 } from "../../../../src/access/factors/base32.ts";
import { totpCode, totpStep } from "../../../../src/access/factors/totp.ts";
import { createLink } from "../../../../src/access/users.ts";
import type { DashboardApp } from "../../../../src/http/dashboard/dashboard.tsx";
import { type TestApp, openTestApp } from "../../../support/app.ts";
import { type Shown, openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const MINUTE = 60_000;

/** The code that an app shows for the address on a page. */
function codeOn(app: TestApp, { text }: Shown, steps = 0): string {
  const secret = /otpauth:\/\/totp\/formflag%3A[^"]*?secret=([A-Z2-7]{32})/.exec(text)![1]!;
  return totpCode(bytesOfBase32(secret.toLowerCase())!, totpStep(app.now()) + steps);
}

/** A form that the dashboard sent itself. */
const FORM = { body: new URLSearchParams(), headers: { Origin: "http://dashboard.test" } };

const JSON_BODY = { body: "{}", headers: { ...FORM.headers, "Content-Type": "application/json" } };

const bodyFor = (place: string) => (/\/passkeys?(\/options)?$/.test(place) ? JSON_BODY : FORM);

/** Every route of the dashboard but those of the sign-in. */
function placesOf({ routes }: DashboardApp) {
  const all = routes
    .filter(({ method, path }) => /^(GET|POST)$/.test(method) && path.startsWith("/dashboard/"))
    .map(({ method, path }) => ({ method, place: path.slice("/dashboard".length).replace(/:\w+/g, "x") }));
  const places = all.filter(({ place }) => !/^\/($|assets|sign-in|sign-out|link|invitation)/.test(place));
  expect(places.length).toBeGreaterThan(80);
  return places;
}

const recoveryCodesOn = ({ text }: Shown) => text.match(/\b[a-z2-7]{5}-[a-z2-7]{5}\b/g) ?? [];

/** A dashboard on which ann, an editor, is signed in. */
async function open(options: Parameters<typeof openDashboard>[1] = {}) {
  const app = openTestApp();
  const dashboard = openDashboard(app, options);
  const ann = await dashboard.signIn("editor", "ann");
  /** Opens a link for ann in a browser, and returns the answer. */
  const useLink = async (browser = dashboard.openBrowser()) => {
    const { secret } = await createLink(app, OPERATOR, "ann");
    const answer = await browser.ask(`/link/${secret}`, {
      method: "POST",
      body: new URLSearchParams(),
      headers: { Origin: "http://dashboard.test" },
    });
    return { browser, answer };
  };
  /** Sets the app up, and returns a function that shows its codes. */
  const setUp = async (browser = ann) => {
    const page = await browser.get("/me/totp");
    const shown = await browser.post("/me/totp", { code: codeOn(app, page) });
    return { shown, recovery: recoveryCodesOn(shown), codeOf: (steps = 0) => codeOn(app, page, steps) };
  };
  return { app, ...dashboard, ann, useLink, setUp };
}

describe("The page of the authenticator app", () => {
  test("shows an address and its code, keeps the key over a typing error, and then ten recovery codes once", async () => {
    const { app, ann, setUp } = await open();
    const page = await ann.get("/me/totp");
    expect(page.text).toContain('<svg class="qr"');
    expect(page.headers.get("cache-control")).toBe("no-store");
    const wrong = await ann.post("/me/totp", { code: "000000" });
    expect([wrong.status, codeOn(app, wrong)]).toEqual([400, codeOn(app, page)]);
    expect(wrong.text).toContain("The code is wrong");
    const { shown, recovery } = await setUp();
    expect([shown.status, recovery.length]).toEqual([200, 10]);
    const { items } = await app.store.audit.page({ projects: null, limit: 1 });
    expect(items).toMatchObject([{ action: "second-factor.create", who: "ann", address: "198.51.100.7" }]);
    const after = await ann.get("/me/totp");
    expect(after.text).not.toContain("otpauth:");
    expect(recoveryCodesOn(after)).toEqual([]);
    expect((await ann.get("/me")).text).not.toContain("no authenticator app");
  });

  test("takes a sign-in of the last 15 minutes, and leads over a new one back", async () => {
    const { app, ann } = await open();
    const page = await ann.get("/me/totp");
    app.clock.now += 15 * MINUTE;
    expect((await ann.get("/me/totp")).text).not.toContain("otpauth:");
    const refused = await ann.post("/me/totp", { code: codeOn(app, page) });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("sign in again")]);
    const out = await ann.post("/sign-out", { next: "/me/totp" });
    expect(out.path).toBe("/sign-in?next=%2Fme%2Ftotp");
    expect((await ann.get("/me/totp")).path).toBe("/sign-in?next=%2Fme%2Ftotp");
  });

  test("makes new recovery codes, and removes the app, only when sent by a page of its own", async () => {
    const { app, ann, setUp, useLink } = await open();
    const { recovery, codeOf } = await setUp();
    for (const path of ["/me/totp", "/me/totp/codes", "/me/totp/remove"]) {
      const body = new URLSearchParams({ code: codeOf() });
      for (const headers of [{ Origin: "http://evil.example" }, { Origin: "null" }, {}])
        expect((await ann.ask(path, { method: "POST", body, headers })).status).toBe(403);
    }
    const renewed = recoveryCodesOn(await ann.post("/me/totp/codes", {}));
    expect(renewed).toHaveLength(10);
    expect(renewed.filter((code) => recovery.some((each) => each === code))).toEqual([]);
    const { browser } = await useLink();
    expect((await browser.post("/sign-in/code", { code: recovery[0]! })).status).toBe(401);
    expect((await ann.post("/me/totp/remove", {})).path).toBe("/me");
    expect((await app.store.users.find("ann"))!.secondFactors).toEqual([]);
  });
});

describe("A sign-in that waits for a code", () => {
  test("leads to the page of the code, and from there to where it was going", async () => {
    const { app, useLink, setUp, openBrowser } = await open();
    const { codeOf, recovery } = await setUp();
    const { browser, answer } = await useLink();
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/dashboard/sign-in/code?next=%2Fme%3Fwelcome%3D1",
    ]);
    expect((await browser.get("/sign-in/code")).text).toContain('autocomplete="one-time-code"');
    app.clock.now += MINUTE;
    const { path, status } = await browser.post("/sign-in/code", { code: codeOf(), next: "/start" });
    expect([path, status]).toEqual(["/start", 200]);
    expect([...browser.cookies.keys()].filter((name) => name.endsWith("_begun"))).toEqual([]);
    const again = await useLink();
    expect((await again.browser.post("/sign-in/code", { code: recovery[0]! })).status).toBe(200);
    for (const next of ["//evil.example", "https://evil.example", "/\\evil.example", "/\nx"]) {
      const last = await useLink();
      const body = new URLSearchParams({ code: recovery[1]!, next });
      const headers = { Origin: "http://dashboard.test" };
      const answer = await last.browser.ask("/sign-in/code", { method: "POST", body, headers });
      if (answer.status === 303) expect(answer.headers.get("location")).toBe("/dashboard");
    }
    const stranger = await openBrowser().get("/sign-in/code");
    expect(stranger.path).toBe("/sign-in");
  });

  test("reads nothing and changes nothing, whatever its cookie is sent as", async () => {
    const { app, created, useLink, setUp } = await open();
    await setUp();
    const before = await app.store.readVersion();
    const { browser } = await useLink();
    const [[name, secret]] = [...browser.cookies].filter(([name]) => name.endsWith("_begun")) as [
      [string, string],
    ];
    browser.cookies.set(name.replace("_begun", "_session"), secret);
    for (const { method, place } of placesOf(await created)) {
      const answer = await browser.ask(place, { method, ...(method === "POST" && bodyFor(place)) });
      const isRefused = answer.status === 401 || /\/sign-in(\?|$)/.test(answer.headers.get("location") ?? "");
      expect([method, place, isRefused]).toEqual([method, place, true]);
    }
    expect(await app.store.readVersion()).toEqual(before);
  });

  test("ends with the fifth wrong code, and another browser cannot go on with it", async () => {
    const { app, openBrowser, useLink, setUp } = await open();
    const { codeOf } = await setUp();
    app.clock.now += MINUTE;
    const { browser } = await useLink();
    expect((await openBrowser().post("/sign-in/code", { code: codeOf() })).status).toBe(401);
    for (let count = 0; count < 4; count += 1) {
      const { status, text } = await browser.post("/sign-in/code", { code: "12345" });
      expect([status, text]).toEqual([401, expect.stringContaining("The code is wrong")]);
    }
    const last = await browser.post("/sign-in/code", { code: "12345" });
    expect([last.status, last.text]).toEqual([401, expect.stringContaining("This sign-in has ended")]);
    expect((await browser.post("/sign-in/code", { code: codeOf() })).status).toBe(401);
  });

  test("waits after ten wrong codes", async () => {
    const { useLink, setUp } = await open();
    await setUp();
    for (let count = 0; count < 10; count += 1)
      await (await useLink()).browser.post("/sign-in/code", { code: "000000" });
    const refused = await (await useLink()).browser.post("/sign-in/code", { code: "000000" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  });
});

describe("Where a second factor is needed", () => {
  test("users of the role see the page of the app alone, until it is set up", async () => {
    const { app, openBrowser, useLink, created } = await open({ secondFactor: "editor" });
    const { browser } = await useLink();
    for (const { method, place } of placesOf(await created)) {
      const answer = await browser.ask(place, { method, ...(method === "POST" && bodyFor(place)) });
      if (place.startsWith("/me/totp")) continue;
      const to = answer.headers.get("location");
      const isRefused = answer.status === 403 || /^\/dashboard\/me\/totp(\?next=[^&]+)?$/.test(to ?? "");
      expect([method, place, isRefused]).toEqual([method, place, true]);
    }
    const page = await browser.get("");
    expect([page.path, page.text]).toEqual(["/me/totp", expect.stringContaining("You need a second factor")]);
    expect(page.text).not.toContain('aria-label="Sections"');
    const shown = await browser.post("/me/totp", { code: codeOn(app, page) });
    expect(recoveryCodesOn(shown)).toHaveLength(10);
    expect((await browser.get("")).path).toBe("");
    await browser.post("/me/totp/remove", {});
    expect((await browser.get("")).path).toBe("/me/totp");
    expect((await openBrowser().get("/me/totp")).path).toStartWith("/sign-in");
  });

  test("a page that was asked for comes once the app is set up, also over a typing error or a new sign-in", async () => {
    const { app, useLink } = await open({ secondFactor: "editor" });
    const { browser } = await useLink();
    const asked = await browser.get("/forms?q=a%26b");
    const here = "/me/totp?next=%2Fforms%3Fq%3Da%2526b";
    expect(asked.path).toBe(here);
    app.clock.now += 15 * MINUTE;
    const again = (await browser.get(here)).text;
    expect(again).toContain(`name="next" value="${here}"`);
    app.clock.now -= 15 * MINUTE;
    const page = await browser.get(here);
    const wrong = await browser.post(here, { code: "000000" });
    for (const { text } of [page, wrong]) expect(text).toContain(`action="/dashboard${here}"`);
    const { text } = await browser.post(here, { code: codeOn(app, page) });
    expect(text).toMatch(/href="\/dashboard\/forms\?q=a%26b"[^>]*>I have kept them/);
    expect((await browser.get("/forms?q=a%26b")).path).toBe("/forms?q=a%26b");
  });

  test("and no page of another site", async () => {
    const { app, useLink } = await open({ secondFactor: "editor" });
    const { browser } = await useLink();
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "/../../evil"]) {
      const page = await browser.get(`/me/totp?next=${encodeURIComponent(next)}`);
      expect([next, page.text]).toEqual([next, expect.stringContaining('action="/dashboard/me/totp"')]);
    }
    const page = await browser.get("/me/totp");
    const { text } = await browser.post("/me/totp?next=//evil.example/", { code: codeOn(app, page) });
    expect(text).toMatch(/href="\/dashboard"[^>]*>I have kept them/);
  });

  test("a session whose app is removed is refused from then on", async () => {
    const { app, useLink, setUp } = await open({ secondFactor: "editor" });
    const { browser } = await useLink();
    await setUp(browser);
    const stream = await browser.ask("/events");
    expect(stream.status).toBe(200);
    await stream.body!.cancel();
    await browser.post("/me/totp/remove", {});
    expect((await browser.ask("/events")).status).toBe(403);
    expect((await browser.post("/me/settings", { timeZone: "UTC" })).status).toBe(403);
    expect((await app.store.users.find("ann"))!.settings.timeZone).toBeNull();
  });

  test("weaker users, and those whom a proxy signs in, go on without", async () => {
    const PROXY = { header: "Remote-User", isTrusted: () => true, createAs: null };
    const { signIn, openBrowser } = await open({
      secondFactor: "editor",
      proxy: PROXY,
      dashboardUrl: "http://dashboard.test",
    });
    const named = { headers: { "Remote-User": "ann" } };
    expect((await openBrowser().ask("/me", named)).status).toBe(200);
    expect((await (await signIn("viewer")).get("/me")).path).toBe("/me");
  });
});

describe("An admin", () => {
  test("removes the factors of somebody on the page of users, after a sign-in of the last 15 minutes", async () => {
    const { app, signIn, setUp, ann } = await open();
    await setUp();
    const admin = await signIn("admin");
    expect((await admin.get("/access/users/ann")).text).toContain("Remove the second factors of ann");
    app.clock.now += 15 * MINUTE;
    expect((await admin.post("/access/users/ann", { do: "reset" })).status).toBe(403);
    const again = await signIn("admin");
    expect((await again.post("/access/users/ann", { do: "reset" })).text).toContain(
      "Removed every second factor of ann",
    );
    expect((await ann.get("/me")).path).toStartWith("/sign-in");
    expect((await ann.post("/access/users/ann", { do: "reset" })).status).toBe(401);
  });
});
