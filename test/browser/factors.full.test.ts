import { createHmac } from "node:crypto";
import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { barriersOf, openChromium } from "../support/pages/chromium.ts";
import { addDevice, describeInBrowser, linkFor, signInBrowser } from "../support/pages/dashboard-browser.ts";

/** The code that an app shows, from the address on the page, as an app computes it. */
function codeOf(address: string, steps = 0): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(new URL(address).searchParams.get("secret")!)
    .map((character) => alphabet.indexOf(character).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", key).update(counter).digest();
  return String((mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

describeInBrowser("Second factors", () => {
  const browser = openChromium();

  test("an authenticator app is set up, and its code and a recovery code sign in", async () => {
    const server = await startServer();
    await onData(server.data).json("users", "create", "ann", "--role", "admin");
    const { context, page } = await signInBrowser(browser(), server, { user: "ann" });
    await page.goto(`${server.url}/dashboard/me`);
    await page.getByText("no authenticator app").click();
    await page.getByRole("link", { name: "Set up an authenticator app" }).click();
    await page.getByText("The key as text").click();
    const address = (await page.locator("#address").textContent())!.trim();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await page.getByRole("button", { name: "Set up the app" }).click();
    await page.getByText("The code is wrong").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(codeOf(address));
    await page.getByRole("button", { name: "Set up the app" }).click();
    const codes = (await page.locator("#codes").textContent())!.trim().split(/\s+/);
    expect(codes).toHaveLength(10);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("link", { name: "I have kept them" }).click();
    for (const code of [codeOf(address, 1), codes[0]!]) {
      await page.getByRole("button", { name: "Sign out" }).first().click();
      await page.getByRole("heading", { name: "Sign in to formflag" }).waitFor();
      await page.goto(server.url + (await linkFor(server, "ann")));
      await page.getByRole("button", { name: "Sign in here" }).click();
      await page.getByLabel("Code", { exact: true }).fill("1");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("The code is wrong").waitFor();
      expect(await barriersOf(page)).toEqual([]);
      await page.getByLabel("Code", { exact: true }).fill(code);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/\/dashboard\/(me|start)/);
    }
    await context.close();
  }, 60_000);

  test("a passkey is added and signs in; a device that has one already says so", async () => {
    const server = await startServer();
    // An address has no passkeys.
    const url = server.url.replace("127.0.0.1", "localhost");
    await onData(server.data).json("users", "create", "ann", "--role", "viewer");
    const { context, page } = await signInBrowser(browser(), { ...server, url }, { user: "ann" });
    const { client, authenticatorId } = await addDevice(page);
    const add = async () => {
      await page.goto(`${url}/dashboard/me`);
      await page.locator("summary", { hasText: "Passkeys" }).click();
      await page.getByLabel("Name of a new passkey").fill("Laptop");
      await page.getByRole("button", { name: "Add a passkey" }).click();
    };
    await add();
    await page.getByText("Added the passkey Laptop").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    const { credentials } = await client.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);
    await add();
    await page.getByText("This device has a passkey of yours already.").waitFor();
    expect(await onData(server.data).json("users", "get", "ann")).toMatchObject({
      secondFactors: ["passkey"],
    });

    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { name: "Sign in to formflag" }).waitFor();
    await page.goto(`${url}/dashboard/forms`);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${url}/dashboard/forms`);
    await page.goto(`${url}/dashboard/me`);
    await page.getByRole("cell", { name: "passkey" }).waitFor();
    await page.locator("summary", { hasText: "Passkeys" }).click();
    await page.getByLabel("Remove the passkey Laptop").click();
    await page.getByRole("button", { name: "Remove the passkey" }).click();
    await page.getByText("Removed the passkey.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { name: "Sign in to formflag" }).waitFor();
    expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
    await context.close();
  }, 60_000);

  test("a page at an address says that passkeys need localhost", async () => {
    const server = await startServer();
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/me`);
    await page.locator("summary", { hasText: "Passkeys" }).click();
    await page.getByLabel("Name of a new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText(/Passkeys need a name, and 127\.0\.0\.1 is an address/).waitFor();
    await context.close();
  }, 60_000);
});
