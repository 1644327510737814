import { join } from "node:path";
import type { App } from "../../../src/app.ts";
import { createCheckSecrets } from "../../../src/forms/spam/external-checks.ts";
import { createOutgoing } from "../../../src/send/outgoing.ts";
import { openInbox } from "../inbox.ts";
import { freePort } from "./ports.ts";

const RECIPES = join(import.meta.dir, "../../../docs/recipes/checks");

/** Forms whose checks are recipes of the documentation, each run as it is there. */
export function openRecipes() {
  const inbox = openInbox();
  const { app, outgoing, newForm } = inbox;
  const sender = createOutgoing({ targetNetworks: ["127.0.0.0/8"], mail: null }, Date.now, "1.0.0");
  outgoing.ask = (...asked) => sender.ask(...asked);
  return {
    ...inbox,
    /** A form that the recipe of that name judges; it ends with the scope. */
    checkedBy: async (
      name: string,
      env: Record<string, string>,
      settings: Parameters<typeof newForm>[0] = {},
    ) => {
      const port = freePort();
      const url = `http://127.0.0.1:${port}/`;
      const form = await newForm({ ...settings, checks: [url], checkFailing: "refuse" });
      const recipe = await startRecipe(app, name, { ...env, PORT: String(port) }, form.key, url);
      return { form, url, [Symbol.asyncDispose]: recipe.stop };
    },
  };
}

async function startRecipe(
  app: App,
  name: string,
  env: Record<string, string>,
  formKey: string,
  url: string,
): Promise<{ stop: () => Promise<void> }> {
  const secret = await createCheckSecrets(app)(formKey, url);
  const child = Bun.spawn([process.execPath, join(RECIPES, `${name}.ts`)], {
    env: { ...env, CHECK_SECRET: secret, PATH: process.env["PATH"] },
    stdout: "pipe",
    stderr: "ignore",
  });
  const { value } = await child.stdout.getReader().read();
  if (new TextDecoder().decode(value) !== "listening\n") throw new Error(`the recipe ${name} did not start`);
  return {
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
