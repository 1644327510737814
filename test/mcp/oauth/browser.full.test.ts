import { afterAll, expect, test } from "bun:test";
import { addAxe, barriersOf, openChromium } from "../../support/pages/chromium.ts";
import {
  WITHOUT_JAVASCRIPT,
  WITH_JAVASCRIPT,
  describeInBrowser,
} from "../../support/pages/dashboard-browser.ts";
import { callTool, openClient, signIn, startAssistants } from "../../support/oauth.ts";
import { PASSWORD } from "../../browser/sign-in.ts";

const server = await startAssistants();
const ann = await signIn(server, "ann", "editor");
await ann.send("/dashboard/me/password", { next: PASSWORD });

describeInBrowser("Signing an assistant in", () => {
  const browser = openChromium();
  /** A client of this machine, which gets the answer at any port. */
  const client = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("back at the client"),
  });
  afterAll(() => client.stop(true));

  test.each([WITH_JAVASCRIPT, WITHOUT_JAVASCRIPT])(
    "begins at the sign-in page, asks, and ends at the client, $how",
    async ({ javaScriptEnabled }) => {
      const { request, exchange } = await openClient(server);
      const redirect = `http://127.0.0.1:${client.port}/callback`;
      const context = await browser().newContext({
        javaScriptEnabled,
        viewport: { width: 390, height: 844 },
        colorScheme: "dark",
      });
      const page = await context.newPage();
      if (javaScriptEnabled) await addAxe(page);
      const state = "s".repeat(500);
      await page.goto(request({ redirect_uri: redirect, state }));
      await page.getByLabel("Name").fill("ann");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Sign in an assistant" }).waitFor();
      expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(1);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      if (javaScriptEnabled) expect(await barriersOf(page)).toEqual([]);
      await page.getByLabel("Project").selectOption("shop");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("back at the client").waitFor();
      const { searchParams } = new URL(page.url());
      expect(searchParams.get("state")).toBe(state);
      const tokens = await exchange(searchParams.get("code")!, { redirect_uri: redirect });
      expect((await callTool(server, tokens.access_token!)).status).toBe(200);

      await page.goto(`${server.url}/dashboard/me`);
      await page.getByLabel("End Claude of ann").first().click();
      await page.getByRole("button", { name: "End this assistant" }).first().click();
      await page.getByText("Ended the assistant").waitFor();
      expect((await callTool(server, tokens.access_token!)).status).toBe(401);
      await context.close();
    },
  );
});
