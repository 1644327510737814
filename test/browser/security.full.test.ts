import { describe, expect, test } from "bun:test";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, linkFor, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

const FORM = "application/x-www-form-urlencoded";

const server = await startServer();
const commands = onData(server.data);
const entered = await fetch(server.url + (await linkFor(server)), {
  method: "POST",
  headers: { Origin: server.url, "Content-Type": FORM },
  redirect: "manual",
});
const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;

describe("A form of the dashboard", () => {
  const post = async (headers: Record<string, string>, body = "slug=contact", path = "/forms/new") => {
    const answer = await fetch(`${server.url}/dashboard${path}`, {
      method: "POST",
      headers: { Cookie: cookie, "Content-Type": FORM, ...headers },
      body,
      redirect: "manual",
    });
    return answer.status;
  };
  const slugs = async () =>
    (await commands.json<{ slug: string }[]>("forms", "list")).map(({ slug }) => slug).toSorted();

  test("is refused from another site, a sibling port, a sandbox, and where nothing says who sent it", async () => {
    const before = await slugs();
    const { hostname, port } = new URL(server.url);
    for (const headers of [
      { Origin: "https://evil.example" },
      { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" },
      { Origin: `http://${hostname}:${Number(port) + 1}` },
      { Origin: `http://${hostname}` },
      { Origin: `http://localhost:${port}` },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      {},
    ])
      expect([headers, await post(headers as Record<string, string>)]).toEqual([headers, 403]);
    expect(await slugs()).toEqual(before);
  });

  test("is refused as JSON and as plain text of our own origin", async () => {
    const before = await slugs();
    for (const type of ["application/json", "text/plain", "application/octet-stream"])
      expect(await post({ Origin: server.url, "Content-Type": type }, '{"slug":"contact"}')).toBe(415);
    expect(await slugs()).toEqual(before);
  });

  test("is taken from its own page, also behind a proxy that speaks TLS", async () => {
    const before = await slugs();
    expect(await post({ Origin: server.url }, "slug=a")).toBe(303);
    expect(await post({ Origin: server.url.replace("http:", "https:") }, "slug=b")).toBe(303);
    expect(await post({ "Sec-Fetch-Site": "same-origin" }, "slug=c")).toBe(303);
    expect(await slugs()).toEqual([...before, "a", "b", "c"].toSorted());
  });

  test("is refused without a session, and a session is no token", async () => {
    const before = await slugs();
    expect(await post({ Origin: server.url, Cookie: "" }, "slug=d")).toBe(401);
    const secret = cookie.split("=")[1]!;
    const api = await fetch(`${server.url}/api/admin/v1/forms`, {
      headers: { Authorization: `Bearer ${secret}`, Cookie: cookie },
    });
    expect(api.status).toBe(401);
    expect(await slugs()).toEqual(before);
  });

  test("changes nothing as a GET", async () => {
    await commands.json("forms", "create", "got");
    for (const path of ["/sign-out", "/forms/got/state", "/forms/got/test", "/me/password"]) {
      const answer = await fetch(`${server.url}/dashboard${path}`, { headers: { Cookie: cookie } });
      expect(answer.status).toBe(404);
    }
  });

  test("has headers on every answer that forbid what the pages do not need", async () => {
    for (const path of ["/sign-in", "/forms", "/nowhere", "/link/abc"]) {
      const { headers } = await fetch(`${server.url}/dashboard${path}`, { headers: { Cookie: cookie } });
      expect(headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describeInBrowser("A browser", () => {
  const browser = openChromium();

  test("on a plain-HTTP name of the network signs in and sends forms", async () => {
    const server = await startServer();
    const { context, page } = await signInBrowser(browser(), {
      data: server.data,
      url: server.url.replace("127.0.0.1", "insecure.test"),
    });
    await page.goto(new URL("me", page.url()).href);
    await page.getByLabel("New password").fill("correct horse battery");
    await page.getByRole("button", { name: "Save the password" }).click();
    await page.getByText("Saved the password.").waitFor();
    await context.close();
  });

  test("does not show the dashboard in a frame, nor post to it from another origin", async () => {
    const server = await startServer();
    await linkFor(server);
    using foreign = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(
          `<iframe src="${server.url}/dashboard/sign-in"></iframe>
           <form method="post" action="${server.url}/dashboard/forms/new"><input name="slug" value="stolen"><button>Win</button></form>`,
          { headers: { "Content-Type": "text/html" } },
        ),
    });
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(foreign.url.href);
    const frame = page.frames().find((each) => each !== page.mainFrame())!;
    expect(await frame.locator("main").count()).toBe(0);
    await page.getByRole("button", { name: "Win" }).click();
    await page.getByRole("heading", { name: "Not allowed" }).waitFor();
    expect(await onData(server.data).json<unknown[]>("forms", "list")).toEqual([]);
    await context.close();
  });

  test("has seven tabs open at once, and each loads", async () => {
    const server = await startServer();
    const { context } = await signInBrowser(browser(), server);
    const tabs = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    for (const tab of tabs) {
      await tab.bringToFront();
      await tab.goto(`${server.url}/dashboard/forms`);
      await tab.getByRole("heading", { name: "Forms" }).waitFor();
    }
    await context.close();
  });
});
