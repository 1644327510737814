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

test("a ramp that would leave a flag without what it needs is refused with the command that names it", async () => {
  const { run } = onData(emptyData());
  await run("projects", "create", "shop");
  const place = ["-p", "shop", "-e", "production"];
  const pages = ["--variants", '{"old":"o","new":"n"}', "--default", "old"];
  await run("flags", "set", "pages", ...place, "--on", ...pages);
  await run("flags", "set", "cart", ...place, "--on");
  await run("flags", "set", "pay", ...place, "--on", "--requires", "cart", "--requires", "pages");
  const ramp = ["flags", "ramp", "pages", ...place, "--variant", "new", "--to", "99,100", "--every", "1h"];
  expect(await run(...ramp)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("flags set pay --requires cart --requires pages=new"),
  });
  await run("flags", "set", "pay", ...place, "--requires", "cart", "--requires", "pages=new");
  expect((await run(...ramp)).code).toBe(0);
});
