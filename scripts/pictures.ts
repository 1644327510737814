import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, chromium } from "playwright-core";

/** Takes the pictures of the dashboard in docs/ from a real run of dist/formflag: `npm run pictures`. It needs Chromium. */

const CHROMIUM = "/usr/bin/chromium";
const EXECUTABLE = join(import.meta.dir, "../dist/formflag");
const DOCS = join(import.meta.dir, "../docs");
const WIDTH = 1280;

const RULE = ["--if", "email ends_with @example.com or country in AT,DE,CH"];

/** Commands that fill the server, one after the other. */
const COMMANDS: string[][] = [
  ["projects", "create", "shop", "--name", "Larch Valley shop"],
  ["environments", "set", "develop", "-p", "shop", "--color", "green"],
  ["environments", "set", "staging", "-p", "shop", "--color", "yellow"],
  ["environments", "set", "production", "-p", "shop", "--color", "red"],
  ["flags", "set", "checkout", "-p", "shop", "-e", "develop,staging", "--on"],
  [
    "flags",
    "set",
    "checkout",
    "-p",
    "shop",
    "-e",
    "production",
    "--on",
    ...RULE,
    "--then",
    "on",
    "--else",
    "off",
  ],
  ["flags", "set", "checkout", "-p", "shop", "-e", "develop", "--description", "The checkout on one page"],
  ["environments", "lock", "production", "-p", "shop"],
  ["users", "create", "ann", "--role", "admin"],
  ["users", "create", "giulia", "--role", "none"],
  ["users", "create", "oskar", "--role", "none"],
  ["users", "create", "hanna", "--role", "none"],
  ["members", "set", "giulia", "-p", "shop", "--role", "admin"],
  ["members", "set", "oskar", "-p", "shop", "--role", "editor", "-e", "develop,staging"],
  ["members", "set", "hanna", "-p", "shop", "--role", "inbox"],
  ["members", "invite", "-p", "shop", "--role", "viewer"],
];

type Picture = {
  file: string;
  path: string;
  height: number;
  prepare?: (page: Page) => Promise<void>;
};

const PICTURES: Picture[] = [
  {
    file: "dashboard-flag.png",
    path: "/projects/shop/environments/production/flags/checkout",
    height: 1040,
    // The values with the rule are further down.
    prepare: (page) =>
      page.evaluate(
        `[...document.querySelectorAll("h2")].find((each) => each.textContent.startsWith("Values in")).scrollIntoView();
        scrollBy(0, -24)`,
      ),
  },
  { file: "dashboard-members.png", path: "/projects/shop/members", height: 780 },
];

const folder = mkdtempSync(join(tmpdir(), "formflag-pictures-"));
const env = { HOME: folder, FORMFLAG_LOG_LEVEL: "warn" };
const server = Bun.spawn([EXECUTABLE, "serve", "--listen", "127.0.0.1:0"], {
  cwd: folder,
  env,
  stderr: "pipe",
});

async function formflag(...args: string[]): Promise<string> {
  const command = Bun.spawn([EXECUTABLE, ...args], { cwd: folder, env });
  const output = await new Response(command.stdout).text();
  if ((await command.exited) !== 0) throw new Error(`formflag ${args.join(" ")} failed`);
  return output;
}

/** The address at which the server listens, as it prints it. */
async function addressOf(): Promise<string> {
  let text = "";
  for await (const chunk of server.stderr) {
    text += new TextDecoder().decode(chunk);
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
    if (found) return found[0];
  }
  throw new Error(`the server did not start: ${text}`);
}

try {
  const address = await addressOf();
  for (const command of COMMANDS) await formflag(...command);
  const { url } = JSON.parse(await formflag("users", "link", "ann", "--json")) as { url: string };
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: 900 },
    timezoneId: "Europe/Vienna",
    // Else a picture is taken while the page still scrolls.
    reducedMotion: "reduce",
  });
  await page.goto(address + new URL(url, address).pathname);
  await page.locator("main button[type=submit]").first().click();
  await page.waitForURL(/\/me/);
  for (const { file, path, height, prepare } of PICTURES) {
    await page.setViewportSize({ width: WIDTH, height });
    await page.goto(`${address}/dashboard${path}`);
    await prepare?.(page);
    await page.screenshot({ path: join(DOCS, file) });
  }
  await browser.close();
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
