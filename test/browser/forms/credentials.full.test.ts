import { afterAll, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser } from "../../support/pages/dashboard-browser.ts";

const { data, url } = await startServer();
const here = onData(data);
const { key } = await here.json<{ key: string }>("forms", "create", "contact");
const closed = await here.json<{ key: string }>(
  "forms",
  "create",
  "closed",
  "--allow-origin",
  "https://other.example",
);

type Sent = {
  credentials: "include" | "same-origin" | "omit";
  headers: Record<string, string>;
  body: string;
};

describeInBrowser("in a browser (needs /usr/bin/chromium), a script of another origin", () => {
  const browser = openChromium();
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html><title>Page</title>", {
        headers: { "Content-Type": "text/html", "Set-Cookie": "session=1" },
      }),
  });
  afterAll(() => site.stop(true));

  /** The status of a fetch, and what its text holds; the error of one that the page cannot read. */
  const post = async (address: string, init: Sent) => {
    const page = await browser().newPage();
    await page.goto(site.url.href);
    const answer = await page.evaluate(
      async ([address, init]) => {
        try {
          const answer = await fetch(address, { method: "POST", ...init });
          return [answer.status, await answer.text()] as const;
        } catch (error) {
          return [0, String(error)] as const;
        }
      },
      [address, init] as const,
    );
    await page.close();
    return answer;
  };

  const JSON_TYPE = { "Content-Type": "application/json" };

  test.each(["include", "same-origin", "omit"] as const)(
    "reads each answer with credentials: %s",
    async (credentials) => {
      const form = `${url}/v1/s/${key}`;
      const sent = { credentials, headers: JSON_TYPE, body: '{"a":1}' };
      expect(await post(`${form}?mode=rest`, sent)).toEqual([200, expect.stringContaining('"success":true')]);
      expect(await post(`${form}?mode=rest`, { ...sent, body: "{}" })).toEqual([
        400,
        expect.stringContaining("empty"),
      ]);
      expect(await post(`${url}/v1/s/nope?mode=rest`, sent)).toEqual([
        404,
        expect.stringContaining("no form"),
      ]);
      expect(await post(form, sent)).toEqual([200, expect.stringContaining("Thank you")]);
      expect(await post(form, { ...sent, body: "{}" })).toEqual([400, expect.stringContaining("<h1>")]);
      const simple = {
        credentials,
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: "a=1",
      };
      expect(await post(`${form}?mode=rest`, simple)).toEqual([
        200,
        expect.stringContaining('"success":true'),
      ]);
    },
    60_000,
  );

  test("reads nothing of a form that takes no submissions from it", async () => {
    for (const credentials of ["include", "omit"] as const) {
      const sent = { credentials, headers: JSON_TYPE, body: '{"a":1}' };
      expect(await post(`${url}/v1/s/${closed.key}?mode=rest`, sent)).toEqual([
        0,
        expect.stringContaining("TypeError"),
      ]);
    }
    expect(await here.json<unknown[]>("submissions", "list", "closed")).toEqual([]);
  });
});
