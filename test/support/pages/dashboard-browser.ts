import { describe } from "bun:test";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { hasChromium } from "./chromium.ts";
import { onData } from "../commands.ts";
import type { RunningServer } from "../executable.ts";

/** Tests of pages in a browser. Without one they are skipped, and say so. */
export const describeInBrowser = describe.skipIf(!hasChromium);

/** How pages are used: `how` ends the titles of tests. */
export type Way = { how: string; javaScriptEnabled: boolean };

export const WITH_JAVASCRIPT: Way = { how: "with JavaScript", javaScriptEnabled: true };
export const WITHOUT_JAVASCRIPT: Way = { how: "without JavaScript", javaScriptEnabled: false };

type Link = { name: string; url: string; expiresAt: string };

/** The path of a new link that signs a user in, made on the command line. */
export async function linkFor({ data }: Pick<RunningServer, "data">, ...user: string[]): Promise<string> {
  const { url } = await onData(data).json<Link>("users", "link", ...user);
  // Tests reach a server by other addresses too.
  return url.slice(url.indexOf("/dashboard/"));
}

/** The cookies of users who have signed in, by server and name. */
const cookies = new Map<string, Awaited<ReturnType<BrowserContext["cookies"]>>>();

/**
 * Signs a user in by a link, in a browser of their own. Without a name: the first administrator. A user who has signed in
 * before goes on in the same session: it saves two pages, which are a second of work.
 */
export async function signInBrowser(
  browser: Browser,
  server: Pick<RunningServer, "url" | "data">,
  { user, ...options }: { user?: string } & NonNullable<Parameters<Browser["newContext"]>[0]> = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options);
  // Below that of a test, so that the wait that failed says so.
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const key = `${server.url} ${server.data} ${user}`;
  const kept = cookies.get(key);
  if (kept) {
    await context.addCookies(kept);
    return { context, page };
  }
  await page.goto(server.url + (await linkFor(server, ...(user ? [user] : []))));
  await page.getByRole("button", { name: "Sign in here" }).click();
  await page.waitForURL(/\/dashboard\/(me|start)/);
  cookies.set(key, await context.cookies());
  return { context, page };
}

/** Creates users with these roles, each called like its role. */
export async function createUsers({ data }: Pick<RunningServer, "data">, ...roles: string[]): Promise<void> {
  for (const role of roles) await onData(data).json("users", "create", role, "--role", role);
}

/** Gives a page a device that makes passkeys, which is always touched and verified. */
export async function addDevice(page: Page): Promise<{ client: CDPSession; authenticatorId: string }> {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { client, authenticatorId };
}
