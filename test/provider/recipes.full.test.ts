import { afterAll, describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { installRecipe, packageFile, run } from "../support/packed.ts";
import { hasChromium, openChromium } from "../support/pages/chromium.ts";
import { canConnect, freePort } from "../support/peers/ports.ts";

const ON = "the new checkout, in green";
const OFF = "the old checkout";

/** The frameworks are installed from npm and built, which takes minutes: only `npm run recipes` does that. */
const isAsked = process.env["FORMFLAG_RECIPES"] !== undefined;

describe.skipIf(!isAsked || !hasChromium)("the recipes, with the packed package", () => {
  const browser = openChromium();
  const packed = isAsked ? packageFile() : "";

  test.each([
    { name: "next", isRendered: true },
    { name: "astro", isRendered: true },
    { name: "sveltekit", isRendered: true },
    { name: "vite-react", isRendered: false },
  ])(
    "$name says the same before and after its scripts have run, and hears of changes",
    async ({ name, isRendered }) => {
      const server = await startServer();
      const cli = onData(server.data);
      await cli.json("projects", "create", "shop");
      const place = ["-p", "shop", "-e", "production"];
      const set = (...options: string[]) => cli.json("flags", "set", "new-checkout", ...place, ...options);
      const tokenFor = async (token: string, scope: string) =>
        (await cli.json<{ token: string }>("tokens", "create", token, "--scope", scope, ...place)).token;
      await set("--on", "--browser", "on", "--payload", '{"color":"green"}');
      const folder = installRecipe(name, packed);
      if (folder === null) return;
      const port = freePort();
      const key = await tokenFor("page", "flags:browser");
      const ofPage = ["NEXT_PUBLIC_", "PUBLIC_", "VITE_"].flatMap((prefix) => [
        [`${prefix}FLAGS_URL`, server.url],
        [`${prefix}FLAGS_KEY`, key],
      ]);
      const env = {
        FLAGS_URL: server.url,
        FLAGS_TOKEN: await tokenFor("rules", "flags:sync"),
        ...Object.fromEntries(ofPage),
        HOST: "127.0.0.1",
        PORT: String(port),
        NEXT_TELEMETRY_DISABLED: "1",
        ASTRO_TELEMETRY_DISABLED: "1",
        NODE_ENV: "production",
      };
      run(["npm", "run", "build"], folder, env);
      const more = name === "vite-react" ? ["--", "--host", "127.0.0.1", "--port", String(port)] : [];
      const child = Bun.spawn(["npm", "start", ...more], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdout: "ignore",
        stderr: "inherit",
        detached: true,
      });
      // npm starts the server as a process of its own.
      afterAll(() => void process.kill(-child.pid, "SIGTERM"));
      await eventually("the server of pages", () => canConnect(port));
      const url = `http://127.0.0.1:${port}/`;
      const open = async (javaScriptEnabled: boolean) => {
        const page = await (await browser().newContext({ javaScriptEnabled })).newPage();
        await page.addInitScript(`
          globalThis.texts = [];
          new MutationObserver(() => {
            const text = document.querySelector("p")?.textContent;
            if (text && texts.at(-1) !== text) texts.push(text);
          }).observe(document, { subtree: true, childList: true, characterData: true });`);
        return page;
      };
      const page = await open(true);
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().includes("404")) faults.push(message.text());
      });
      const asked = page.waitForRequest("**/ofrep/**");
      await page.goto(url);
      await asked;
      await page.getByText(ON).waitFor();
      if (isRendered) {
        const plain = await open(false);
        await plain.goto(url);
        const pictures = await Promise.all([plain, page].map((each) => each.screenshot()));
        expect(pictures[0]!.equals(pictures[1]!)).toBe(true);
      }
      await set("--off");
      await page.getByText(OFF).waitFor();
      expect(await page.evaluate<unknown>("texts")).toEqual([ON, OFF]);
      expect(faults).toEqual([]);
      if (isRendered) expect(await (await fetch(url)).text()).toContain(OFF);
    },
    300_000,
  );
});
