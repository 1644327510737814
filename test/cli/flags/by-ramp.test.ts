import { expect, test } from "bun:test";
import { openApp } from "../../../cli/data/open.ts";
import { createUser } from "../../../src/access/users.ts";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { approveProposal } from "../../../src/documents/changes/reviews.ts";
import { onData } from "../../support/commands.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { tempDirectory } from "../../support/temp.ts";

const LIVE = ["-p", "shop", "-e", "live"];
const DEVELOP = ["-p", "shop", "-e", "develop"];

/** A data directory with a project whose environment `live` needs an approval. */
async function begin() {
  const data = tempDirectory();
  const commands = onData(data);
  await commands.run("projects", "create", "shop", "--environments", "develop,live");
  await commands.run("environments", "set", "live", "-p", "shop", "--approvals", "1");
  const json = <T>(...args: string[]): Promise<T> => commands.json<T>(...args);
  return { data, run: (...args: string[]) => commands.run(...args), json };
}

test("a change is proposed with the ramp by which it goes out, and applied with it", async () => {
  const { data, run, json } = await begin();
  const course = ["--ramp", "1,10,100", "--every", "12h", "--guard", "event:error rises 0%"];
  const set = ["flags", "set", "checkout", ...LIVE, "--on", "--description", "One page", ...course];
  expect(await run(...set)).toMatchObject({ code: 4 });
  const { change } = await json<{ change: ProposalView }>(...set, "--propose", "--on-guard", "rollback");
  expect(change.differences.map(({ kind }) => kind)).toEqual(["flag", "flag", "ramp"]);
  expect((await run("flags", "get", "checkout", ...LIVE)).code).toBe(3);
  {
    await using app = await openApp({ data, writing: "inline" });
    await createUser(app, OPERATOR, { name: "ann", role: "releaser" });
    const place = { project: "shop", change: change.id };
    await approveProposal(app, { ...callerNamed("ann"), type: "user" }, place, { etag: change.etag });
  }
  expect(await run("changes", "apply", change.id, "-p", "shop")).toMatchObject({ code: 0 });
  expect(await json("flags", "get", "checkout", ...LIVE)).toMatchObject({
    enabled: true,
    description: "One page",
    ramp: { variant: "on", share: 1, every: 43_200, onGuard: "rollback", status: "running" },
  });
});

test("where no approvals are needed, the change is made with its ramp at once, a day from step to step", async () => {
  const { run, json } = await begin();
  const variants = ["--variants", '{"a":1,"b":2}', "--default", "b"];
  const { code, stdout } = await run("flags", "set", "color", ...DEVELOP, ...variants, "--ramp", "25,100");
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("started the ramp of color in shop/develop: a"),
  ]);
  expect(await json("flags", "get", "color", ...DEVELOP)).toMatchObject({
    enabled: true,
    defaultVariant: "b",
    ramp: { variant: "a", share: 25, every: 86_400 },
  });
  // What a ramp holds, another one does not change.
  expect((await run("flags", "set", "color", ...DEVELOP, "--tag", "x", "--ramp", "50,100")).code).toBe(5);
  expect(await json("flags", "get", "color", ...DEVELOP)).toMatchObject({ ramp: { share: 25 } });
  expect(await json("flags", "get", "color", ...DEVELOP)).not.toHaveProperty("tags");
});

test("a refusal names a variant as it is, also one with the name of an option", async () => {
  const { run } = await begin();
  await run("flags", "set", "sale", ...DEVELOP, "--on");
  const error = async (...args: string[]) => (await run("flags", ...args, ...DEVELOP)).stderr;
  expect(await error("set", "sale", "--ramp", "1,100")).toStartWith('error: "on" has 100 % of users already');
  await run("flags", "set", "color", ...DEVELOP, "--variants", '{"a":1,"b":2}', "--default", "b");
  const ramp = ["ramp", "color", "--variant", "on", "--to", "1,100", "--every", "1d"];
  expect(await error(...ramp)).toStartWith('error: "on" is not a variant of the flag');
});

test.each([
  [["--every", "1d"], "--every is for --ramp"],
  [["--guard", "event:error rises 0%"], "--guard is for --ramp"],
  [["--on-guard", "pause"], "--on-guard is for --ramp"],
  [["--ramp", "10,5"], "rise"],
  [["--ramp", "x"], "--ramp x is not a list of shares"],
  [["--ramp", "10,100", "--every", "0s"], "--every"],
  [["--ramp", "10,100", "--guard", "event:error grows 1%"], "guard"],
  [["--ramp", "10,100", "--off"], "a ramp turns the flag on"],
  [["--ramp", "10,100", "--at", "2h"], "--at"],
  [["--ramp", "10,100", "--for", "2h"], "--for"],
])("flags set %j is refused, and changes nothing", async (args, words) => {
  const { run } = await begin();
  const { code, stderr } = await run("flags", "set", "sale", ...DEVELOP, ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect((await run("flags", "get", "sale", ...DEVELOP)).code).toBe(3);
});
