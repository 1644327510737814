import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { installRecipe, packageFile, run } from "../support/packed.ts";
import { hasChromium, openChromium } from "../support/pages/chromium.ts";
import { canConnect, freePort } from "../support/peers/ports.ts";
import { startWorker } from "../support/peers/workerd.ts";

const ROOT = join(import.meta.dir, "../..");
const ON = "the new checkout, in green";
const OFF = "the old checkout";

const server = await startServer();
const cli = onData(server.data);
await cli.json("projects", "create", "shop");
const place = ["-p", "shop", "-e", "production"];
const set = (...options: string[]) => cli.json("flags", "set", "new-checkout", ...place, ...options);
const tokenFor = async (name: string, scope: string) =>
  (await cli.json<{ token: string }>("tokens", "create", name, "--scope", scope, ...place)).token;
await set("--on", "--browser", "on", "--payload", '{"color":"green"}');
const env = { FLAGS_URL: server.url, FLAGS_TOKEN: await tokenFor("rules", "flags:sync") };
const key = await tokenFor("page", "flags:browser");

const folder = installRecipe("pages", packageFile());

/** Writes a program of docs/guides/sdks.md into the folder. */
function write(name: string): string {
  const page = readFileSync(join(ROOT, "docs/guides/sdks.md"), "utf8");
  const [, program] = new RegExp(`^\`${name}\`:\n\n\`\`\`js\n([^]*?)\`\`\``, "m").exec(page)!;
  const file = join(folder!, name);
  writeFileSync(file, program!);
  return file;
}

function start(command: string[], more: Record<string, string> = {}) {
  const child = Bun.spawn(command, {
    cwd: folder!,
    env: { PATH: process.env["PATH"], ...env, ...more },
    stdout: "inherit",
    stderr: "inherit",
  });
  afterAll(() => child.kill());
  return child;
}

describe.skipIf(folder === null)("the packed package, outside of this repository", () => {
  test.each([
    ["Node.js", "node"],
    ["Bun", process.execPath],
  ])("evaluates in %s", async (_, runtime) => {
    const file = write("app.mjs");
    const output = () => run([runtime, file], folder!, env);
    await set("--on");
    expect(output()).toBe(`${ON}\n`);
    await set("--off");
    expect(output()).toBe(`${OFF}\n`);
  });

  test("has types for each export", () => {
    const file = join(folder!, "types.ts");
    writeFileSync(
      file,
      `import type { Provider } from "@openfeature/server-sdk";
import type { Provider as WebProvider } from "@openfeature/web-sdk";
import { FormflagProvider } from "@formflag/openfeature";
import { FormflagEdge } from "@formflag/openfeature/edge";
import { bootstrap, snapshot } from "@formflag/openfeature/ssr";
import { FormflagWebProvider } from "@formflag/openfeature/web";
export const provider: Provider = new FormflagProvider({ url: "", token: "", storage: new Map<string, string>() });
const edge = new FormflagEdge({ url: new URL("http://a"), token: "" });
export const value: unknown = edge.evaluate("a", { targetingKey: "b" }).value;
export const html: string = bootstrap(edge, { targetingKey: "u" });
export const web: WebProvider = new FormflagWebProvider({ bootstrap: snapshot(edge, {}) });
// @ts-expect-error
new FormflagProvider({ token: 1 });
`,
    );
    writeFileSync(
      join(folder!, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          target: "es2022",
          lib: ["es2023", "dom"],
          module: "nodenext",
          types: [],
          skipLibCheck: true,
        },
        files: ["types.ts"],
      }),
    );
    run([join(ROOT, "node_modules/.bin/tsc"), "-p", "."], folder!);
  });

  test("evaluates in a Worker, also while many requests load at once and some are abandoned", async () => {
    const worker = await startWorker(readFileSync(write("worker.js"), "utf8"), env, folder!);
    const ask = async (init: RequestInit = {}) => (await fetch(worker.url, init)).text();
    await set("--on");
    const abandoned = new AbortController();
    const first = ask({ signal: abandoned.signal }).catch(() => "abandoned");
    const others = Array.from({ length: 20 }, () => ask());
    abandoned.abort();
    await first;
    expect(new Set(await Promise.all(others))).toEqual(new Set([ON]));
    await set("--off");
    expect(await ask()).toBe(OFF);
    await worker.stop();
  });

  describe.skipIf(!hasChromium)("in Chromium", () => {
    const browser = openChromium();
    let url = "";

    test("a page that a server renders starts without a request, does not flicker, and hears of changes", async () => {
      await set("--on");
      const page = readFileSync(join(folder!, "page.js"), "utf8");
      writeFileSync(
        join(folder!, "page.js"),
        page.replace("http://127.0.0.1:8787", server.url).replace("YOUR_BROWSER_KEY", key),
      );
      run(
        [join(folder!, "node_modules/.bin/esbuild"), "page.js", "--bundle", "--format=esm", "--outdir=dist"],
        folder!,
      );
      const port = freePort();
      start(["node", "server.mjs"], { PORT: String(port) });
      await eventually("the server of the page", () => canConnect(port));
      url = `http://127.0.0.1:${port}/`;
      const plain = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
      await plain.goto(url);
      const opened = await (await browser().newContext()).newPage();
      const faults: string[] = [];
      opened.on("pageerror", (error) => faults.push(String(error)));
      await opened.addInitScript(`
        globalThis.texts = [];
        new MutationObserver(() => {
          const text = document.getElementById("checkout")?.textContent;
          if (text && texts.at(-1) !== text) texts.push(text);
        }).observe(document, { subtree: true, childList: true, characterData: true });`);
      const asked = opened.waitForRequest("**/ofrep/**");
      await opened.goto(url);
      await asked;
      const pictures = await Promise.all([plain, opened].map((each) => each.screenshot()));
      expect(pictures[0]!.equals(pictures[1]!)).toBe(true);
      const [painted, requested] = await opened.evaluate<
        number[]
      >(`new Promise((resolve) => setTimeout(() => resolve([
        performance.getEntriesByName("first-paint")[0].startTime,
        performance.getEntriesByType("resource").find(({ name }) => name.includes("/ofrep/")).startTime]), 200))`);
      expect(requested).toBeGreaterThan(painted!);
      await set("--off");
      await eventually("the change", async () => (await opened.textContent("#checkout")) === OFF);
      expect(await opened.evaluate<unknown>("texts")).toEqual([ON, OFF]);
      expect(faults).toEqual([]);
    });

    test("a page without a server has the last values of its user while formflag is away, and no others", async () => {
      await set("--on");
      writeFileSync(
        join(folder!, "alone.js"),
        `import { OpenFeature } from "@openfeature/web-sdk";
import { FormflagWebProvider } from "@formflag/openfeature/web";
const token = location.hash.slice(1) || "${key}";
const provider = new FormflagWebProvider({ url: "${server.url}", token, timeout: 500 });
const client = OpenFeature.getClient();
globalThis.heard = [];
for (const event of ["PROVIDER_READY", "PROVIDER_STALE"]) client.addHandler(event, () => heard.push(event));
await OpenFeature.setProviderAndWait(provider, { targetingKey: "user-42" }).catch((error) => (globalThis.failure = error.message));
globalThis.value = () => client.getBooleanValue("new-checkout", false);
globalThis.become = (targetingKey) => OpenFeature.setContext({ targetingKey });`,
      );
      const { outputs } = await Bun.build({ entrypoints: [join(folder!, "alone.js")], target: "browser" });
      const script = await outputs[0]!.text();
      const pages = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ url }) =>
          url.endsWith(".js")
            ? new Response(script, { headers: { "content-type": "text/javascript" } })
            : new Response('<!doctype html><script type="module" src="/alone.js"></script>', {
                headers: { "content-type": "text/html" },
              }),
      });
      afterAll(() => pages.stop(true));
      const page = await (await browser().newContext()).newPage();
      await page.addInitScript("globalThis.kept = JSON.parse(localStorage.formflag ?? null)?.for");
      await page.goto(pages.url.href);
      await page.waitForFunction("globalThis.value?.()");
      await page.route("**/ofrep/**", (route) => route.abort());
      await page.reload();
      await page.waitForFunction("globalThis.heard?.includes('PROVIDER_STALE')");
      expect(await page.evaluate<unknown>("value()")).toBe(true);
      // Values of another user are none.
      await page.evaluate("become('someone else')");
      expect(await page.evaluate<unknown>("value()")).toBe(false);
      await page.unroute("**/ofrep/**");
      await page.waitForFunction("value()");
      // The answer for a context that has changed since is not taken.
      const held = Promise.withResolvers<void>();
      await page.route("**/ofrep/**", async (route) => {
        if (route.request().postData()?.includes("slow")) await held.promise;
        await route.continue();
      });
      const changed = page.evaluate("Promise.all([become('slow'), become('user-42')])");
      await page.waitForRequest((request) => request.postData()?.includes("user-42") ?? false);
      held.resolve();
      await changed;
      expect(await page.evaluate<unknown>("JSON.parse(localStorage.formflag).for === kept")).toBe(true);
      const wrong = await (await browser().newContext()).newPage();
      await wrong.goto(`${pages.url.href}#ff_wrong`);
      await wrong.waitForFunction("globalThis.value");
      expect(await wrong.evaluate<unknown>("[failure, value()]")).toEqual([
        "the server of flags answered 401",
        false,
      ]);
    });
  });
});
