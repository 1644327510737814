import { existsSync } from "node:fs";
import { afterAll, beforeAll } from "bun:test";
import axe from "axe-core";
import { type Browser, type Page, chromium } from "playwright-core";
import { need } from "../needs.ts";

/** The one without windows does the same for two thirds of the work. */
const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));

/** Tests in a browser are skipped if it is missing. */
export const hasChromium = need(
  CHROMIUM !== undefined,
  "tests in a browser: /usr/bin/chromium-headless-shell and /usr/bin/chromium are missing",
);

let browser: Promise<Browser> | undefined;

/** The browser of this process, which its test files share. In it `insecure.test` is this machine, and not a secure origin. */
function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM!,
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP insecure.test 127.0.0.1",
    ],
  });
}

/** The browser, for the tests of a file. The pages that they open are closed after them. */
export function openChromium(): () => Browser {
  let opened: Browser;
  beforeAll(async () => {
    if (hasChromium) opened = await (browser ??= launch());
  }, 60_000);
  afterAll(async () => {
    if (hasChromium) await Promise.all(opened.contexts().map((context) => context.close()));
  });
  return () => opened;
}

/** WCAG 2.2 A and AA, and best practices. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Has axe in every document that the page opens from now on: half the work of loading it into each later. */
export async function addAxe(page: Page): Promise<void> {
  await page.addInitScript(axe.source);
}

/** The rules of accessibility that a page breaks, with the elements; only those of some impacts, or some rules. */
export async function barriersOf(
  page: Page,
  { impacts, rules }: { impacts?: axe.ImpactValue[]; rules?: string[] } = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    resultTypes: ["violations"],
    runOnly: rules ? { type: "rule", values: rules } : { type: "tag", values: TAGS },
  };
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? null))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
