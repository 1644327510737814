import { afterAll, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { onData } from "../support/commands.ts";
import { EXECUTABLE, startServer } from "../support/executable.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser } from "../support/pages/dashboard-browser.ts";
import { tempDirectory } from "../support/temp.ts";
import type { Results } from "../../src/experiments/results.ts";

const README = await Bun.file(join(import.meta.dir, "../../README.md")).text();
const VISITORS = 4;

/** The first block of a language in a section of the README. */
function blockOf(title: string, language: string): string {
  const section = README.split(/^## /m).find((each) => each.startsWith(`${title}\n`))!;
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(section)![1]!;
}

describeInBrowser("in a browser (needs /usr/bin/chromium), a page of the README", () => {
  const browser = openChromium();
  let html = "";
  const pages = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><title>Shop</title>${html}`, { headers: { "content-type": "text/html" } }),
  });
  afterAll(() => pages.stop(true));

  test("shows one of two versions to each visitor, and counts who sends the form by what they saw", async () => {
    const { url, data } = await startServer();
    const here = onData(data);
    await here.run("projects", "create", "shop");
    const { key } = await here.json<{ key: string }>("forms", "create", "contact");
    const title = "Compare two versions of a page";
    // The section before it has chosen the project.
    const script = `formflag use -q shop/production\n${blockOf(title, "sh")}`;
    const commands = Bun.spawnSync(["bash", "-euo", "pipefail", "-c", script], {
      env: {
        HOME: tempDirectory(),
        PATH: `${dirname(EXECUTABLE)}:${process.env["PATH"]}`,
        FORMFLAG_DATA: data,
        FORMFLAG_PUBLIC_URL: url,
      },
    });
    expect([commands.exitCode, commands.stderr.toString()]).toEqual([0, ""]);
    const tag = /^<script .*$/m.exec(commands.stdout.toString())![0];
    html = blockOf(title, "html")
      .replace("<!-- the tag -->", tag)
      .replace("http://127.0.0.1:8787", url)
      .replace("YOUR_FORM_KEY", key);

    const sent = { "Buy it": 0, "Try it for a month": 0 };
    for (let visitor = 0; visitor < VISITORS; visitor += 1) {
      const context = await browser().newContext();
      const page = await context.newPage();
      const exposed = page.waitForResponse((answer) => answer.url().includes("/v1/events"));
      await page.goto(pages.url.href);
      expect((await exposed).status()).toBe(200);
      const shown = await page.locator("h1:visible").allInnerTexts();
      expect(shown).toHaveLength(1);
      await page.reload();
      await page.evaluate("formflag.ready");
      expect(await page.locator("h1:visible").allInnerTexts()).toEqual(shown);
      await page.getByLabel("Name").fill(`Visitor ${visitor}`);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Thank you, your submission was received.").waitFor();
      sent[shown[0] as keyof typeof sent] += 1;
      expect(await context.cookies()).toEqual([]);
      await context.close();
    }
    const { metrics } = await here.json<Results>(
      "experiments",
      "results",
      "headline",
      "-p",
      "shop",
      "-e",
      "production",
    );
    const counts = metrics[0]!.variants.map(({ visitors, conversions }) => [visitors, conversions]);
    const [a, b] = Object.values(sent) as [number, number];
    expect(counts).toEqual([
      [a, a],
      [b, b],
    ]);
  }, 60_000);
});
