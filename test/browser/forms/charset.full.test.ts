import { afterAll, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser } from "../../support/pages/dashboard-browser.ts";

const { data, url, stderr } = await startServer();
const here = onData(data);
const { key } = await here.json<{ key: string }>("forms", "create", "contact");

/** A legacy page in an encoding, with a form of these attributes. */
type Page = { charset: string; attributes: string; more: string };

describeInBrowser("in a browser (needs /usr/bin/chromium), a page that is not UTF-8", () => {
  const browser = openChromium();
  let shown: Page;
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(
        `<!doctype html><title>Page</title><form method="post" action="${url}/v1/s/${key}" ${shown.attributes}>${shown.more}
<input name="name" aria-label="Name"><button>Send</button></form>`,
        { headers: { "Content-Type": `text/html; charset=${shown.charset}` } },
      ),
  });
  afterAll(() => site.stop(true));

  const send = async (given: Page, text: string, answer: RegExp) => {
    shown = given;
    const page = await browser().newPage();
    await page.goto(site.url.href);
    await page.getByLabel("Name").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(answer).first().waitFor();
    await page.close();
  };
  const names = async () =>
    (await here.json<{ data: object }[]>("submissions", "list", "contact")).map((each) => each.data);

  const ENCTYPES = ["", 'enctype="multipart/form-data"'];
  const HIDDEN = '<input type="hidden" name="_charset_">';

  test("sends text that is refused, and not stored with other characters", async () => {
    const before = await names();
    for (const attributes of ENCTYPES) {
      const page = { charset: "iso-8859-1", attributes, more: "" };
      await send(page, "René", /the field name is not UTF-8: .*accept-charset="utf-8"/);
    }
    expect(await names()).toEqual(before);
    expect(stderr()).toContain("a page sends the form contact text that is not UTF-8");
  }, 60_000);

  test.each([
    ["iso-8859-1", "René €"],
    ["windows-1251", "Привет"],
    ["shift_jis", "ソ表"],
    ["gbk", "你好"],
  ])(
    "is stored as typed if its form has a field _charset_, or is sent as UTF-8: %s",
    async (charset, text) => {
      const before = (await names()).length;
      for (const attributes of ENCTYPES) {
        await send({ charset, attributes, more: HIDDEN }, text, /Thank you/);
        await send(
          { charset, attributes: `${attributes} accept-charset="utf-8"`, more: "" },
          text,
          /Thank you/,
        );
      }
      const stored = await names();
      expect(stored.slice(0, stored.length - before)).toEqual(
        Array.from({ length: 4 }, () => ({ name: text })),
      );
    },
    60_000,
  );
});
