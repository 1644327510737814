import { describe, expect, test } from "bun:test";
import { openApp } from "../../cli/data/open.ts";
import { createToken } from "../../src/access/tokens.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { eventually } from "../support/eventually.ts";
import { formflag, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

type Change = {
  revision: number;
  environment: string | null;
  kind: string;
  who: string;
  why: string | null;
  at: string;
};
type Environment = { slug: string; key: string };
type Project = { key: string; environments: Environment[] };
type Scheduled = { id: string; at: string; flag: string; environment: string; patch: object; who: string };

const LIVE = ["-p", "shop", "-e", "live"];
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

/** A data directory with the project `shop` and commands on it. */
async function openShop() {
  const data = tempDirectory();
  const commands = onData(data);
  const { run } = commands;
  const json = <T>(...args: string[]): Promise<T> => commands.json<T>(...args);
  const project = await json<Project>("projects", "create", "shop", "--environments", "develop,live");
  const keys = {
    "x-project-key": project.key,
    "x-environment-key": project.environments.find(({ slug }) => slug === "live")!.key,
  };
  return {
    data,
    run,
    json,
    keys,
    set: (...args: string[]) => run("flags", "set", "sale", ...LIVE, ...args),
    history: (...args: string[]) => json<Change[]>("flags", "history", "sale", "-p", "shop", ...args),
    get: () => json<{ enabled: boolean; updatedAt: string }>("flags", "get", "sale", ...LIVE),
  };
}

describe("history", () => {
  test("of a flag is a diff, newest first, with revision, time, person and environment", async () => {
    const { run, set, history } = await openShop();
    await set("--on", "--payload", '{"a":1}');
    await set("--payload", '{"a":2}', "--description", "why\u202e");
    await run("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on");
    const [develop, second, first] = (await history()).map(({ revision }) => revision);
    const { code, stdout } = await run("flags", "history", "sale", ...LIVE);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        [
          `revision ${second}  ${TIME}  \\S+  live  updated`,
          String.raw`- payload: {"a":1}`,
          String.raw`\+ payload: {"a":2}`,
          String.raw`\+ description: "why\\u202e"`,
          "",
          `revision ${first}  ${TIME}  \\S+  live  created`,
          String.raw`\+ enabled: true`,
          String.raw`\+ payload: {"a":1}`,
          "$",
        ].join("\n"),
      ),
    );
    const [newest] = await history("--limit", "1");
    expect(newest).toEqual({
      revision: develop!,
      environment: "develop",
      kind: "flag",
      name: "sale",
      at: expect.stringMatching(new RegExp(TIME)),
      who: expect.stringMatching(/^(?!unknown)/),
      why: null,
      source: "cli",
      via: null,
      review: null,
      bypass: false,
      before: { enabled: false, expiredAt: null, description: "why\u202e" },
      after: { enabled: true, expiredAt: null, description: "why\u202e" },
    } as unknown as Change);
    expect((await history("--before", String(develop))).map(({ revision }) => revision)).toEqual([
      second!,
      first!,
    ]);
    expect(await history("--who", newest!.who, "--limit", "1")).toEqual([newest!]);
    expect(await history("--who", "another-user")).toEqual([]);
  });

  test("of a segment, an environment and a flag that was deleted is told too, of one that never was exit 3", async () => {
    const { run, set } = await openShop();
    await run("segments", "set", "staff", ...LIVE, "--rule", "true");
    await run("segments", "set", "staff", ...LIVE, "--rule", "false");
    const segment = await run("segments", "history", "staff", ...LIVE, "--limit", "1");
    expect(segment.stdout).toEndWith("live  updated\n- rule: everyone\n+ rule: no one\n");
    await run("environments", "lock", "live", "-p", "shop");
    const environment = await run("environments", "history", "live", "-p", "shop", "--limit", "1");
    expect(environment.stdout).toEndWith("live  updated\n- locked: false\n+ locked: true\n");
    await set("--on", "--confirm", "live");
    await run("flags", "delete", "sale", "-p", "shop", "--yes", "--confirm", "live");
    const deleted = await run("flags", "history", "sale", "-p", "shop", "--limit", "1");
    expect(deleted.stdout).toContain('all environments  deleted\n- develop: {"enabled":false');
    for (const args of [
      ["flags", "history", "nothing"],
      ["segments", "history", "nothing"],
      ["environments", "history", "nothing"],
      ["flags", "history", "other", "-e", "nothing"],
    ]) {
      const { code, stderr } = await run(...args, "-p", "shop");
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("nothing") });
    }
    expect((await run("flags", "history", "sale", "-p", "shop", "--limit", "x")).code).toBe(2);
  });

  test("of a project is what changed in it, and of a kind without a name what changed of that", async () => {
    const { run, set } = await openShop();
    await set("--on", "--rollout", "25");
    await run("segments", "set", "staff", ...LIVE, "--if", "email ends_with @example.com");
    const whole = await run("projects", "history", "shop");
    expect(whole.stdout).toMatch(
      new RegExp(
        [
          `^revision \\d+  ${TIME}  \\S+  segment staff  live  created`,
          String.raw`\+ rule: email ends with @example.com`,
          "",
          `revision \\d+  ${TIME}  \\S+  flag sale  live  created`,
          String.raw`\+ enabled: true`,
          String.raw`\+ variants: {"on":true,"off":false}`,
          String.raw`\+ defaultVariant: "off"`,
          String.raw`\+ rule: 25 % of users on; everyone else off`,
          "",
          `revision \\d+  ${TIME}  \\S+  environment live  created`,
        ].join("\n"),
      ),
    );
    const flags = await run("flags", "history", "-p", "shop");
    expect(flags.stdout).toContain("flag sale  live  created");
    expect(flags.stdout).not.toContain("staff");
  });

  test("of everything has projects and forms too, from a time on, and by a person", async () => {
    const { run, set, json } = await openShop();
    await run("projects", "create", "default", "--environments", "live");
    await run("forms", "create", "contact", "--notify", "a@example.com");
    await run("forms", "set", "contact", "--retention", "90d", "--why", "privacy");
    await set("--on");
    await run("projects", "delete", "shop", "--yes");
    await run("forms", "delete", "contact", "--yes");
    const brief = (text: string) => text.match(/(?<=  \S+  )(?:form|flag|project|environment) .*$/gm);
    expect(brief((await run("history", "--since", "1h")).stdout)).toEqual([
      "form default/contact  deleted",
      "project shop  deleted",
      "form default/contact  updated",
      "form default/contact  created",
      "environment default/live  created",
      "project default  created",
      "project shop  created",
    ]);
    expect(await json<Change[]>("history", "--who", "nobody")).toEqual([]);
    expect(await json<Change[]>("history", "--since", "2099-01-01")).toEqual([]);
    expect((await run("history", "--since", "yesterday")).code).toBe(2);
    const form = await run("forms", "history", "contact");
    expect(form.stdout).toMatch(/updated\nwhy: privacy\n\+ retention: "90d"\n/);
    expect(form.stdout).toMatch(/created\n\+ name: "contact"\n\+ notify: \["a@example.com"\]\n$/);
    expect((await run("forms", "history", "nothing")).code).toBe(3);
    const [newest] = await json<(Change & { project: unknown })[]>(
      "history",
      "--kind",
      "form",
      "--limit",
      "1",
    );
    expect(newest).toMatchObject({ project: "default", kind: "form", environment: null, after: null });
  });

  test("names the token of a remote command, and rolls back over HTTP", async () => {
    const { data, set, history } = await openShop();
    await set("--on");
    const app = await openApp({ data, writing: "inline" });
    const { token } = await createToken(app, OPERATOR, { name: "pipeline", scopes: ["flags:write"] });
    await app.store.close();
    const { url } = await startServer([], { data });
    const env = { FORMFLAG_SERVER: url, FORMFLAG_TOKEN: token };
    const remote = (...args: string[]) => formflag(args, { env });
    const [{ revision }] = (await history()) as [Change];
    expect((await remote("flags", "set", "sale", ...LIVE, "--off")).code).toBe(0);
    const back = await remote("flags", "rollback", "sale", ...LIVE, "--to", String(revision));
    expect(back.stdout).toBe(`updated sale in shop/live: on, as after revision ${revision}\n`);
    expect((await history()).map(({ who }) => who).slice(0, 2)).toEqual(["pipeline", "pipeline"]);
  });
});

describe("--why", () => {
  test("is shown in the history, here and over HTTP, however the flag is changed", async () => {
    const { data, run, set, history } = await openShop();
    const why = (text: string) => ["--why", text];
    await set("--on", ...why("Grüße, 100 %"));
    await run("flags", "disable", "sale", ...LIVE, ...why("too\u202e slow"));
    await run("segments", "set", "staff", ...LIVE, "--rule", "true", ...why("for us"));
    await run("environments", "set", "live", "-p", "shop", "--color", "red", ...why("visible"));
    await run("environments", "lock", "live", "-p", "shop", ...why("safe"));
    const app = await openApp({ data, writing: "inline" });
    const { token } = await createToken(app, OPERATOR, { name: "pipeline" });
    await app.store.close();
    const { url } = await startServer([], { data });
    const env = { FORMFLAG_SERVER: url, FORMFLAG_TOKEN: token };
    await formflag(["flags", "enable", "sale", ...LIVE, "--confirm", "live", ...why("日本 – faster")], {
      env,
    });
    expect((await history()).map((change) => change.why)).toEqual([
      "日本 – faster",
      "too\u202e slow",
      "Grüße, 100 %",
    ]);
    const { stdout } = await run("flags", "history", "sale", "-p", "shop", "--limit", "2");
    expect(stdout).toMatch(/live  updated\nwhy: 日本 – faster\n- enabled: false\n/);
    expect(stdout).toContain("why: too\\u202e slow\n");
    for (const [noun, name, text] of [
      ["segments", "staff", "for us"],
      ["environments", "live", "safe"],
    ] as const)
      expect((await run(noun, "history", name, "-p", "shop", "--limit", "1")).stdout).toContain(
        `why: ${text}\n`,
      );
    const before = await history();
    for (const wrong of ["two\nlines", "x".repeat(501)])
      expect((await run("flags", "enable", "sale", ...LIVE, "--confirm", "live", ...why(wrong))).code).toBe(
        2,
      );
    expect(await history()).toEqual(before);
  });
});

describe("--if-revision", () => {
  test("is exit 5 where somebody else was faster, and tells the next one where nobody was", async () => {
    const { run, set, history } = await openShop();
    expect((await set("--on", "--if-revision", "0")).code).toBe(0);
    const { stdout } = await run("flags", "get", "sale", ...LIVE);
    const revision = /^revision +(\d+)$/m.exec(stdout)![1]!;
    const updated = await set("--off", "--if-revision", revision);
    expect(updated.stdout).toBe(`updated sale in shop/live: off (revision ${Number(revision) + 1})\n`);
    const late = ["--if-revision", revision];
    await run("segments", "set", "staff", ...LIVE, "--rule", "true");
    const results = await Promise.all([
      set("--on", ...late),
      run("flags", "rollback", "sale", ...LIVE, "--to", revision, ...late),
      run("flags", "delete", "sale", "-p", "shop", "--yes", ...late),
      run("segments", "set", "staff", ...LIVE, "--rule", "false", ...late),
      run("segments", "delete", "staff", ...LIVE, "--yes", ...late),
    ]);
    expect(results.map(({ code }) => code)).toEqual([5, 5, 5, 5, 5]);
    expect(results[0].stderr).toContain("--if-revision");
    expect(await history()).toHaveLength(2);
  });
});

describe("flags undo", () => {
  test("takes back the newest change, also the first and the undo itself, once it is confirmed", async () => {
    const { run, set, get, history } = await openShop();
    await set("--on", "--payload", "[1]");
    const undo = (...args: string[]) => run("flags", "undo", "sale", ...LIVE, ...args);
    const asked = await undo();
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain("\n- enabled: true\n+ enabled: false\n- payload: [1]\n");
    expect(asked.stderr).toContain("add --yes to undo it");
    expect(await history()).toHaveLength(1);
    const [{ revision }] = (await history()) as [Change];
    expect((await undo("--yes", "--why", "too early")).stdout).toBe(
      `undid revision ${revision} of sale in shop/live: off\n`,
    );
    expect(await get()).toMatchObject({ enabled: false, payload: {} });
    expect((await history())[0]).toMatchObject({ why: "too early" });
    await undo("--yes");
    expect(await get()).toMatchObject({ enabled: true, payload: [1] });
    await run("flags", "delete", "sale", "-p", "shop", "--yes");
    expect((await undo("--yes")).stdout).toContain("sale in shop/live: on\n");
    expect(await get()).toMatchObject({ enabled: true, payload: [1] });
  });

  test("takes back the newest of two deletions", async () => {
    const { run, set, get } = await openShop();
    const remove = () => run("flags", "delete", "sale", "-p", "shop", "--yes");
    await set("--on", "--payload", "[1]");
    await remove();
    await set("--on", "--payload", "[2]");
    await remove();
    expect((await run("flags", "undo", "sale", ...LIVE, "--yes")).code).toBe(0);
    expect(await get()).toMatchObject({ enabled: true, payload: [2] });
  });

  test("is refused in a locked environment, and for what never changed there", async () => {
    const { run, set } = await openShop();
    await set("--on");
    const undo = (...args: string[]) => run("flags", "undo", ...args, "--yes");
    expect((await undo("nothing", ...LIVE)).code).toBe(3);
    const { code, stderr } = await undo("sale", "-p", "shop", "-e", "develop");
    expect([code, stderr]).toEqual([3, expect.stringContaining('no change of "sale" in develop')]);
    await run("environments", "lock", "live", "-p", "shop");
    expect((await undo("sale", ...LIVE)).stderr).toContain("live");
  });
});

describe("flags rollback", () => {
  test("sets what was, and says created, updated or unchanged", async () => {
    const { run, set, get, history } = await openShop();
    await set("--on");
    const [{ revision }] = (await history()) as [Change];
    await set("--off");
    const rollback = (...args: string[]) => run("flags", "rollback", "sale", ...LIVE, ...args);
    const to = ["--to", String(revision)];
    expect((await rollback(...to)).stdout).toStartWith("updated sale");
    expect(await get()).toMatchObject({ enabled: true });
    expect((await rollback(...to)).stdout).toStartWith("unchanged sale");
    await run("flags", "delete", "sale", "-p", "shop", "--yes");
    expect((await rollback(...to)).stdout).toStartWith("created sale");
    const wrong = await Promise.all([rollback("--to", "x"), rollback("--to", "1")]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 3]);
    expect(wrong[0].stderr).toContain("or before to undo the newest change");
  });

  test("undoes the first change in an environment, such as a promotion, without --to where nobody can be prompted", async () => {
    const { run } = await openShop();
    await run("flags", "set", "new", "-p", "shop", "-e", "develop", "--on", "--payload", "[1]");
    await run("flags", "promote", "new", "-p", "shop", "--from", "develop", "--to", "live");
    const { code, stdout } = await run("flags", "rollback", "new", ...LIVE);
    expect([code, stdout]).toEqual([0, "updated new in shop/live: off, as before its newest change\n"]);
    const shown = await run("flags", "get", "new", ...LIVE, "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({ enabled: false, payload: {} });
    await run("flags", "set", "other", "-p", "shop", "-e", "develop", "--on");
    const never = await run("flags", "rollback", "other", ...LIVE, "--to", "before");
    expect([never.code, never.stderr]).toEqual([3, expect.stringContaining("no change")]);
  });
});

describe("flags promote", () => {
  const way = ["-p", "shop", "--from", "develop", "--to", "live"];

  test("shows the difference, changes nothing in a dry run, and copies all at once", async () => {
    const { run, get } = await openShop();
    const here = ["-p", "shop", "-e", "develop"];
    await run("segments", "set", "staff", ...here, "--rule", "true");
    await run("flags", "set", "same", ...here);
    const variants = ["--variants", '{"on":true,"off":false}', "--default", "off"];
    const targeting = ["--targeting", '{"if":[{"$ref":"staff"},"on"]}'];
    await run("flags", "set", "sale", ...here, "--on", ...variants, ...targeting);
    const promote = (...args: string[]) => run("flags", "promote", ...way, ...args);
    const planned = await promote("--all", "--dry-run");
    expect(planned.code).toBe(0);
    expect(planned.stdout).toStartWith("sale\n- enabled: false\n+ enabled: true\n+ variants: ");
    expect(planned.stdout).toContain(
      "segment staff: missing in live, not copied: add --segments\n+ rule: everyone\n",
    );
    expect(planned.stdout).toEndWith("\nwould promote 1 flag from develop to live, 1 unchanged\n");
    expect(await get()).toMatchObject({ enabled: false });
    const done = await promote("--all", "--segments");
    expect(done.stdout).toContain("segment staff: missing in live, copied\n");
    expect(await get()).toMatchObject({ enabled: true });
    expect((await promote("sale")).stdout).toBe("promoted 0 flags from develop to live, 1 unchanged\n");
    const wrong = await Promise.all([
      promote(),
      promote("sale", "--all"),
      promote("nothing"),
      run("flags", "promote", "sale", "-p", "shop", "--from", "live"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 3, 2]);
  });
});

describe("a locked environment", () => {
  test("is changed with --confirm alone where nobody can be asked, and shown as locked", async () => {
    const { run, set, json } = await openShop();
    const locked = await run("environments", "lock", "live", "-p", "shop");
    expect(locked.stdout).toBe("locked environment live of project shop\n");
    expect((await run("environments", "lock", "live", "-p", "shop")).stdout).toStartWith("unchanged");
    const refused = await set("--on");
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("live of project shop is locked");
    expect(refused.stderr).toContain("--confirm live");
    expect((await set("--on", "--yes")).code).toBe(2);
    expect((await set("--on", "--at", "1h")).code).toBe(2);
    expect((await set("--on", "--confirm", "live")).code).toBe(0);
    expect((await run("environments", "list", "-p", "shop")).stdout).toMatch(/^live .* yes$/m);
    const [develop, live] = await json<Environment[]>("environments", "list", "-p", "shop");
    expect([develop, live]).toMatchObject([{ locked: false }, { locked: true }]);
    await run("environments", "unlock", "live", "-p", "shop");
    expect((await set("--off")).code).toBe(0);
  });
});

describe("flags set --at", () => {
  test("schedules a change that can be listed and cancelled", async () => {
    const { run, json, set, get } = await openShop();
    await set();
    const now = Date.now();
    const planned = await json<Scheduled>("flags", "set", "sale", ...LIVE, "--on", "--at", "2h");
    expect(planned).toMatchObject({
      flag: "sale",
      environment: "live",
      patch: { enabled: true },
      result: "scheduled",
    });
    expect(Date.parse(planned.at) - now).toBeWithin(7_200_000, 7_260_000);
    expect(await get()).toMatchObject({ enabled: false });
    const listed = await json<Scheduled[]>("flags", "scheduled", "-p", "shop");
    expect(listed.map(({ id, patch }) => [id, patch])).toEqual([[planned.id, { enabled: true }]]);
    expect(await json<Scheduled[]>("flags", "scheduled", "-p", "shop", "-e", "develop")).toEqual([]);
    expect((await run("flags", "scheduled", "-p", "shop")).stdout).toContain(`${planned.id}  ${planned.at}`);
    const cancel = () => run("flags", "unschedule", planned.id, "-p", "shop");
    expect((await cancel()).stdout).toBe(`cancelled ${planned.id}\n`);
    const again = await cancel();
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(`scheduled change "${planned.id}" does not exist`);
    const wrong = await Promise.all([
      set("--on", "--at", "2020-01-01T00:00:00Z"),
      set("--on", "--at", "never"),
      set("--on", "--at", "soon"),
      set("--at", "2h"),
      set("--on", "--at", "2h", "--if-revision", "1"),
      run("flags", "set", "nothing", ...LIVE, "--on", "--at", "2h"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 3]);
  });

  /** Plans `--on` for a moment from now, and waits until that has come. */
  async function planAndWait({ set, json }: Awaited<ReturnType<typeof openShop>>, ms = 2000) {
    await set();
    const at = new Date(Date.now() + ms).toISOString();
    await json<Scheduled>("flags", "set", "sale", ...LIVE, "--on", "--at", at);
    await eventually("it is due", () => Date.now() > Date.parse(at));
    return at;
  }

  test("is made once by several commands at the same time, as of its time", async () => {
    const shop = await openShop();
    const at = await planAndWait(shop);
    const read = await Promise.all([shop.get(), shop.get(), shop.get(), shop.get()]);
    for (const flag of read) expect(flag).toMatchObject({ enabled: true, updatedAt: at });
    expect((await shop.history()).filter((change) => change.at === at)).toHaveLength(1);
  });

  test("is in the first answer of a server that starts later", async () => {
    const shop = await openShop();
    const at = await planAndWait(shop);
    const { url } = await startServer([], { data: shop.data });
    const flag = await (await fetch(`${url}/api/v1/flags/sale`, { headers: shop.keys })).json();
    expect(flag).toMatchObject({ enabled: true, updatedAt: at });
  });

  test("is made by a running server, once, also where another process scheduled it; what fails is logged", async () => {
    const shop = await openShop();
    const { url, stderr } = await startServer([], { data: shop.data });
    await shop.set();
    await shop.json("flags", "set", "color", ...LIVE);
    // Far enough that the deletion comes first on a machine that is busy.
    const at = new Date(Date.now() + 4000).toISOString();
    for (const flag of ["sale", "color"]) await shop.json("flags", "set", flag, ...LIVE, "--on", "--at", at);
    await shop.json("flags", "delete", "color", "-p", "shop", "--yes");
    const read = async () =>
      (await fetch(`${url}/api/v1/flags/sale`, { headers: shop.keys })).json() as Promise<{
        enabled: boolean;
      }>;
    expect(await read()).toMatchObject({ enabled: false });
    expect(await eventually("it is on", async () => (await read()).enabled && read())).toMatchObject({
      updatedAt: at,
    });
    expect((await shop.history()).filter((change) => change.at === at)).toHaveLength(1);
    await eventually("the log tells", () => stderr().includes("dropped the scheduled change"));
  });
});
