import { expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

test("forms stats prints the numbers of a form, its fields and how often they are filled in", async () => {
  const data = tempDirectory();
  const here = onData(data);
  await here.run("forms", "create", "contact", "--schema", '{"properties":{"name":{},"phone":{}}}');
  const empty = await here.run("forms", "stats", "contact");
  expect(empty.stdout).toMatch(/submissions +0 \(0 before\)/);
  expect(empty.stdout).not.toContain("FILLED IN");
  await here.run("forms", "test", "contact");
  const { stdout } = await here.run("forms", "stats", "contact", "--days", "7");
  expect(stdout).toMatch(/submissions +1 \(0 before\)/);
  expect(stdout).toMatch(/first answer +none/);
  expect(stdout).toMatch(/FIELD +FILLED IN\nname +0 %\nphone +0 %\nmessage +100 %\n/);
  expect(await here.json("forms", "stats", "contact", "--days", "7")).toMatchObject({
    submissions: { total: 1, byDay: [0, 0, 0, 0, 0, 0, 1] },
    last: { from: null },
  });
  const wrong = await formflag(["forms", "stats", "contact", "--days", "none", "--data", data]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--days")]);
});
