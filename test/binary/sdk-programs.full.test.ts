import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { run } from "../support/packed.ts";
import { tempDirectory } from "../support/temp.ts";

const ROOT = join(import.meta.dir, "../..");

test("the program of docs/guides/sdks.md for OFREP does as it says, on and off", async () => {
  const server = await startServer();
  const cli = onData(server.data);
  await cli.json("projects", "create", "shop");
  const place = ["-p", "shop", "-e", "production"];
  const set = (...options: string[]) => cli.json("flags", "set", "new-checkout", ...place, ...options);
  await set("--on", "--payload", '{"color":"green"}');
  const created = await cli.json<{ token: string }>(
    "tokens",
    "create",
    "web-shop",
    "--scope",
    "flags:evaluate",
    ...place,
  );
  const page = readFileSync(join(ROOT, "docs/guides/sdks.md"), "utf8");
  const section = page.split("\n## JavaScript on a server\n")[1]!.split("\n## ")[0]!;
  const folder = tempDirectory();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "app.mjs"), /```js\n([^]*?)```/.exec(section)![1]!);
  const say = () => run(["node", "app.mjs"], folder, { FLAGS_URL: server.url, FLAGS_TOKEN: created.token });
  expect(say()).toBe("the new checkout, in green\n");
  await set("--off");
  expect(say()).toBe("the old checkout\n");
});
