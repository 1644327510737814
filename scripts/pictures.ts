import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, chromium } from "playwright-core";

/** Takes the pictures of the dashboard in docs/ from a real run of dist/formflag. It needs Chromium. */

const CHROMIUM = "/usr/bin/chromium";
const EXECUTABLE = join(import.meta.dir, "../dist/formflag");
const DOCS = join(import.meta.dir, "../docs");
const WIDTH = 1280;
const VISITORS = 3000;

/** Commands that add to what the demo has, one after the other. */
const COMMANDS: string[][] = [
  `flags set hero -p shop -e production --browser on --default a --variants {"a":1,"b":2} --confirm production`.split(
    " ",
  ),
  [
    ..."experiments create headline -p shop -e production --flag hero --metric submissions:contact --start".split(
      " ",
    ),
    ..."--min-days 0 --confirm production --hypothesis".split(" "),
    "A month to try takes away the fear of buying: more people write to us.",
  ],
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
  /** Whether it shows the demo before the visitors of the experiment have sent a thousand messages. */
  isBefore?: boolean;
  prepare?: (page: Page) => Promise<void>;
};

const PICTURES: Picture[] = [
  {
    file: "dashboard-inbox.png",
    path: "/inbox",
    height: 820,
    isBefore: true,
    prepare: async (page) => {
      await page.locator('[id^="row-"] a').first().click();
      await page.locator("article[data-submission]").waitFor();
    },
  },
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
  {
    file: "dashboard-experiment.png",
    path: "/projects/shop/environments/production/experiments/headline",
    height: 700,
  },
  { file: "dashboard-members.png", path: "/projects/shop/settings", height: 780 },
];

const folder = mkdtempSync(join(tmpdir(), "formflag-pictures-"));
const env = { HOME: folder, FORMFLAG_LOG_LEVEL: "warn" };
const server = Bun.spawn([EXECUTABLE, "demo", "--no-open", "--keep", join(folder, "formflag-data")], {
  cwd: folder,
  env,
  stdout: "ignore",
  stderr: "pipe",
});

async function formflag(...args: string[]): Promise<string> {
  const command = Bun.spawn([EXECUTABLE, ...args], { cwd: folder, env });
  const output = await new Response(command.stdout).text();
  if ((await command.exited) !== 0) throw new Error(`formflag ${args.join(" ")} failed`);
  return output;
}

/** Visitors of the pages that the experiment compares; of those who see a each tenth sends the form, else each seventh. */
async function visit(address: string): Promise<void> {
  const place = ["-p", "shop", "-e", "production"];
  const key = (await formflag("tokens", "create", "site", "--scope", "flags:browser", ...place)).trim();
  const form = (await formflag("forms", "get", "contact", "--field", "key")).trim();
  const seen = { a: 0, b: 0 };
  const post = async (path: string, body: string | FormData, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${address}${path}`, { method: "POST", body, headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  for (let visitor = 0; visitor < VISITORS; visitor += 1) {
    const context = JSON.stringify({ context: { targetingKey: `visitor-${visitor}` } });
    const json = { "content-type": "application/json", "x-api-key": key };
    const answer = await post("/ofrep/v1/evaluate/flags", context, json);
    const assignment = answer.headers.get("x-formflag-assignment")!;
    const { flags } = (await answer.json()) as { flags: { key: string; variant: "a" | "b" }[] };
    const { variant } = flags.find((each) => each.key === "hero")!;
    await post(`/v1/events?key=${key}`, JSON.stringify({ assignment, exposures: ["hero"] }));
    if ((seen[variant] += 1) % (variant === "a" ? 10 : 7) !== 0) continue;
    const body = new FormData();
    body.set("name", `Visitor ${visitor}`);
    body.set("_formflag", assignment);
    await post(`/v1/s/${form}?mode=rest`, body);
  }
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
  const take = async ({ file, path, height, prepare }: Picture) => {
    await page.setViewportSize({ width: WIDTH, height });
    await page.goto(`${address}/dashboard${path}`);
    await prepare?.(page);
    await page.screenshot({ path: join(DOCS, file) });
  };
  for (const picture of PICTURES.filter(({ isBefore = false }) => isBefore)) await take(picture);
  await visit(address);
  for (const picture of PICTURES.filter(({ isBefore = false }) => !isBefore)) await take(picture);
  await browser.close();
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
