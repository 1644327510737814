import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

test("without -p or -e, the hint lists the names to choose from, unless there are many", async () => {
  const { run } = onData(tempDirectory());
  await run("projects", "create", "shop", "--environments", "live");
  expect(await run("flags", "set", "sale", "--on", "-p", "shop")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: the environment is missing\nhint: give it with -e <environment>, or set FORMFLAG_ENVIRONMENT: live\n",
  });
  for (const slug of ["a", "b"]) await run("projects", "create", slug);
  expect((await run("flags", "list")).stderr).toBe(
    "error: the project is missing\nhint: give it with -p <project>, or set FORMFLAG_PROJECT: a, b, shop\n",
  );
  for (const slug of ["c", "d", "e", "f", "g", "h"]) await run("projects", "create", slug);
  expect((await run("flags", "list")).stderr).toEndWith("or set FORMFLAG_PROJECT\n");
});

test("without -p the project is missing, also where there is nothing to list", async () => {
  const { run } = onData(`${tempDirectory()}/none`);
  expect((await run("flags", "list")).stderr).toBe(
    "error: the project is missing\nhint: give it with -p <project>, or set FORMFLAG_PROJECT\n",
  );
});
