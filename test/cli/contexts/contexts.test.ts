import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

test("test contexts are set in pairs or JSON, listed, shown and deleted", async () => {
  const here = onData(tempDirectory());
  await here.run("projects", "create", "shop");
  const set = (name: string, context: string) =>
    here.run("contexts", "set", name, "-p", "shop", "--context", context);
  expect((await set("Ann", "plan=beta, country=DE")).stdout).toBe(
    "created test context Ann of project shop: plan=beta, country=DE\n",
  );
  await set("Bob", '{"tags":["a"]}');
  expect((await here.run("contexts", "list", "-p", "shop")).stdout).toBe(
    'NAME  CONTEXT\nAnn   plan=beta, country=DE\nBob   {"tags":["a"]}\n',
  );
  expect(await here.json("contexts", "get", "Ann", "-p", "shop")).toEqual({
    name: "Ann",
    context: { plan: "beta", country: "DE" },
  });
  await here.run("contexts", "delete", "Ann", "-p", "shop", "--yes");
  expect(await here.json("contexts", "list", "-p", "shop")).toMatchObject([{ name: "Bob" }]);
  const missing = await here.run("contexts", "set", "Ann", "-p", "shop");
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("write it as in --context")]);
});
