import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import {
  WITHOUT_JAVASCRIPT,
  WITH_JAVASCRIPT,
  createUsers,
  describeInBrowser,
  linkFor,
  signInBrowser,
} from "../../support/pages/dashboard-browser.ts";

const server = await startServer();
const cli = onData(server.data);
await linkFor(server);
await createUsers(server, "inbox");

const row = (page: Page, number: number) => page.getByRole("group", { name: `Field ${number}`, exact: true });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });

describeInBrowser("The fields of a form", () => {
  const browser = openChromium();

  for (const { how, javaScriptEnabled } of [WITH_JAVASCRIPT, WITHOUT_JAVASCRIPT])
    test(`are built as rows, shown, saved and sent, ${how}`, async () => {
      const slug = `order-${javaScriptEnabled}`;
      const { key } = await cli.json<{ key: string }>("forms", "create", slug);
      const { context, page } = await signInBrowser(browser(), server, { user: "inbox", javaScriptEnabled });
      await page.goto(`${server.url}/dashboard/forms/${slug}`);
      await page.getByRole("link", { name: "Fields" }).click();
      await row(page, 1).getByLabel("Label").fill("Your name");
      await row(page, 1).getByLabel("Required").check();
      await press(page, "Add field");
      await row(page, 2).getByLabel("Label").fill("Size");
      expect(await row(page, 2).getByLabel("Choices").isVisible()).toBe(false);
      await row(page, 2).getByLabel("Type").selectOption("choice");
      await row(page, 2).getByLabel("Choices").fill("S\nM");
      await row(page, 2).getByLabel("Help").fill("As in shops");
      if (!javaScriptEnabled) await press(page, "Check");
      await preview(page).getByText("As in shops").waitFor();
      expect(await preview(page).getByLabel("Size").locator("option").allTextContents()).toEqual([
        "Please choose",
        "S",
        "M",
      ]);
      await row(page, 2).getByRole("button", { name: "Up" }).click();
      await eventually("the rows have changed places", async () => {
        return (await row(page, 1).getByLabel("Label").inputValue()) === "Size";
      });
      await press(page, "JSON");
      expect(await page.getByLabel("JSON Schema").inputValue()).toContain('"title": "Your name"');
      await press(page, "Rows");
      await row(page, 2).waitFor();
      await press(page, "Save fields");
      await page.getByText("Saved the fields").waitFor();
      const { schema } = await cli.json<{ schema: { properties: object } }>("forms", "get", slug);
      expect(schema).toMatchObject({
        required: ["your_name"],
        properties: { size: { enum: ["S", "M"], description: "As in shops" } },
      });
      expect(Object.keys(schema.properties)).toEqual(["size", "your_name"]);
      const { stdout } = await cli.run("forms", "snippet", slug);
      for (const text of ["Your name", "As in shops", '<option value="M">M</option>'])
        expect(stdout).toContain(text);
      const body = new URLSearchParams({ your_name: "Ada", size: "M" });
      const sent = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
      expect(sent.status).toBe(200);
      const { id } = (await sent.json()) as { id: string };
      await page.goto(`${server.url}/dashboard/inbox/${slug}/${id}`);
      await page.getByRole("heading", { name: "Ada" }).waitFor();
      await page.locator("article dt", { hasText: /^Size$/i }).waitFor();
      await context.close();
    });
});
