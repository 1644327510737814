import { existsSync } from "node:fs";
import { type BrowserContext, chromium } from "playwright-core";
import { type Rounds, type Show, median, spreadOf } from "../figure.ts";
import type { MeasuredPage } from "./pages.ts";
import type { Site } from "./session.ts";

const CHROMIUM = "/usr/bin/chromium";

/** Whether there is a browser to measure in. */
export const hasBrowser = existsSync(CHROMIUM);

/** Slow 4G: milliseconds of a round trip, and bytes a second (https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md). */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** A phone has a fourth of the speed of this machine. */
const SLOWER = 4;
const PHONE = { width: 390, height: 844 };

/** Measures of a page on a slow phone. */
type Seen = {
  /** Milliseconds until the largest text or picture is shown (https://web.dev/articles/lcp). */
  shown: number;
  /** How far things move by themselves (https://web.dev/articles/cls). */
  shift: number;
  /** Milliseconds for which the page does not react, past 50 of each task (https://web.dev/articles/tbt). */
  blocked: number;
};

/** Each page for the first time, in a browser that knows nothing of the site but its cookie. */
export async function measureInBrowser(
  site: Site,
  pages: MeasuredPage[],
  { rounds }: Rounds,
  show: Show,
): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const seen = new Map<string, Seen[]>(pages.map(({ name }) => [name, []]));
  for (let round = 0; round < Math.min(rounds, 5); round += 1)
    for (const { name, paths } of pages) {
      const context = await browser.newContext({ viewport: PHONE, isMobile: true });
      seen.get(name)!.push(await look(context, site, paths[0]!));
      await context.close();
    }
  await browser.close();
  showWorst("LCP", " ms", "≤ 1200", ({ shown }) => shown);
  showWorst("CLS", "", "≤ 0.02", ({ shift }) => shift);
  showWorst("total blocking time", " ms", "≤ 50", ({ blocked }) => blocked);

  function showWorst(what: string, unit: string, goal: string, of: (seen: Seen) => number): void {
    const all = [...seen].map(([name, each]) => ({ name, each: each.map(of), value: median(each.map(of)) }));
    const worst = all.toSorted((a, b) => b.value - a.value)[0]!;
    show({
      part: "dashboard",
      name: `slow 4G and phone: ${what}, of the worst page`,
      goal,
      value: worst.value,
      spread: spreadOf(worst.each),
      unit,
      detail: all.map(({ name, value }) => `${name} ${Number(value.toPrecision(3))}`).join(", "),
    });
  }
}

async function look(context: BrowserContext, { server, cookie }: Site, path: string): Promise<Seen> {
  const [name, value] = cookie.split("=") as [string, string];
  await context.addCookies([{ name, value, url: `${server.url}/dashboard` }]);
  await context.addInitScript(OBSERVE);
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.emulateNetworkConditions", NETWORK);
  await client.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await page.goto(server.url + path, { waitUntil: "load" });
  // Tasks and shifts after it count too.
  await page.waitForTimeout(1000);
  return page.evaluate<Seen>("globalThis.seen");
}

/** Runs in the page, before its own scripts. */
const OBSERVE = `
const seen = (globalThis.seen = { shown: 0, shift: 0, blocked: 0 });
const each = (type, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
each("largest-contentful-paint", ({ startTime }) => (seen.shown = startTime));
each("layout-shift", ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
each("longtask", ({ duration }) => (seen.blocked += Math.max(0, duration - 50)));
`;
