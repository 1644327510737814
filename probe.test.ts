import { test } from "bun:test";
import { openChromium } from "./test/support/pages/chromium.ts";
import { signInBrowser } from "./test/support/pages/dashboard-browser.ts";
import { fullPages } from "./test/support/pages/dashboard-pages.ts";
import { startFullServer } from "./test/support/pages/full-dashboard.ts";
const { made, server } = await startFullServer();
const browser = openChromium();
test("probe", async () => {
  const { page } = await signInBrowser(browser(), server, {
    user: "admin",
    viewport: { width: 320, height: 700 },
  });
  for (const path of fullPages(made)) {
    await page.goto(`${server.url}/dashboard${path}`);
    const found = await page.evaluate(`(() => {
      const out = [];
      const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
      const twice = [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))];
      if (twice.length) out.push("ids twice: " + twice.join(" "));
      if (document.documentElement.scrollWidth > 320) out.push("scroll " + document.documentElement.scrollWidth + " " + [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > 321).slice(0,3).map(e=>e.outerHTML.slice(0,100)).join(" | "));
      const nameOf = (e) => e.getAttribute("aria-label") ?? [...(e.labels ?? [])].map(l => l.textContent.trim()).join(" ");
      const boxes = [...document.querySelectorAll("input[type=checkbox], select, input[type=text]")];
      const names = boxes.map(nameOf);
      const un = boxes.filter((b, i) => names[i] === "");
      if (un.length) out.push("unnamed: " + un.map(e => e.outerHTML.slice(0,100)).join(" | "));
      const checks = [...document.querySelectorAll("input[type=checkbox]")].map(nameOf);
      const dup = [...new Set(checks.filter((n, i) => checks.indexOf(n) !== i))];
      if (dup.length) out.push("check boxes of one name: " + dup.join(" | "));
      if (!document.querySelector("nav.sections [aria-current]")) out.push("no current place");
      else if (![...document.querySelectorAll("nav.sections [aria-current]")].some(e => e.checkVisibility())) out.push("no visible current place");
      return out;
    })()`);
    if ((found as string[]).length) console.log(path, found);
  }
}, 300000);
