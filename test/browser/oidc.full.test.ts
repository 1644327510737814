import { expect, test } from "bun:test";
import { emptyData, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { CLIENT_ID, CLIENT_SECRET } from "../support/oidc/client.ts";
import { startProvider } from "../support/oidc/provider.ts";
import { openChromium } from "../support/pages/chromium.ts";
import {
  WITHOUT_JAVASCRIPT,
  WITH_JAVASCRIPT,
  describeInBrowser,
  signInBrowser,
} from "../support/pages/dashboard-browser.ts";
import { freePort } from "../support/peers/ports.ts";

describeInBrowser("an OpenID provider", () => {
  const chromium = openChromium();

  async function start() {
    const url = `http://127.0.0.1:${freePort()}`;
    const peer = await startProvider({
      callback: `${url}/dashboard/sign-in/oidc/callback`,
      backChannel: `${url}/dashboard/sign-in/oidc/logout`,
    });
    const data = emptyData();
    await onData(data).json("users", "create", "boss", "--role", "admin");
    const provider = ["--oidc-issuer", peer.issuer, "--oidc-client-id", CLIENT_ID, "--oidc-name", "Company"];
    const server = await startServer(
      ["--listen", url.slice(7), "--dashboard-url", url, ...provider, "--oidc-create", "viewer"],
      { data, env: { FORMFLAG_OIDC_CLIENT_SECRET: CLIENT_SECRET } },
    );
    return { url, peer, server };
  }

  test.each([WITH_JAVASCRIPT, WITHOUT_JAVASCRIPT])(
    "signs in, signs out there, and is connected on the page of an account, $how",
    async ({ javaScriptEnabled }) => {
      const { url, peer, server } = await start();
      const context = await chromium().newContext({ javaScriptEnabled });
      const page = await context.newPage();
      const refused: string[] = [];
      page.on(
        "console",
        (message) => void (/Security Policy/.test(message.text()) && refused.push(message.text())),
      );
      peer.setPerson({ subject: "one", claims: { preferred_username: "ann" } });
      await page.goto(`${url}/dashboard/inbox`);
      await page.getByRole("link", { name: "Sign in with Company" }).click();
      await page.waitForURL(`${url}/dashboard/inbox`);
      await page.goto(`${url}/dashboard/me`);
      await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(`${peer.issuer}/session/end?client_id=${CLIENT_ID}`);
      await page.goto(`${url}/dashboard/me`);
      expect(page.url()).toStartWith(`${url}/dashboard/sign-in`);

      const boss = await signInBrowser(chromium(), server, { user: "boss", javaScriptEnabled });
      peer.setPerson({ subject: "two" });
      await boss.page.goto(`${url}/dashboard/me`);
      await boss.page.locator("summary", { hasText: "Company" }).click();
      await boss.page.getByRole("button", { name: "Connect" }).click();
      await boss.page.getByText("Connected your account at Company").waitFor();
      expect(refused).toEqual([]);
      await server.stop();
    },
    60_000,
  );
});
