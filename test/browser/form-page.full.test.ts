import { afterAll, beforeAll, expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { NewForm } from "../../src/forms/form.ts";
import { clientAt } from "../support/app.ts";
import { barriersOf, openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser } from "../support/pages/dashboard-browser.ts";
import { CLIENT, openInbox } from "../support/inbox.ts";

const schema = {
  title: "Apply",
  description: "We answer within a week.",
  required: ["name", "size", "consent"],
  properties: {
    name: { title: "Name", minLength: 2, maxLength: 80 },
    email: { title: "Email", format: "email", description: "For our answer" },
    size: { title: "Size", enum: ["S", "M"] },
    track: { title: "Track", enum: ["a", "b"] },
    topics: { title: "Topics", description: "One", type: "array", items: { enum: ["x", "y"] }, maxItems: 1 },
    start: { title: "Start", format: "date-time" },
    about: { title: "About", maxLength: 500 },
    cv: { title: "CV", format: "binary" },
    plan: { title: "Plan", readOnly: true, default: "free" },
    consent: { title: "I agree", const: true },
  },
};

describeInBrowser("the page of a form in a browser (needs /usr/bin/chromium)", () => {
  const browser = openChromium();
  const { app, forms, newForm } = openInbox();
  let server: Bun.Server<undefined>;

  beforeAll(() => {
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => forms.routes.fetch(request, { client: clientAt(CLIENT) }),
    });
  });
  afterAll(() => server?.stop(true));

  /** The page of a new form. */
  async function visit(
    settings: Partial<NewForm> = {},
    options: BrowserContextOptions = {},
    host = "127.0.0.1",
  ): Promise<{ page: Page; form: { key: string } }> {
    const form = await newForm({ schema, page: true, uploads: true, ...settings });
    const context = await browser().newContext(options);
    const page = await context.newPage();
    await page.goto(`http://${host}:${server.port}/v1/f/${form.key}`);
    return { page, form };
  }

  /** Sends what a browser would not let pass. */
  async function sendAnyway(page: Page): Promise<void> {
    await page.evaluate("document.forms[0].noValidate = true");
    await page.locator("button").click();
  }

  const inbox = async ({ key }: { key: string }) =>
    (await app.store.submissions.list(key, 10, null)).submissions.map(({ data }) => data);

  test("is filled in, corrected and sent without JavaScript, where the form limits its origins too", async () => {
    const { page, form } = await visit(
      { allowedOrigins: ["https://example.com"], successMessage: "See you" },
      { javaScriptEnabled: false },
    );
    await page.getByLabel("Name").fill("A");
    await page.getByLabel("Email").fill("ann@example.com");
    await page.getByLabel("M", { exact: true }).check();
    await page.getByLabel("Start").fill("2027-01-31T14:30");
    await page.getByLabel("About").fill("one\ntwo");
    await page
      .getByLabel("CV")
      .setInputFiles({ name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await page.getByLabel("I agree").check();
    await page.getByRole("button", { name: "Send" }).click();
    // The browser itself refuses the short name.
    expect(await page.getByLabel("Name").evaluate((input) => input.matches(":focus:invalid"))).toBe(true);
    await sendAnyway(page);
    expect(await page.title()).toBe("Error: Apply");
    expect(await page.locator(":focus").getAttribute("name")).toBe("name");
    expect(await page.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByText("Please choose the file again.").count()).toBe(1);
    await page.getByLabel("Name").fill("Ann");
    await page
      .getByLabel("CV")
      .setInputFiles({ name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await page.getByRole("button", { name: "Send" }).click();
    expect(await page.getByText("See you").count()).toBe(1);
    expect(await page.getByRole("link", { name: "Back to the form" }).getAttribute("href")).toEndWith(
      form.key,
    );
    expect(await inbox(form)).toEqual([
      {
        name: "Ann",
        email: "ann@example.com",
        size: "M",
        track: "",
        start: "2027-01-31T14:30",
        about: "one\r\ntwo",
        plan: "free",
        consent: "true",
      },
    ]);
    await page.context().close();
  }, 60_000);

  test.each<["light" | "dark", number]>([
    ["light", 390],
    ["dark", 1280],
  ])(
    "has no barriers in %s, %i pixels wide",
    async (colorScheme, width) => {
      const { page } = await visit({ language: "de" }, { colorScheme, viewport: { width, height: 800 } });
      expect(await barriersOf(page)).toEqual([]);
      await page.getByLabel("Email").fill("x");
      await page.getByLabel("x", { exact: true }).check();
      await page.getByLabel("y", { exact: true }).check();
      await sendAnyway(page);
      expect(await page.getByRole("listitem").count()).toBe(5);
      expect(await barriersOf(page)).toEqual([]);
      const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      expect(await page.evaluate(isWide)).toBe(false);
      await page.getByRole("link", { name: /Size/ }).click();
      expect(await page.evaluate("document.querySelector(':target').value")).toBe("S");
      await page.context().close();
    },
    60_000,
  );

  const withMessage = { schema: { required: ["message"], properties: { message: { minLength: 3 } } } };

  test("solves its challenge, in its language, also after a correction", async () => {
    const { page, form } = await visit({ ...withMessage, challenge: true, language: "es" });
    const solve = async () => {
      await page.getByLabel("No soy un robot").press("Space");
      await page.locator('.altcha[data-state="verified"]').waitFor();
    };
    await page.getByLabel("Message").fill("x");
    await solve();
    expect(await barriersOf(page)).toEqual([]);
    await sendAnyway(page);
    await page.getByLabel("Message").fill("Hello");
    await solve();
    await page.getByRole("button", { name: "Enviar" }).click();
    expect(await page.getByRole("heading").innerText()).toBe("Gracias");
    expect(await inbox(form)).toEqual([{ message: "Hello" }]);
    await page.context().close();
  }, 60_000);

  test("explains that a challenge needs https", async () => {
    const { page } = await visit({ ...withMessage, challenge: true }, {}, "insecure.test");
    await page.getByText("This form can only be sent from a page opened with https.").waitFor();
    await page.context().close();
  }, 60_000);
});
