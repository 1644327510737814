import { expect, test } from "bun:test";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, linkFor, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

import { PASSWORD } from "./sign-in.ts";

describeInBrowser("Signing in", () => {
  const browser = openChromium();

  test("goes on to the page that was asked for, and to no other site", async () => {
    const server = await startServer();
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/me`);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Save the password" }).click();
    await page.getByText("Saved the password.").waitFor();
    for (const [next, path] of [
      ["/forms?x=1", "/dashboard/forms?x=1"],
      ["//evil.example/", "/dashboard"],
      ["/\\evil.example/", "/dashboard"],
      ["https://evil.example/", "/dashboard"],
    ] as const) {
      await context.clearCookies();
      const answer = await context.request.post(`${server.url}/dashboard/sign-in`, {
        form: { name: "admin", password: PASSWORD, next },
        headers: { origin: server.url },
        maxRedirects: 0,
      });
      expect([answer.status(), answer.headers()["location"]]).toEqual([303, path]);
    }
    await context.close();
  });

  test("makes a name wait after eleven wrong passwords, and lets a link in", async () => {
    const server = await startServer();
    await linkFor(server);
    const context = await browser().newContext();
    const page = await context.newPage();
    const attempt = async (name: string) => {
      const answer = await context.request.post(`${server.url}/dashboard/sign-in`, {
        form: { name, password: "wrong" },
        headers: { origin: server.url },
        maxRedirects: 0,
      });
      return { status: answer.status(), wait: Number(answer.headers()["retry-after"] ?? 0) };
    };
    for (const name of ["admin", "nobody"]) {
      for (let tries = 1; tries <= 10; tries += 1) expect((await attempt(name)).status).toBe(401);
      const { status, wait } = await attempt(name);
      expect(status).toBe(429);
      expect(wait).toBeWithin(1, 61);
    }
    await page.goto(server.url + (await linkFor(server, "admin")));
    await page.getByRole("button", { name: "Sign in here" }).click();
    await page.waitForURL(/\/dashboard\/start/);
    await context.close();
  });

  test("by a proxy's header counts only from a trusted proxy", async () => {
    const args = ["--auth-header", "Remote-User", "--auth-create", "viewer"];
    args.push("--dashboard-url", "http://127.0.0.1");
    const trusting = await startServer([...args, "--trusted-proxy", "127.0.0.1"]);
    const distrusting = await startServer([...args, "--trusted-proxy", "192.0.2.1"]);
    const context = await browser().newContext({ extraHTTPHeaders: { "Remote-User": "ann" } });
    const page = await context.newPage();
    await page.goto(`${trusting.url}/dashboard/me`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("ann");
    await page.goto(`${distrusting.url}/dashboard/me`);
    await page.getByText("There are no users yet").waitFor();
    const api = await context.request.get(`${trusting.url}/api/admin/v1/projects`);
    expect(api.status()).toBe(401);
    await context.close();
  });

  test("to two servers on one host keeps both sessions", async () => {
    const [one, two] = [await startServer(), await startServer(["--base-path", "/two"])];
    const { context, page } = await signInBrowser(browser(), one);
    const link = await linkFor(two);
    await page.goto(`${two.url}${link.startsWith("/two") ? "" : "/two"}${link}`);
    await page.getByRole("button", { name: "Sign in here" }).click();
    await page.waitForURL(/\/two\/dashboard\/start/);
    await page.goto(`${one.url}/dashboard/me`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("admin");
    await page.goto(`${two.url}/two/dashboard/me`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("admin");
    await context.close();
  });

  test("ends everywhere at once when the user is deleted", async () => {
    const server = await startServer();
    await linkFor(server);
    const cli = onData(server.data);
    await cli.json("users", "create", "ann", "--role", "editor");
    const { context, page } = await signInBrowser(browser(), server, { user: "ann" });
    expect((await cli.run("users", "delete", "ann", "--yes")).code).toBe(0);
    await page.goto(`${server.url}/dashboard/forms`);
    await page.getByRole("heading", { name: "Sign in to formflag" }).waitFor();
    await context.close();
  });
});
