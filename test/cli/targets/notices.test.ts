import { expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

type Delivery = { target: string; event: string; environment: string | null };

test("targets of a project hear of their events in their environment, and together with a digest", async () => {
  const env = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
  const here = onData(tempDirectory(), (args) => formflag(args, { env }));
  await here.json("projects", "create", "shop", "--environments", "develop,live");
  const add = async (...settings: string[]) => {
    const url = "http://127.0.0.1:9/hook";
    return (await here.json<{ id: string }>("targets", "add", url, "-p", "shop", ...settings)).id;
  };
  const targets = {
    live: await add("-e", "live", "--event", "flag.*"),
    ramps: await add("--event", "ramp.stepped,ramp.ended", "--event", "environment.changed"),
    digest: await add("--digest", "1h"),
  };
  await here.json("flags", "set", "search", "-p", "shop", "-e", "develop", "--on");
  await here.json("flags", "set", "search", "-p", "shop", "-e", "live", "--payload", "1");
  const ramp = ["flags", "ramp", "search", "-p", "shop", "-e", "live"];
  await here.json(...ramp, "--variant", "on", "--to", "10,100", "--every", "1d");
  await here.json(...ramp, "--pause");
  await here.json(...ramp, "--abort", "--keep");
  await here.json("environments", "set", "live", "-p", "shop", "--color", "red");
  // Nothing of these: a dry run, and a change that is refused.
  await here.run("flags", "set", "search", "-p", "shop", "-e", "live", "--default", "nope");
  await here.run("apply", "--dry-run", "-f", "-");

  const deliveries = await here.json<Delivery[]>("deliveries", "list", "--project", "shop");
  const of = (target: string) =>
    deliveries
      .filter((each) => each.target === target)
      .map(({ event, environment }) => `${event} ${environment}`)
      .toSorted();
  expect(of(targets.live)).toEqual(["flag.changed live"]);
  expect(of(targets.ramps)).toEqual(["environment.changed live", "ramp.ended live", "ramp.stepped live"]);
  expect(of(targets.digest)).toEqual(["digest null"]);
  const { stdout } = await here.run("targets", "list", "-p", "shop");
  for (const words of ["flag.* in live", "ramp.stepped, ramp.ended, environment.changed", "all, every hour"])
    expect(stdout).toContain(words);
  const { stderr } = await here.run("targets", "delete", targets.live);
  expect(stderr).toContain(`target ${targets.live} of project shop (http://127.0.0.1:9/…) would be deleted`);
  const wrong = await here.run("targets", "add", "http://127.0.0.1:9/", "-p", "shop", "--event", "flag.nope");
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("error: --event: events are flag.*,"),
  ]);
  const history = await here.run("flags", "history", "search", "-p", "shop", "-e", "live");
  expect(history.stdout).toMatch(/ {2}ramp {2}live {2}created$/m);
});
