import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../eventually.ts";
import { tempDirectory } from "../temp.ts";
import { canConnect, freePort } from "./ports.ts";

const WORKERD = fileURLToPath(import.meta.resolve("workerd/bin/workerd"));

/**
 * Runs a module of JavaScript in the runtime of Cloudflare Workers, with texts that it finds in its `env`. It is bundled in
 * a folder, with the packages there.
 */
export async function startWorker(
  module: string,
  env: Record<string, string>,
  folder: string = tempDirectory(),
) {
  writeFileSync(join(folder, "module.js"), module);
  const { outputs } = await Bun.build({ entrypoints: [join(folder, "module.js")], target: "browser" });
  writeFileSync(join(folder, "worker.js"), await outputs[0]!.text());
  const port = freePort();
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  writeFileSync(
    join(folder, "workerd.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2024-01-01",
      bindings = [${bindings.join(", ")}],
      globalOutbound = "net",
    )),
    (name = "net", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`,
  );
  const child = Bun.spawn([WORKERD, "serve", "workerd.capnp"], { cwd: folder, stderr: "inherit" });
  await eventually("workerd", () => canConnect(port));
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
