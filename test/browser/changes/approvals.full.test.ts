import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { barriersOf, openChromium } from "../../support/pages/chromium.ts";
import { addDevice, describeInBrowser, signInBrowser } from "../../support/pages/dashboard-browser.ts";

/** A phone of 2025. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Interactions from the link of a notice to an approved change, of which the device takes one. */
const MOST_INTERACTIONS = 4;

/** A server with a change of production that waits for an approval, and who approves on a phone. */
async function open(browser: ReturnType<ReturnType<typeof openChromium>>, javaScriptEnabled = true) {
  const server = await startServer();
  const here = onData(server.data);
  const run = (...args: string[]) => here.run(...args);
  const json = <T>(...args: string[]): Promise<T> => here.json<T>(...args);
  await run("projects", "create", "shop", "--environments", "production");
  await run("users", "create", "ann", "--role", "releaser");
  const requireFactor = (factor: string, ...more: string[]) =>
    run(
      "environments",
      "set",
      "production",
      "-p",
      "shop",
      "--approvals",
      "1",
      "--approve-with",
      factor,
      ...more,
    );
  await requireFactor("passkey");
  const flag = ["flags", "set", "checkout", "-p", "shop", "-e", "production"];
  const why = ["--why", "measured for a week; conversion is up by two points in staging"];
  const { change } = await json<{ change: ProposalView }>(...flag, "--on", "--propose", ...why);
  // An address has no passkeys.
  const url = server.url.replace("127.0.0.1", "localhost");
  const signedIn = await signInBrowser(browser, { ...server, url }, { user: "ann" });
  const context = await browser.newContext({ ...PHONE, javaScriptEnabled });
  await context.addCookies(await signedIn.context.cookies());
  const page = await context.newPage();
  const addPasskey = async () => {
    const device = await addDevice(page);
    await page.goto(`${url}/dashboard/me`);
    await page.locator("summary", { hasText: "Passkeys" }).click();
    await page.getByLabel("Name of a new passkey").fill("Phone");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Added the passkey Phone").waitFor();
    return device;
  };
  const link = `${url}/dashboard/projects/shop/changes/${change.id}`;
  return { run, json, requireFactor, change, page, context, addPasskey, link };
}

/** Whether all of an element is in the first screen of a phone. */
async function isInSight(element: Locator): Promise<boolean> {
  const box = (await element.boundingBox())!;
  return box.y >= 0 && box.y + box.height <= PHONE.viewport.height;
}

describeInBrowser("A proposal on a phone", () => {
  const browser = openChromium();

  test("is approved with a passkey in four interactions at most, from the link of its notice", async () => {
    const { json, change, page, context, addPasskey, link } = await open(browser());
    const { client, authenticatorId } = await addPasskey();
    let interactions = 0;
    // The device is touched once for each use of a passkey.
    client.on("WebAuthn.credentialAsserted", () => (interactions += 1));
    await page.goto(link);
    const approve = page.getByRole("button", { name: "Approve with a passkey" });
    expect(await isInSight(page.getByText("+ on"))).toBe(true);
    expect(await isInSight(page.getByText("checkout in production", { exact: true }))).toBe(true);
    expect(await isInSight(approve)).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.viewport.width);
    expect(await barriersOf(page)).toEqual([]);
    await approve.tap();
    interactions += 1;
    await page.getByText("Approved: it can be applied.").waitFor();
    await page.getByText("with a passkey").first().waitFor();
    expect(interactions).toBeGreaterThan(1);
    expect(interactions).toBeLessThanOrEqual(MOST_INTERACTIONS);
    const { credentials } = await client.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toHaveLength(1);
    const approved = await json<ProposalView>("changes", "get", change.id, "-p", "shop");
    expect(approved).toMatchObject({ reviews: [{ who: "ann", factor: "passkey" }] });
    const [entry] = await json<[{ who: string; details: object }]>(
      "audit",
      "list",
      "--action",
      "change.approve",
    );
    expect(entry).toMatchObject({ who: "ann", details: { with: "passkey" } });
    expect(await isInSight(page.getByRole("button", { name: "Apply" }))).toBe(true);
    await page.getByRole("button", { name: "Apply" }).tap();
    await page.getByText("Applied:").waitFor();
    await context.close();
  }, 60_000);

  test("says what a device that does not verify its user has done, and stays open", async () => {
    const { json, change, page, context, addPasskey, link } = await open(browser());
    const { client, authenticatorId } = await addPasskey();
    await client.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.goto(link);
    await page.getByRole("button", { name: "Approve with a passkey" }).tap();
    await page.getByText("No passkey was used.").waitFor();
    expect(await json<ProposalView>("changes", "get", change.id, "-p", "shop")).toMatchObject({
      status: "open",
      reviews: [],
    });
    await context.close();
  }, 60_000);

  test("is read, rejected and withdrawn without JavaScript, and says that a passkey takes it", async () => {
    const { json, requireFactor, change, page, context, link } = await open(browser(), false);
    await page.goto(link);
    expect(await isInSight(page.getByText("takes a passkey, which you do not have"))).toBe(true);
    await requireFactor("none", "--confirm", "production");
    await page.goto(link);
    expect(await page.getByRole("button", { name: "Approve with a passkey" }).count()).toBe(0);
    await page.getByText("Reject…").tap();
    await page.getByLabel("Why").fill("not before Friday");
    await page.getByRole("button", { name: "Reject" }).tap();
    await page.getByText("not before Friday").waitFor();
    expect(await json<ProposalView>("changes", "get", change.id, "-p", "shop")).toMatchObject({
      status: "rejected",
    });
    await context.close();
  }, 60_000);
});
