import { test } from "bun:test";
import { openChromium } from "./test/support/pages/chromium.ts";
import { signInBrowser } from "./test/support/pages/dashboard-browser.ts";
import { EMPTY_PAGES, OPEN_PAGES, fullPages } from "./test/support/pages/dashboard-pages.ts";
import { startFullServer } from "./test/support/pages/full-dashboard.ts";
import { startServer } from "./test/support/executable.ts";
const bare = await startServer();
const { made, server } = await startFullServer();
const browser = openChromium();
test("probe", async () => {
  const w = { viewport: { width: 320, height: 700 } };
  const { page } = await signInBrowser(browser(), bare, w);
  const { page: viewer } = await signInBrowser(browser(), server, { user: "viewer", ...w });
  const { page: admin } = await signInBrowser(browser(), server, { user: "admin", ...w });
  const open = await (await browser().newContext(w)).newPage();
  for (const [p, url, paths] of [
    [page, bare.url, EMPTY_PAGES],
    [viewer, server.url, fullPages(made)],
    [open, bare.url, OPEN_PAGES],
    [admin, server.url, fullPages(made)],
  ] as const)
    for (const path of paths) {
      await p.goto(`${url}/dashboard${path}`);
      // open every details
      await p.evaluate(
        `document.querySelectorAll("details").forEach(d => { if (!d.closest("nav")) d.open = true })`,
      );
      for (const width of [320, 330, 345, 360, 375]) {
        await p.setViewportSize({ width, height: 700 });
        const found = await p.evaluate(
          `document.documentElement.scrollWidth > ${width} ? document.documentElement.scrollWidth + " " + [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > ${width} + 1).slice(0,3).map(e=>e.outerHTML.slice(0,140)).join(" | ") : null`,
        );
        if (found) console.log(width, path, found);
      }
    }
}, 300000);
