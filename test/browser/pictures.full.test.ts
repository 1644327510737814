import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "bun:test";
import { decode, encode } from "fast-png";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { EMPTY_PAGES, fullPages } from "../support/pages/dashboard-pages.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { startFullServer } from "../support/pages/full-dashboard.ts";

/**
 * Pictures of each page, a twentieth as large as the page, one below the other: wide and on a phone, each in light and dark.
 * `FORMFLAG_PICTURES=write` takes them anew.
 */
const FILE = join(import.meta.dir, "pictures.png");
const IS_WRITING = process.env["FORMFLAG_PICTURES"] === "write";

/** CSS pixels for one of a picture. */
const SCALE = 20;
const HEIGHT = 880;
const SHOTS = [1280, 400].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);
const ROW = { width: SHOTS.reduce((sum, { width }) => sum + width, 0) / SCALE, height: HEIGHT / SCALE };

/** Brightness from 0 to 255 by which a dot may differ; ids, times and texts of a line change by less. */
const TOLERANCE = 40;
/** The part of the dots of a picture that may differ by more. */
const MOST_CHANGED = 0.04;

const { made, server } = await startFullServer();
const empty = await startServer();
await onData(empty.data).run("users", "create", "admin", "--role", "admin");

/** Pages of a project that is new. */
const NEW = ["", "/compare", "/releases", "/segments", "/stale"];

/** Pages of a full server that show what is being sent meanwhile, what fails and when the next try is due. */
const MOVING = new Set(["/", "/deliveries", "/projects/shop/settings"]);

/** Pages that are of the machine, or of chance, on every server: ids whose width wraps a line, a QR code. */
const NEVER_ALIKE = new Set(["/audit", "/health", "/me/totp"]);

/** The other pages of a full server, those of one with nothing, and of one with a new project. */
const PICTURES = [
  ...[...new Set(fullPages(made))]
    .filter((path) => !MOVING.has(path))
    .map((path) => ({ name: path, url: server.url, path })),
  ...EMPTY_PAGES.map((path) => ({ name: `${path} with nothing`, url: empty.url, path })),
  ...NEW.map((path) => ({ name: `new${path}`, url: empty.url, path: `/projects/new${path}` })),
].filter(({ path }) => !NEVER_ALIKE.has(path));

describeInBrowser("The dashboard", () => {
  const browser = openChromium();
  let pages: Record<string, Page>;
  beforeAll(async () => {
    const options = { user: "admin", deviceScaleFactor: 1 / SCALE, reducedMotion: "reduce" } as const;
    const pageAt = async (at: typeof server) => (await signInBrowser(browser(), at, options)).page;
    pages = { [server.url]: await pageAt(server), [empty.url]: await pageAt(empty) };
  }, 60_000);

  test("looks as in its pictures, wide and on a phone, in light and dark", async () => {
    const taken = new Uint8Array(ROW.width * ROW.height * PICTURES.length);
    for (const [index, { url, path, name }] of PICTURES.entries()) {
      const page = pages[url]!;
      if (name === "new") await onData(empty.data).run("projects", "create", "new");
      await page.goto(`${url}/dashboard${path}`);
      // Days have names of different widths.
      await page.evaluate(
        "for (const time of document.querySelectorAll('time')) time.textContent = 'Friday'",
      );
      let left = 0;
      for (const { width, colorScheme } of SHOTS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.emulateMedia({ colorScheme });
        copyInto(taken, grey(await page.screenshot()), { left, top: index * ROW.height });
        left += width / SCALE;
      }
    }
    const size = { width: ROW.width, height: ROW.height * PICTURES.length };
    if (IS_WRITING) writeFileSync(FILE, encode({ ...size, data: taken, channels: 1, depth: 8 }));
    expect(existsSync(FILE)).toBe(true);
    const kept = decode(readFileSync(FILE));
    expect({ width: kept.width, height: kept.height }).toEqual(size);
    expect(PICTURES.flatMap(({ name }, index) => changesIn(name, index, taken, kept.data))).toEqual([]);
  }, 600_000);
});

type Grey = { width: number; height: number; data: Uint8Array };

function grey(png: Uint8Array): Grey {
  const { width, height, channels, data } = decode(png);
  const dots = Array.from({ length: width * height }, (_, index) => {
    const [red, green, blue] = data.slice(index * channels, index * channels + 3);
    return 0.3 * red! + 0.6 * green! + 0.1 * blue!;
  });
  return { width, height, data: Uint8Array.from(dots) };
}

function copyInto(to: Uint8Array, from: Grey, { left, top }: { left: number; top: number }): void {
  for (let row = 0; row < from.height; row += 1) {
    const line = from.data.subarray(row * from.width, (row + 1) * from.width);
    to.set(line, (top + row) * ROW.width + left);
  }
}

/** The pictures of a page that differ by more than they may. */
function changesIn(name: string, index: number, taken: ArrayLike<number>, kept: ArrayLike<number>): string[] {
  let left = 0;
  return SHOTS.flatMap(({ width, colorScheme }) => {
    const columns = width / SCALE;
    let changed = 0;
    for (let row = index * ROW.height; row < (index + 1) * ROW.height; row += 1)
      for (let at = row * ROW.width + left; at < row * ROW.width + left + columns; at += 1)
        if (Math.abs(taken[at]! - kept[at]!) > TOLERANCE) changed += 1;
    left += columns;
    const part = changed / (columns * ROW.height);
    return part > MOST_CHANGED
      ? [`${name} at ${width} px, ${colorScheme}: ${Math.round(part * 100)} % is different`]
      : [];
  });
}
