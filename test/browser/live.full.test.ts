import { expect, test } from "bun:test";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

const server = await startServer();
const cli = onData(server.data);
const { key } = await cli.json<{ key: string }>("forms", "create", "contact");

const ACTIVE = "document.activeElement?.getAttribute('type')";

describeInBrowser("An open page", () => {
  const browser = openChromium();

  test("shows what somebody posts from a page of theirs, and keeps focus, scrolling and typed text", async () => {
    const send = (name: string) =>
      fetch(`${server.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ name }) });
    for (let index = 0; index < 40; index += 1) await send(`Person ${index}`);
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/inbox`);
    const search = page.getByRole("searchbox");
    await search.focus();
    await page.evaluate("scrollTo(0, 600)");
    const row = page.locator(".submissions li", { hasText: "Person 30" });
    const before = (await row.boundingBox())!;

    using site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(
          `<form method="post" action="${server.url}/v1/s/${key}"><input name="name" value="Ada"><button>Send</button></form>`,
          { headers: { "Content-Type": "text/html" } },
        ),
    });
    const visitor = await browser().newContext();
    const form = await visitor.newPage();
    await form.goto(site.url.href);
    await form.getByRole("button", { name: "Send" }).click();
    await page.locator(".submissions").getByText("Ada").first().waitFor();
    expect(await page.evaluate<string>(ACTIVE)).toBe("search");
    // The rows that somebody reads stay where they are, whatever is added above them.
    expect(Math.abs((await row.boundingBox())!.y - before.y)).toBeLessThan(2);

    await search.fill("somebody types this");
    await send("Grace");
    await page.getByText("1 new").waitFor();
    expect(await page.locator(".submissions").getByText("Grace").count()).toBe(0);
    expect(await search.inputValue()).toBe("somebody types this");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.locator(".submissions").getByText("Grace").first().waitFor();
    await Promise.all([context.close(), visitor.close()]);
  });

  test("shows what came after the page was made and before it listened", async () => {
    // No page has listened to a server that has just started.
    const before = await startServer();
    const { key } = await onData(before.data).json<{ key: string }>("forms", "create", "early");
    await (await signInBrowser(browser(), before)).context.close();
    await before.stop();
    const { url } = await startServer(["--listen", new URL(before.url).host], { data: before.data });
    const { context, page } = await signInBrowser(browser(), before);
    const listens = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route(/dashboard\/events/, async (route) => {
      listens.resolve();
      await held.promise;
      await route.continue();
    });
    await page.goto(`${url}/dashboard/inbox`);
    await listens.promise;
    await fetch(`${url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ name: "Early" }) });
    held.resolve();
    await page.getByRole("link", { name: /Early/ }).waitFor();
    await context.close();
  });

  test("keeps the result of an action where an older state of the page comes late, and says that a page is gone", async () => {
    const send = (name: string) =>
      fetch(`${server.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ name }) });
    await send("Late");
    const [{ id }] = await cli.json<[{ id: string }]>("submissions", "list", "contact", "--limit", "1");
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/inbox/contact/${id}?folder=inbox`);
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const passed = Promise.withResolvers<void>();
    let updates = 0;
    await page.route(/inbox\/contact\//, async (route) => {
      if (route.request().headers()["x-update"] === undefined || (updates += 1) > 1) return route.continue();
      const response = await route.fetch();
      asked.resolve();
      await held.promise;
      await route.fulfill({ response });
      passed.resolve();
    });
    await send("One more");
    await asked.promise;
    await page.keyboard.press("u");
    const toggle = page.locator("article .menu button", { hasText: "Mark as read" });
    await toggle.waitFor({ state: "attached" });
    await page.evaluate(
      `new MutationObserver(() => { window.isOlder ||= document.querySelector("article .bar").textContent.includes("Mark as unread") })
        .observe(document.body, { subtree: true, childList: true, characterData: true })`,
    );
    held.resolve();
    await passed.promise;
    await send("The last");
    await page.getByRole("link", { name: /The last/ }).waitFor();
    expect(await page.evaluate<boolean>("window.isOlder")).toBe(false);
    const request = { form: { submission: id }, headers: { origin: server.url }, maxRedirects: 0 };
    expect((await page.request.post(`${server.url}/dashboard/inbox/delete`, request)).status()).toBe(303);
    await page.getByText("This page does not exist any more.").waitFor();
    await context.close();
  });

  test("says so when the server is gone, keeps what was typed, and goes on when it is back", async () => {
    const first = await startServer();
    const { context, page } = await signInBrowser(browser(), first);
    await page.goto(`${first.url}/dashboard/forms/new`);
    await page.getByLabel("Slug").fill("orders");
    await first.stop("SIGKILL");
    await page.getByText("Not connected. Trying again").waitFor();
    await page.getByRole("button", { name: "Create the form" }).click();
    await page.getByText("What you typed is still here.").waitFor();
    expect(await page.getByLabel("Slug").inputValue()).toBe("orders");
    await startServer(["--listen", new URL(first.url).host], { data: first.data });
    await page.getByText("Not connected. Trying again").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "orders" }).waitFor();
    expect(await onData(first.data).json<unknown[]>("forms", "list")).toHaveLength(1);
    await context.close();
  });

  test("shows the secret of a new token once, and not when somebody goes back", async () => {
    const { context, page } = await signInBrowser(browser(), server, { user: "admin" });
    await page.goto(`${server.url}/dashboard/access/tokens`);
    await page.getByLabel("Name").fill("pipeline");
    await page.getByText("Something else: scopes").click();
    await page.getByLabel("flags:read", { exact: true }).check();
    await page.getByRole("button", { name: "Create the token" }).click();
    const secret = page.getByText(/^ff_[\w-]{43}$/);
    const text = (await secret.first().textContent())!;
    const answer = await fetch(`${server.url}/api/admin/v1/projects`, {
      headers: { Authorization: `Bearer ${text}` },
    });
    expect(answer.status).toBe(200);
    await page.getByRole("link", { name: "Forms" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Forms" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Access" }).waitFor();
    await page.locator("#token-pipeline").waitFor();
    expect(await page.content()).not.toContain(text);
    await context.close();
  });

  test("loads under a base path, and its forms and links stay there", async () => {
    const based = await startServer(["--base-path", "/tools/formflag"]);
    const root = `${based.url}/tools/formflag`;
    const { context, page } = await signInBrowser(browser(), { data: based.data, url: root });
    await page.goto(`${root}/dashboard/forms/new`);
    await page.getByLabel("Slug").fill("orders");
    await page.getByRole("button", { name: "Create the form" }).click();
    await page.getByRole("heading", { level: 1, name: "orders" }).waitFor();
    for (const name of ["Today", "Inbox", "Flags", "Deliveries"]) {
      // A number of what waits may follow the name.
      await page
        .getByRole("link", { name: new RegExp(`^${name}`) })
        .first()
        .click();
      await page.waitForURL(/\/tools\/formflag\/dashboard/);
      await page.getByRole("heading", { level: 1, name: name === "Flags" ? "default" : name }).waitFor();
    }
    await context.close();
  });
});
