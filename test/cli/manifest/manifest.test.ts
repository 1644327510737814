import { join } from "node:path";
import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

test("flags manifest writes the file of the OpenFeature command line, and names what differs from it", async () => {
  const here = onData(tempDirectory());
  await here.json("projects", "create", "shop");
  await here.json("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on", "--description", "A sale");
  const variants = ["--variants", '{"a":"red","b":"blue"}', "--default", "a"];
  await here.json("flags", "set", "color", "-p", "shop", "-e", "develop", ...variants);
  const file = join(tempDirectory(), "flags.json");
  expect((await here.run("flags", "manifest", "-p", "shop", "-o", file)).code).toBe(0);
  const text = await Bun.file(file).text();
  expect((await here.run("flags", "manifest", "-p", "shop")).stdout).toBe(text);
  const { $schema, ...written } = JSON.parse(text) as Record<string, unknown>;
  expect($schema).toEndWith("/flag-manifest.json");
  expect(written).toEqual({
    flags: {
      color: { flagType: "string", defaultValue: "red", description: "" },
      sale: { flagType: "boolean", defaultValue: false, description: "A sale" },
    },
  });
  const check = ["flags", "manifest", "-p", "shop", "--check", file];
  expect(await here.run(...check)).toMatchObject({ code: 0, stdout: "unchanged\n" });

  const other = {
    flags: {
      color: { flagType: "string", defaultValue: "blue" },
      gone: { flagType: "boolean", defaultValue: false },
    },
  };
  await Bun.write(file, JSON.stringify(other));
  expect(await here.run(...check)).toMatchObject({
    code: 9,
    stdout: `color: defaultValue is "blue" in the file, "red" in the project
gone: the project has no such flag
sale: the file lacks this flag
`,
  });
  await Bun.write(file, "[]");
  expect((await here.run(...check)).code).toBe(2);
  await Bun.write(file, "{");
  expect((await here.run(...check)).code).toBe(2);
  expect((await here.run(...check, "-o", file)).code).toBe(2);
});
