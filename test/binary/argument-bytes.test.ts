import { describe, expect, test } from "bun:test";
import { runExecutable } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const env = { FORMFLAG_DATA: tempDirectory() };
const HERE = ["-p", "p", "-e", "develop"];
const SET = ["flags", "set", "b", ...HERE];

/** Runs a command with one more argument at its end, of which `printf` makes the bytes. */
const runWith = (args: string[], escaped: string) =>
  runExecutable(args, { env, under: ["sh", "-c", `exec "$@" "$(printf -- '${escaped}')"`, "sh"] });

await runExecutable(["projects", "create", "p"], { env });
const stateOf = async () => (await runExecutable(["export"], { env })).stdout;

// Other systems do not show the bytes of a command line.
describe.if(process.platform === "linux")("an argument that is not UTF-8", () => {
  test.each<[escaped: string, words: string, args: string[]]>([
    ["Zo\\353", 'the argument "Zo\uFFFD" after --description', [...SET, "--description"]],
    ['{"t":"Zo\\353"}', 'the argument "{"t":"Zo\uFFFD"}" after --payload', [...SET, "--payload"]],
    ["--description=Zo\\353", 'the argument "--description=Zo\uFFFD"', SET],
    ["\\357\\277\\275 \\377", 'the argument "\uFFFD \uFFFD" after --description', [...SET, "--description"]],
    ["Zo\\353", 'the argument "Zo\uFFFD"', ["flags", "get", ...HERE]],
  ])("is exit 2 and named, and changes nothing: %s", async (escaped, words, args) => {
    const before = await stateOf();
    const { code, stderr } = await runWith(args, escaped);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
    expect(stderr).toContain("is not UTF-8");
    expect(await stateOf()).toBe(before);
  });

  test("is an error in JSON where that is asked for", async () => {
    const { code, stderr } = await runWith([...SET, "--json", "--description"], "Zo\\353");
    expect([code, (JSON.parse(stderr) as { error: object }).error]).toEqual([
      2,
      expect.objectContaining({ code: "invalid", message: expect.stringContaining("is not UTF-8") }),
    ]);
  });
});

test("an argument in UTF-8 is stored as it is, also with U+FFFD itself", async () => {
  expect(await runWith([...SET, "--description"], "Zo\\303\\253 \\357\\277\\275")).toMatchObject({ code: 0 });
  expect(await stateOf()).toContain("Zoë \uFFFD");
});
