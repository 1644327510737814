import { describe, expect, test } from "bun:test";
import { tempDirectory } from "../../support/temp.ts";
import { formflag, onData } from "../../support/commands.ts";

const env = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
const cli = onData(tempDirectory(), (args) => formflag(args, { env }));
const { run } = cli;
const json = <T>(...args: string[]) => cli.json<T>(...args);
await json("forms", "create", "contact");

type Changed = { checks: string[]; checkSecrets?: { check: string; secret: string }[] };

const URLS = [1, 2, 3].map((port) => `http://127.0.0.1:${port}/check`);
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe("--check", () => {
  test("prints the secret of each check once, by which no other form signs", async () => {
    const [first] = URLS as [string];
    const set = () => json<Changed>("forms", "set", "contact", "--check", first);
    const added = await set();
    expect(added.checks).toEqual([first]);
    expect(await set()).not.toHaveProperty("checkSecrets");
    const [{ secret }] = added.checkSecrets as [{ check: string; secret: string }];
    expect(secret).toMatch(SECRET);
    for (const args of [
      ["forms", "get", "contact"],
      ["forms", "list"],
      ["history", "--form", "contact"],
      ["export"],
    ])
      expect((await run(...args)).stdout).not.toContain(secret.slice(6));
    const { stdout } = await run("forms", "set", "contact", "--check", URLS.join(","));
    expect(stdout.match(/whsec_/g)).toHaveLength(2);
    expect(stdout).toContain(`secret of ${URLS[1]}`);
    const copied = await json<Changed>("forms", "copy", "contact", "other");
    expect(copied.checkSecrets!.map(({ check }) => check)).toEqual(URLS);
    expect(copied.checkSecrets!.map((each) => each.secret)).not.toContain(secret);
  });

  test("is shown by get, and removed by none", async () => {
    await json("forms", "set", "contact", "--check", URLS[0]!, "--check-failing", "refuse");
    const { stdout } = await run("forms", "get", "contact");
    expect(stdout).toMatch(/checks +http:\/\/127\.0\.0\.1:1\/check\n.*failing checks +refused\n/s);
    expect(await json("forms", "set", "contact", "--check", "none", "--check-failing", "none")).toMatchObject(
      {
        checks: [],
        checkFailing: "ok",
      },
    );
  });

  test("refuses what is no address, one that is named twice, more than three, and addresses that the server may not reach", async () => {
    const refused = async (...checks: string[]) => {
      const { code, stderr } = await run("forms", "set", "contact", "--check", ...checks);
      return [code, stderr];
    };
    expect(await refused(URLS[0]!, URLS[1]!, URLS[0]!)).toEqual([
      2,
      expect.stringContaining(`${URLS[0]} is named twice`),
    ]);
    for (const wrong of ["ftp://example.com", "check", "https://ann:secret@example.com/"])
      expect(await refused(wrong)).toEqual([
        2,
        expect.stringContaining("a check is an http or https address"),
      ]);
    expect(await refused(...URLS, "http://127.0.0.1:4/")).toEqual([
      2,
      expect.stringContaining("at most 3 checks"),
    ]);
    expect(await refused("http://10.0.0.1/")).toEqual([
      2,
      expect.stringMatching(/--check: 10\.0\.0\.1 is neither public/),
    ]);
  });
});
