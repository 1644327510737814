import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, chromium } from "playwright-core";

/** Takes the pictures of the dashboard in docs/pictures/ from a real run of dist/formflag. It needs Chromium. */

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"].find((path) => existsSync(path));
const EXECUTABLE = join(import.meta.dir, "../dist/formflag");
const PICTURES_FOLDER = join(import.meta.dir, "../docs/pictures");
const WIDTH = 1280;

type Picture = { file: string; path: string; height: number; prepare?: (page: Page) => Promise<void> };

const PICTURES: Picture[] = [
  {
    file: "dashboard-inbox.png",
    path: "/inbox",
    height: 820,
    prepare: async (page) => {
      await page.locator('[id^="row-"] a', { hasText: "Priya Shah" }).first().click();
      await page.locator("article[data-submission]").waitFor();
    },
  },
  { file: "dashboard-flag.png", path: "/projects/shop/flags/checkout?environment=production", height: 1140 },
  {
    file: "dashboard-experiment.png",
    path: "/projects/shop/environments/production/experiments/prices",
    height: 700,
  },
  { file: "dashboard-members.png", path: "/projects/shop/settings", height: 780 },
];

const folder = mkdtempSync(join(tmpdir(), "formflag-pictures-"));
const server = Bun.spawn([EXECUTABLE, "demo", "--no-open"], {
  cwd: folder,
  env: { HOME: folder, TMPDIR: folder },
  stdout: "pipe",
  stderr: "ignore",
});

try {
  const { value } = await server.stdout.getReader().read();
  const link = new URL(new TextDecoder().decode(value).trim());
  const browser = await chromium.launch({
    ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: 900 },
    timezoneId: "Europe/Vienna",
    // Else a picture is taken while the page still scrolls.
    reducedMotion: "reduce",
  });
  await page.goto(link.href);
  await page.locator("main button[type=submit]").first().click();
  await page.waitForURL(/\/start/);
  for (const { file, path, height, prepare } of PICTURES) {
    await page.setViewportSize({ width: WIDTH, height });
    await page.goto(`${link.origin}/dashboard${path}`);
    await prepare?.(page);
    await page.screenshot({ path: join(PICTURES_FOLDER, file) });
  }
  await browser.close();
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
