import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser } from "../../support/pages/dashboard-browser.ts";

const { data, url } = await startServer();
const here = onData(data);

const PROPERTIES = {
  email: { type: "string", format: "email" },
  uri: { type: "string", format: "uri" },
  date: { type: "string", format: "date" },
  time: { type: "string", format: "time" },
  moment: { type: "string", format: "date-time" },
  count: { type: "integer", minimum: -5 },
  price: { type: "number" },
};
const schema = JSON.stringify({ type: "object", properties: PROPERTIES });
const { key } = await here.json<{ key: string }>(
  "forms",
  "create",
  "all",
  "--schema",
  schema,
  "--page",
  "on",
);

const TYPED: Record<keyof typeof PROPERTIES, string[]> = {
  email: [
    "a@b",
    "a..b@docomo.example",
    ".a.@x.example",
    "o'neil+1@x.example",
    "ann@bücher.example",
    " ann@x.example ",
    "zoë@x.example",
    "a b@x.example",
    "a@x..example",
    "a_b@x-y.example",
  ],
  uri: [
    "https://example.com/größe",
    "https://bücher.example/",
    "https://example.com/a b",
    "http://example.com:99999/",
    "https://example.com:port/",
    "mailto:a@b.c",
    "a.b",
    "HTTP://X.EXAMPLE",
    "https://x.example/%zz[1]|{2}",
    " https://x.example ",
    "https:x.example",
    "javascript:alert(1)",
  ],
  date: ["2027-01-31", "2027-02-31", "0001-01-01", "12027-01-31"],
  time: ["12:30", "23:59:59", "12:30:00.5"],
  moment: ["2027-01-31T12:30", "2027-01-31 12:30", "2027-01-31T12:30:01.25"],
  count: ["5", "-5", "-6", "5.0", "1e2", "+5", "5."],
  price: ["1.10", "-0", "1e400", ".5", "12345678901234567890", "1E5"],
};

describeInBrowser("in a browser (needs /usr/bin/chromium), the page of a form", () => {
  const browser = openChromium();

  test("accepts whatever its inputs let through", async () => {
    const page = await browser().newPage();
    await page.goto(`${url}/v1/f/${key}`);
    const refused: string[] = [];
    let sent = 0;
    for (const [name, texts] of Object.entries(TYPED)) {
      for (const text of texts) {
        const value = await page.locator(`[name="${name}"]`).evaluate((element, text) => {
          const input = element as unknown as { value: string; checkValidity: () => boolean };
          input.value = text;
          const [value, isValid] = [input.value, input.checkValidity()];
          input.value = "";
          return isValid ? value : "";
        }, text);
        if (value === "") continue;
        sent += 1;
        const body = new URLSearchParams({ [name]: value });
        const answer = await fetch(`${url}/v1/f/${key}`, { method: "POST", body, redirect: "manual" });
        if (answer.status !== 303) refused.push(`${name} ${value}: ${answer.status}`);
      }
    }
    expect(refused).toEqual([]);
    expect(sent).toBeGreaterThan(25);
    await page.close();
  }, 60_000);
});
