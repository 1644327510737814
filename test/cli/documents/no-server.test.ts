import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A folder as a pipeline checks it out. */
async function checkOut(): Promise<string> {
  const cwd = tempDirectory();
  await Bun.write(join(cwd, "formflag.yaml"), "projects: { shop: { flags: { sale: {} } } }\n");
  return cwd;
}

const REFUSED =
  "error: FORMFLAG_TOKEN is set, but no server\n" +
  "hint: set FORMFLAG_SERVER, or give --server; without a token, this acts on local data\n";

describe("with a token and without a server, nothing is created, and the exit code is 2", () => {
  test.each([
    ["apply", ["apply", "formflag.yaml"], {}, ""],
    ["apply with an empty variable", ["apply", "formflag.yaml"], { FORMFLAG_SERVER: "" }, ""],
    [
      "apply with a variable of another name",
      ["apply", "formflag.yaml"],
      { FORMFLAG_URL: "https://flags.example.com" },
      "warning: the variable FORMFLAG_URL is not known: did you mean FORMFLAG_SERVER or FORMFLAG_PUBLIC_URL?\n",
    ],
    ["diff", ["diff", "formflag.yaml"], {}, ""],
    ["projects create", ["projects", "create", "shop"], {}, ""],
    ["flags set", ["flags", "set", "sale", "-p", "shop", "-e", "production", "--on"], {}, ""],
  ])("%s", async (_, args, env, warning) => {
    const cwd = await checkOut();
    const result = await formflag(args, { cwd, env: { FORMFLAG_TOKEN: "ff_x", ...env } });
    expect(result).toEqual({ code: 2, stdout: "", stderr: warning + REFUSED });
    expect(existsSync(join(cwd, "formflag-data"))).toBe(false);
  });

  test("and data that is named is used", async () => {
    const cwd = await checkOut();
    const env = { FORMFLAG_TOKEN: "ff_x", FORMFLAG_DATA: "here" };
    expect(await formflag(["apply", "formflag.yaml"], { cwd, env })).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, "here"))).toBe(true);
  });
});

test.each([
  [["apply", "formflag.yaml"]],
  [["apply", "formflag.yaml", "--dry-run"]],
  [["diff", "formflag.yaml"]],
])("without a token, %p creates no data directory, and the hint names a server", async (args) => {
  const cwd = await checkOut();
  const { code, stderr } = await formflag(args, { cwd });
  expect({ code, isThere: existsSync(join(cwd, "formflag-data")) }).toEqual({ code: 3, isThere: false });
  expect(stderr).toContain("or a server with --server or FORMFLAG_SERVER");
});
