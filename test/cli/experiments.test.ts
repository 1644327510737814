import { expect, test } from "bun:test";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { formflag, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

test("experiments create takes guards with spaces, several times", async () => {
  const { run } = onData(tempDirectory());
  await run("projects", "create", "shop", "--environments", "live");
  await run("flags", "set", "hero", "-p", "shop", "-e", "live");
  const guards = ["event:error rises 0%", "event:signup falls 20.5%"];
  const named = "experiments create headline -p shop -e live --flag hero --metric event:signup".split(" ");
  const given = guards.flatMap((guard) => ["--guard", guard]);
  const created = await run(...named, ...given, "--on-guard", "rollback", "--json");
  expect(JSON.parse(created.stdout)).toMatchObject({ guards, onGuard: "rollback" });
});

/** A project with a flag of three variants, and what creates an experiment on it. */
async function begin(data = tempDirectory()) {
  const commands = onData(data);
  const run = (...args: string[]) => commands.run(...args);
  const here = ["-p", "shop", "-e", "live"];
  await run("projects", "create", "shop", "--environments", "live");
  await run("flags", "set", "hero", ...here, "--variants", '{"a":1,"b":2}', "--default", "a");
  const create = ["experiments", "create", "headline", ...here, "--flag", "hero", "--metric", "event:signup"];
  return { run, json: <T>(...args: string[]): Promise<T> => commands.json<T>(...args), here, create };
}

test("the history of a flag names the experiment that changed it", async () => {
  const { run, here, create } = await begin();
  await run(...create, "--start", "--why", "a wish");
  await run("experiments", "stop", "headline", ...here);
  const { stdout } = await run("flags", "history", "hero", ...here);
  expect(stdout.match(/^why: .*$/gm)).toEqual([
    "why: experiment headline ended",
    "why: experiment headline started: a wish",
  ]);
  await run("experiments", "delete", "headline", ...here, "--yes");
  await run(...create, "--start");
  await run("experiments", "ship", "headline", ...here, "--variant", "b", "--yes");
  expect((await run("flags", "history", "hero", ...here)).stdout).toContain(
    "why: experiment headline shipped b\n",
  );
});

test("an experiment that has counted no visitor is shipped only with --yes", async () => {
  const { run, json, here, create } = await begin();
  await run(...create, "--start");
  const ship = ["experiments", "ship", "headline", ...here, "--variant", "b"];
  expect(await run(...ship)).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: experiment headline has counted no visitor, and confirming needs a terminal\n" +
      "hint: add --yes to ship b all the same, or look at formflag experiments results\n",
  });
  expect(await json("experiments", "get", "headline", ...here)).toMatchObject({ status: "running" });
  expect((await run(...ship, "--yes")).code).toBe(0);
});

test("experiments create --start that needs approvals leaves nothing, and with --propose a draft and a proposal", async () => {
  const { run, json, here, create } = await begin();
  await run("environments", "set", "live", "-p", "shop", "--approvals", "1");
  expect(await run(...create, "--start")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("add --propose"),
  });
  expect(await json("experiments", "list", ...here)).toEqual([]);
  const { change } = await json<{ change: ProposalView }>(...create, "--start", "--propose");
  expect(change).toMatchObject({ summary: "change flag hero and experiment headline in live" });
  expect(await json("experiments", "list", ...here)).toMatchObject([{ name: "headline", status: "draft" }]);
  const second = create.map((each) => (each === "headline" ? "second" : each));
  expect((await run(...second, "--start", "--bypass", "--why", "now")).stdout).toBe(
    "created and started experiment second in shop/live\n",
  );
});

test("experiments create --start whose result cannot be written says so, and the experiment runs", async () => {
  const data = tempDirectory();
  const { json, here, create } = await begin(data);
  const { code, stderr } = await formflag([...create, "--start", "--data", data], { isFull: true });
  expect(stderr).toContain("standard output cannot be written: the disk is full");
  expect(code).toBe(6);
  expect(await json("experiments", "get", "headline", ...here)).toMatchObject({ status: "running" });
});
