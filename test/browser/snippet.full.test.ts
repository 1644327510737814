import { afterAll, expect, test } from "bun:test";
import { openChromium } from "../support/pages/chromium.ts";
import { formflag, onData } from "../support/commands.ts";
import { describeInBrowser } from "../support/pages/dashboard-browser.ts";
import { startServer } from "../support/executable.ts";
import { FORM_SCHEMA } from "../support/records/form-schema.ts";

const { data, url } = await startServer();
const here = onData(data);
await here.run("forms", "create", "apply", "--schema", JSON.stringify(FORM_SCHEMA));

/** A snippet of that kind for a page. */
async function snippet(kind: string): Promise<string> {
  const args = ["forms", "snippet", "apply", "--kind", kind, "--data", data];
  return (await formflag(args, { env: { FORMFLAG_PUBLIC_URL: url } })).stdout;
}

type Listed = { data: Record<string, unknown> };

/** The newest submission of the form. */
async function newest(): Promise<Listed> {
  return (await here.json<Listed[]>("submissions", "list", "apply", "--limit", "1"))[0]!;
}

describeInBrowser("in a browser (needs /usr/bin/chromium), a snippet", () => {
  const browser = openChromium();
  let html = "";
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><title>Page</title>${html}`, {
        headers: { "Content-Type": "text/html; charset=utf-8" },
      }),
  });
  afterAll(() => site.stop(true));

  test.each(["html", "fetch"])(
    "of the kind %s sends the form",
    async (kind) => {
      html = await snippet(kind);
      const page = await browser().newPage();
      await page.goto(site.url.href);
      await page.getByLabel("Your <name>").fill("Ann of Green");
      await page.getByLabel("Email").fill("ann@example.com");
      await page.getByLabel("2").check();
      await page.getByLabel("it's").check();
      await page.getByLabel("Age").fill("19");
      await page.getByLabel("Motto").fill("abc");
      await page.getByLabel("Consent").check();
      const send = () => page.getByRole("button", { name: "Send" }).click();
      await send();
      if (kind === "fetch") {
        await page.getByText("motto is not in the expected format").waitFor();
      } else {
        await page.getByText("Please check this entry.").waitFor();
        await page.goBack();
      }
      await page.getByLabel("Motto").fill("XYZ");
      await send();
      await page
        .getByText(kind === "fetch" ? "Thank you, your submission was received." : "Thank you")
        .waitFor();
      const { data } = await newest();
      const typed = { size: 2, topics: ["it's"], age: 19, edition: 2027, consent: true };
      const texts = { size: "2", topics: "it's", age: "19", edition: "2027", consent: "true" };
      expect(data).toMatchObject({
        name: "Ann of Green",
        motto: "XYZ",
        ...(kind === "fetch" ? typed : texts),
      });
      await page.close();
    },
    60_000,
  );
});
