import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { type FlagServer, button, startFlagServer } from "../support/flag-server.ts";
import { openChromium } from "../support/pages/chromium.ts";
import {
  WITHOUT_JAVASCRIPT,
  WITH_JAVASCRIPT,
  describeInBrowser,
  signInBrowser,
} from "../support/pages/dashboard-browser.ts";

const server = await startFlagServer();

/** What somebody does on a page, counted: a press, a choice, a key, or a text typed. */
function counting(page: Page) {
  let count = 0;
  const one = <T>(done: Promise<T>) => ((count += 1), done);
  return {
    click: (what: Locator) => one(what.click()),
    type: (what: Locator, text: string) => one(what.fill(text)),
    choose: (what: Locator, value: string) => one(what.selectOption(value)),
    press: (key: string) => one(page.keyboard.press(key)),
    count: () => count,
  };
}

type Shop = Awaited<ReturnType<FlagServer["newProject"]>>;

/** The cell of the flag checkout in the list of flags. */
const cell = (page: Page, environment: string, flag = "checkout") =>
  page.locator(`tr[data-flag="${flag}"] td[data-environment="${environment}"] a:not(.button)`).first();

async function withSegment(shop: Shop): Promise<void> {
  const rule = '{"ends_with":[{"var":"email"},"@example.com"]}';
  await server.cli.json("segments", "set", "staff", "-p", shop.slug, "-e", "develop", "--rule", rule);
  await shop.set("develop", "--on", "--variants", '{"on":true,"off":false}', "--default", "off");
}

for (const { how, javaScriptEnabled } of [WITH_JAVASCRIPT, WITHOUT_JAVASCRIPT])
  describeInBrowser(`Of the tasks of a release, ${how},`, () => {
    const browser = openChromium();
    const openAs = (user: string) =>
      signInBrowser(browser(), server.server, { user, javaScriptEnabled, timezoneId: "UTC" });

    test("a quarter of a segment, tomorrow, takes 12 interactions at most, none in a text area", async () => {
      const shop = await server.newProject();
      await withSegment(shop);
      const { context, page } = await openAs("editor");
      await page.goto(shop.page);
      const { click, type, choose, count } = counting(page);
      await click(cell(page, "develop"));
      await click(page.locator("#rules-part > summary"));
      await click(page.getByRole("button", { name: "Rule", exact: true }));
      const rule = page.getByRole("group", { name: "Rule 1" });
      await choose(rule.getByLabel("Operator"), "segment");
      await type(rule.getByLabel("Value"), "staff");
      await choose(rule.getByLabel("Serve"), "shares");
      await type(rule.getByLabel("Share of on"), "25");
      const bar = page.getByRole("region", { name: "Not saved" });
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
      await click(bar.getByText("Later"));
      await type(bar.getByLabel("Save at"), tomorrow);
      await click(bar.getByRole("button", { name: "Schedule" }));
      await page.getByRole("heading", { name: "Scheduled in develop" }).waitFor();
      expect(count()).toBeLessThanOrEqual(12);
      type Planned = { patch: { targeting: unknown } }[];
      const scheduled = await server.cli.json<Planned>("flags", "scheduled", "-p", shop.slug);
      expect(scheduled[0]!.patch.targeting).toMatchObject({
        if: [
          { $ref: "staff" },
          {
            fractional: [
              ["on", 25],
              ["off", 75],
            ],
          },
        ],
      });
      await context.close();
    }, 60_000);

    test("25 % of a segment, then everyone within four days, stopped if errors rise, takes 10 at most", async () => {
      const shop = await server.newProject();
      await withSegment(shop);
      const { context, page } = await openAs("editor");
      await page.goto(shop.pathOf("develop"));
      const { click, type, choose, count } = counting(page);
      const form = page.getByRole("form", { name: "Release in develop" });
      await click(form.getByRole("radio", { name: "A segment" }));
      await click(form.getByRole("radio", { name: "Step by step" }));
      await type(form.getByLabel("Step 1, %"), "25");
      await type(form.getByLabel("Step 2, %"), "50");
      await type(form.getByLabel("Step 3, %"), "75");
      await choose(form.getByLabel("Last step"), "everyone");
      await click(form.getByRole("button", { name: "Start the steps in develop" }));
      const asked = page.locator("#confirmation");
      const ramp = page.getByRole("heading", { name: "Step by step" });
      await asked.or(ramp).first().waitFor();
      if (await asked.isVisible()) {
        await page.getByText("From now on 25 % of Staff, tomorrow 50 %").first().waitFor();
        await click(asked.getByRole("button", { name: "Start the steps in develop" }));
      }
      await ramp.waitFor();
      expect(count()).toBeLessThanOrEqual(10);
      type Begun = { steps: { share: number; within?: object }[]; every: number; guards: string[] };
      const begun = await server.cli.json<Begun>(
        "flags",
        "ramp",
        "checkout",
        "-p",
        shop.slug,
        "-e",
        "develop",
      );
      expect(begun).toMatchObject({
        steps: [{ share: 25, within: { $ref: "staff" } }, { share: 50 }, { share: 75 }, { share: 100 }],
        every: 86_400,
        guards: ["event:error rises 10%"],
      });
      expect(begun.steps[1]!.within).toBeUndefined();
      await context.close();
    }, 60_000);

    test("25 to 50 % in a locked environment takes 5 at most, and its name", async () => {
      const shop = await server.newProject();
      await shop.set("production", "--on", "--rollout", "25");
      const { context, page } = await openAs("releaser");
      await page.goto(shop.page);
      const { click, count } = counting(page);
      await click(cell(page, "production"));
      const form = page.getByRole("form", { name: "Release in production" });
      await click(form.getByRole("radio", { name: "A share" }));
      await click(form.getByRole("button", { name: "Release in production" }));
      await page.getByLabel("Type production to confirm").fill("production");
      await click(page.locator("#confirmation").getByRole("button", { name: "Release in production" }));
      await page.getByText("Released in production.").waitFor();
      expect(count()).toBeLessThanOrEqual(5);
      await page.goto(shop.page);
      await cell(page, "production").waitFor();
      expect(await page.locator('td[data-environment="production"]').innerText()).toContain("50 %");
      await context.close();
    }, 60_000);

    test("a flag is created in 3, turned on in 2, and that taken back in 1", async () => {
      const shop = await server.newProject();
      await shop.set("develop");
      const { context, page } = await openAs("editor");
      await page.goto(shop.page);
      const create = counting(page);
      await create.click(page.locator("summary", { hasText: "New flag" }));
      await create.type(page.getByRole("form", { name: "New flag" }).getByLabel("Name"), "search");
      await create.click(button(page, "Create flag"));
      await page.getByText("The flag search is created.").waitFor();
      expect(create.count()).toBeLessThanOrEqual(3);
      await page.goto(shop.page);
      const turn = counting(page);
      await turn.click(cell(page, "develop", "search"));
      await turn.click(button(page, "Turn on in develop"));
      await button(page, "Turn off in develop").waitFor();
      const undo = counting(page);
      await undo.click(page.locator("#messages").getByRole("button", { name: "Undo" }));
      await button(page, "Turn on in develop").waitFor();
      expect([turn.count(), undo.count()]).toEqual([2, 1]);
      await context.close();
    }, 60_000);
  });

describeInBrowser("The page of a flag", () => {
  const browser = openChromium();

  test("says what saving would change at each edit, for each person, until nothing differs", async () => {
    const shop = await server.newProject();
    await shop.set("develop", "--on", "--variants", '{"on":true,"off":false}', "--default", "off");
    await server.cli.json("contexts", "set", "Ann", "-p", shop.slug, "--context", '{"plan":"beta"}');
    const { context, page } = await signInBrowser(browser(), server.server, { user: "editor" });
    await page.goto(shop.pathOf("develop"));
    const bar = page.getByRole("region", { name: "Not saved" });
    expect(await bar.isVisible()).toBe(false);
    await page.locator("#rules-part > summary").click();
    await page.getByRole("button", { name: "Rule", exact: true }).click();
    const rule = page.getByRole("group", { name: "Rule 1" });
    await rule.getByLabel("Attribute").fill("plan");
    await rule.getByLabel("Value").fill("beta");
    await page.locator("[data-person=Ann]").getByText("off → on").waitFor();
    await bar.getByText("plan is beta").waitFor();
    expect(await rule.getByLabel("Value").inputValue()).toBe("beta");
    await rule.getByLabel("Serve").selectOption("shares");
    await rule.getByLabel("Share of on").fill("30");
    await bar.getByText("30 %").first().waitFor();
    await page.waitForFunction("document.querySelectorAll('[name=share-1]')[1].value === '70'");
    await page.locator("#variants-part > summary").click();
    await page.getByLabel("Type").selectOption("text");
    await page.locator("input[name=variant-value]").first().waitFor();
    await bar.getByRole("button", { name: "Discard" }).click();
    await bar.waitFor({ state: "hidden" });
    await context.close();
  }, 60_000);

  test("loses no typed text on random ways over it", async () => {
    const shop = await server.newProject();
    await shop.set("develop", "--variants", '{"on":true,"off":false}', "--default", "off");
    const { context, page } = await signInBrowser(browser(), server.server, { user: "editor" });
    const values = page.locator("#values-form");
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let path = 0; path < 6; path += 1) {
      await page.goto(shop.pathOf("develop"));
      const typed = new Map<string, [Locator, string]>();
      await page.locator("#rules-part > summary").click();
      await values.getByRole("button", { name: "Rule", exact: true }).click();
      await page.getByRole("group", { name: "Rule 1" }).waitFor();
      for (const part of ["variants", "payload"]) await page.locator(`#${part}-part > summary`).click();
      await page.locator("#new-person > summary").click();
      const type = async (name: string, field: Locator) => {
        const text = `${name} ${path} “ä 日本 عربي”`;
        await field.fill(text);
        typed.set(name, [field, text]);
      };
      await type("name", values.locator("[name=variant-name]").first());
      await type("attribute", values.locator("[name=attribute-1]").first());
      await type("payload", values.locator("[name=payload]"));
      await type("why", page.locator("#values-why"));
      await type("release", page.locator("#release-why"));
      await type("context", page.locator("#person-context"));
      const ways = [
        () => values.getByRole("button", { name: "Rule", exact: true }).click(),
        () => values.getByRole("button", { name: "Add variant" }).click(),
        () => values.getByRole("button", { name: "And" }).first().click(),
        () => page.locator("#details > summary").click(),
        () => shop.set("develop", next(2) ? "--on" : "--off"),
        () => page.getByLabel("Default variant").focus(),
        () => page.locator("#other-contexts > summary").click(),
      ];
      for (let step = 0; step < 6; step += 1) {
        await ways[next(ways.length)]!();
        await page.waitForLoadState("networkidle");
        for (const [field, text] of typed.values()) expect(await field.inputValue()).toBe(text);
      }
    }
    await context.close();
  }, 120_000);
});
