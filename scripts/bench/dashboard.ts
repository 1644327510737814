import { join } from "node:path";
import { hasBrowser, measureInBrowser } from "./dashboard/browser.ts";
import { fillDashboard } from "./dashboard/data.ts";
import { type MeasuredPage, measuredPages } from "./dashboard/pages.ts";
import { type Site, load, signIn } from "./dashboard/session.ts";
import { measureWeight } from "./dashboard/weight.ts";
import { measureOpen } from "./dashboard/open.ts";
import { type Rounds, type Show, median } from "./figure.ts";
import { startFormflag } from "./formflag.ts";
import { percentile } from "./load.ts";

const SUBMISSIONS = 1_000_000;
/** Requests of a page in one round. */
const AT_ONCE = 10;

/** Pages of the dashboard with many submissions: how fast they come, how heavy they are, and what they cost others. */
export async function measureDashboard(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "dashboard");
  const filled = await fillDashboard(data, SUBMISSIONS);
  const server = await startFormflag(data);
  const site = await signIn(server, data);
  const pages = measuredPages(filled);
  await measureFirstBytes(site, pages, rounds, show);
  await measureWeight(site, pages, show);
  if (hasBrowser) await measureInBrowser(site, pages, rounds, show);
  await measureOpen(site, filled, directory, rounds, show);
  await server.stop();
}

/** Milliseconds until a page begins to arrive: one request after another, so that the disturbances of a machine reach all. */
async function measureFirstBytes(
  site: Site,
  pages: MeasuredPage[],
  { rounds }: Rounds,
  show: Show,
): Promise<void> {
  const times = new Map(pages.map(({ name }) => [name, { each: [] as number[], cpu: 0 }]));
  // The first requests load the modules of the pages, and are compiled.
  for (let round = -2; round < rounds * 2; round += 1)
    for (const { name, paths } of pages) {
      const { server } = site;
      const before = server.cpu();
      const each: number[] = [];
      for (let index = 0; index < AT_ONCE; index += 1) {
        const path = paths[(round * AT_ONCE + index + 2 * AT_ONCE) % paths.length]!;
        each.push((await load(site, path)).firstByte);
      }
      if (round < 0) continue;
      const time = times.get(name)!;
      time.each.push(...each);
      time.cpu += server.cpu() - before;
    }
  for (const { name, goal } of pages) {
    const { each, cpu } = times.get(name)!;
    const sorted = each.toSorted((a, b) => a - b);
    show({
      part: "dashboard",
      name: `${name}: first byte, p95`,
      goal: `≤ ${goal}`,
      value: percentile(sorted, 0.95),
      spread: [sorted[0]!, sorted.at(-1)!],
      unit: " ms",
      detail: `median ${median(sorted).toFixed(1)} ms, CPU ${((cpu * 1000) / each.length).toFixed(1)} ms each`,
    });
  }
}
