import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

test("experiments create takes guards with spaces, several times", async () => {
  const { run } = onData(tempDirectory());
  await run("projects", "create", "shop", "--environments", "live");
  await run("flags", "set", "hero", "-p", "shop", "-e", "live");
  const guards = ["event:error rises 0%", "event:signup falls 20.5%"];
  const named = "experiments create headline -p shop -e live --flag hero --metric event:signup".split(" ");
  const given = guards.flatMap((guard) => ["--guard", guard]);
  const created = await run(...named, ...given, "--on-guard", "rollback", "--json");
  expect(JSON.parse(created.stdout)).toMatchObject({ guards, onGuard: "rollback" });
});
