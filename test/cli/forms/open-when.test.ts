import { join } from "node:path";
import { expect, test } from "bun:test";
import { tempDirectory } from "../../support/temp.ts";
import { onData } from "../../support/commands.ts";

test("a flag opens a form, keeps existing for it, and goes with the form in a file", async () => {
  const [here, there] = [onData(tempDirectory()), onData(tempDirectory())];
  await here.run("projects", "create", "shop");
  await here.run("flags", "set", "contact-open", "-p", "shop", "-e", "production", "--off");
  await here.run("forms", "create", "contact");
  const set = (...args: string[]) => here.run("forms", "set", "contact", "--open-when", ...args);
  expect((await set("shop/production/contact-open")).stdout).toMatch(
    /^open when +shop\/production\/contact-open$/m,
  );
  expect((await here.run("forms", "get", "contact")).stdout).toMatch(
    /^open when +shop\/production\/contact-open$/m,
  );
  expect(await here.json("forms", "get", "contact")).toMatchObject({
    openWhen: "shop/production/contact-open",
  });

  const deleted = await here.run("flags", "delete", "contact-open", "-p", "shop", "--yes");
  expect([deleted.code, deleted.stderr]).toEqual([
    5,
    'error: form "contact" in project "shop" is open while the flag shop/production/contact-open is true\n' +
      "hint: formflag forms set <form> --open-when none, or name another flag, first\n",
  ]);
  const missing = await set("shop/production/nothing");
  expect([missing.code, missing.stderr]).toEqual([
    3,
    'error: flag "shop/production/nothing" does not exist\nhint: create the flag first, or name another one\n',
  ]);
  const wrong = await set("contact-open");
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    "error: --open-when is a flag such as shop/production/contact-open, or none\n",
  ]);

  const file = join(tempDirectory(), "setup.yaml");
  await here.run("export", "-o", file);
  expect((await there.run("apply", "-f", file)).code).toBe(0);
  expect(await there.json("forms", "get", "contact")).toMatchObject({
    openWhen: "shop/production/contact-open",
  });
  expect((await set("none")).stdout).toMatch(/^open when +none$/m);
  expect((await here.run("flags", "delete", "contact-open", "-p", "shop", "--yes")).code).toBe(0);
});
