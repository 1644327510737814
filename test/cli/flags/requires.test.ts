import { expect, test } from "bun:test";
import { emptyData, onData } from "../../support/commands.ts";

test("--requires none removes what a flag needs, and does not stand beside a flag", async () => {
  const here = onData(emptyData());
  const { run } = here;
  await run("projects", "create", "shop");
  const place = ["-p", "shop", "-e", "production"];
  await run("flags", "set", "cart", ...place, "--on");
  const set = (...requires: string[]) =>
    run("flags", "set", "checkout", ...place, ...requires.flatMap((each) => ["--requires", each]));
  const needed = async () =>
    (await here.json<{ requires?: unknown }>("flags", "get", "checkout", ...place)).requires;
  expect((await set("cart")).code).toBe(0);
  for (const both of [
    ["cart", "none"],
    ["none", "cart"],
  ])
    expect(await set(...both)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--requires none stands alone"),
    });
  expect(await needed()).toEqual([{ flag: "cart" }]);
  expect((await set("none")).code).toBe(0);
  expect(await needed()).toBeUndefined();
});
