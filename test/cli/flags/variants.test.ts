import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

type Detail = {
  slug: string;
  enabled: boolean;
  payload: unknown;
  variants?: unknown;
  defaultVariant?: unknown;
  targeting?: unknown;
  result: string;
};
type Evaluation = { key: string; value?: unknown; variant?: string; reason?: string; errorCode?: string };

const HERE = ["-p", "shop", "-e", "develop"];
const BOOLEAN = { variants: { on: true, off: false }, defaultVariant: "off" };
const COLORS = '{"red":"#f00","blue":"#00f","green":"#0f0"}';

const commands = onData(tempDirectory());
const { run } = commands;
const json = <T>(...args: string[]) => commands.json<T>(...args);
await run("projects", "create", "shop");

const set = (slug: string, ...args: string[]) => json<Detail>("flags", "set", slug, ...HERE, ...args);
const trySet = (slug: string, ...args: string[]) => run("flags", "set", slug, ...HERE, ...args);
const setShade = (slug: string) => set(slug, "--variants", COLORS, "--default", "red");
/** Of a flag that no test changes. */
await setShade("shade");
const evaluate = (slug: string, context?: object) =>
  json<Evaluation>(
    "flags",
    "evaluate",
    slug,
    ...HERE,
    ...(context ? ["--context", JSON.stringify(context)] : []),
  );
const share = (on: number, off: number, names = ["on", "off"]) => ({
  fractional: [
    [names[0], on],
    [names[1], off],
  ],
});

const REFUSED: [why: string, args: string[], says: string][] = [
  ["a payload beside variants", ["--payload", "1"], "--variants"],
  ["a rollout of other variants than two booleans", ["--rollout", "5"], "--else '34 % red"],
  ["a share that is none", ["--rollout", "101"], "from 0 to 100"],
  ["a negative share", ["--rollout=-1"], "from 0 to 100"],
  ["a condition without a variant", ["--if", "a == b"], "--then"],
  ["a variant without a condition", ["--then", "red"], "--if"],
  ["a condition for an unknown variant", ["--if", "a == b", "--then", "pink"], "red, blue, green"],
  ["half a condition", ["--if", "a == b or d", "--then", "red"], "at column 12, d is not compared"],
  [
    "a pattern that is none",
    ["--if", 'a matches "(?=b)"', "--then", "red"],
    "at column 11, the pattern does not",
  ],
  ["a network that is none", ["--if", "a in_cidr 10.0.0.0/33", "--then", "red"], "is not a network such as"],
  [
    "a date that is none",
    ["--if", "a before 2026-02-30T00:00:00Z", "--then", "red"],
    "is not a time such as",
  ],
  [
    "a network that is none, in JSON",
    ["--targeting", '{"if":[{"in_cidr":[{"var":"ip"},["10.0.0.0/8","x"]]},"red"]}'],
    '/targeting/if/0/in_cidr/1: "x" is not a network',
  ],
  [
    "a segment that does not exist",
    ["--if", "segment nope", "--then", "red"],
    'segment "nope" does not exist',
  ],
  ["another variant for the rest", ["--if", "a == b", "--then", "red", "--else", "pink"], "red, blue, green"],
  ["a rule in JSON as a condition", ["--if", '{"==":[1,1]}', "--then", "red"], "--targeting"],
  ["a share as a condition", ["--if", "25 % of users", "--then", "red"], "--rollout 25"],
  ["a version as a number", ["--if", "v >= 2.1.0", "--then", "red"], "version sem_ver >= 2.1.0"],
  ["the rest of no rule", ["--else", "red"], "--else needs an --if"],
  ["a list that is one text", ["--if", "a in AT DE", "--then", "red"], "separated by commas"],
  ["half a version", ["--if", "v sem_ver >= 2.x", "--then", "red"], "a version looks like 2.1.0"],
  ["an order of words", ["--if", "age > eighteen", "--then", "red"], "is not a number"],
  ["an end of no rollout", ["--rollout", "101%"], "none to end"],
  ["an operator that there is not", ["--if", "a like b", "--then", "red"], "ends_with"],
  ["an unknown default", ["--default", "pink"], "red, blue, green"],
  ["a rule and a shorthand", ["--targeting", "{}", "--rollout", "5"], "--rollout"],
  ["a rule that flagd does not have", ["--targeting", '{"nope":[1]}'], "nope"],
  ["variants of two types", ["--variants", '{"a":1,"b":"c"}', "--default", "a"], "/variants"],
  ["no JSON", ["--variants", "{a}"], "--variants is not valid JSON"],
  [
    "deeper variants than can be kept",
    ["--default", "a", "--variants", `{"a":{"b":${"[".repeat(3000)}${"]".repeat(3000)}}}`],
    "levels",
  ],
];

describe("flags set", () => {
  test("gives a flag variants, a default and a rule, and takes them away again", async () => {
    const file = `${tempDirectory()}/rule.json`;
    const targeting = { if: [{ "==": [{ var: "plan" }, "gold"] }, "blue"] };
    await Bun.write(file, JSON.stringify(targeting));
    const made = await set(
      "color",
      "--on",
      "--variants",
      COLORS,
      "--default",
      "red",
      "--targeting",
      `@${file}`,
    );
    expect(made).toMatchObject({ payload: "#f00", defaultVariant: "red", targeting, result: "created" });
    expect(await evaluate("color", { plan: "gold" })).toEqual({
      key: "color",
      value: "#00f",
      variant: "blue",
      reason: "TARGETING_MATCH",
    });
    const bare = await set("color", "--targeting", "none", "--default", "none");
    expect(bare).toMatchObject({ defaultVariant: null, payload: {}, result: "updated" });
    expect(bare).not.toHaveProperty("targeting");
    expect(await evaluate("color")).toEqual({ key: "color", reason: "DEFAULT" });
    expect(Object.keys(await set("color", "--variants", "none"))).not.toContain("variants");
  });

  test("rolls a flag out to a share that only ever grows", async () => {
    expect(await set("search", "--on", "--rollout", "12.5")).toMatchObject({
      ...BOOLEAN,
      targeting: share(125, 875),
    });
    expect((await set("search", "--rollout", "25")).targeting).toEqual(share(25, 75));
    expect((await set("search", "--rollout", "25.0%")).result).toBe("unchanged");
    expect((await set("search", "--rollout", "0")).targeting).toEqual(share(0, 100));
    expect(await evaluate("search", { targetingKey: "ann" })).toMatchObject({ variant: "off" });
    await set("search", "--rollout", "100");
    expect(await evaluate("search", { targetingKey: "ann" })).toMatchObject({ value: true });
    expect(await evaluate("search")).toMatchObject({ variant: "off", reason: "DEFAULT" });
  });

  test("makes a plain or a new flag's variants on and off for a rule", async () => {
    const targeting = { if: [{ "==": [{ var: "a" }, 1] }, "on"] };
    const rule = JSON.stringify(targeting);
    expect(await set("fresh", "--on", "--targeting", rule)).toMatchObject({ ...BOOLEAN, targeting });
    await set("known", "--on", "--payload", "[1]");
    const known = await set("known", "--targeting", rule, "--default", "on");
    expect(known).toMatchObject({ ...BOOLEAN, defaultVariant: "on", targeting });
    expect(await evaluate("fresh", { a: 1 })).toMatchObject({ value: true, reason: "TARGETING_MATCH" });
  });

  test("keeps the payload in a rollout, for those who get on, and gives it back to everybody after it", async () => {
    const payload = { color: "green" };
    const before = await set("nc", "--on", "--payload", JSON.stringify(payload));
    const { stdout, stderr } = await trySet("nc", "--rollout", "10");
    expect(stdout).toBe("updated nc in shop/develop: on (10 % of users on; everyone else off)\n");
    expect(stderr).toBe(
      "readers without a targetingKey, such as those of GET /api/v1/flags, are not in the share: they get off\n",
    );
    expect((await set("nc")).payload).toEqual(payload);
    const users = Array.from({ length: 30 }, (_, index) => ({ targetingKey: `user-${index}` }));
    for (const user of users.slice(0, 5)) {
      const own = await evaluate("nc", user);
      expect((await evaluate("nc.payload", user)).value).toEqual(own.value ? payload : undefined);
    }
    expect((await set("nc", "--payload", "[1]")).payload).toEqual([1]);
    await set("nc", "--payload", JSON.stringify(payload));
    for (const end of [
      ["--rollout", "none"],
      ["--rollout", "off"],
      ["--targeting", "none"],
      ["--targeting", "off"],
    ]) {
      await set("nc", "--rollout", "10");
      const { stderr } = await trySet("nc", ...end);
      expect(stderr).toBe("nc has no rule any more: it is on for everyone\n");
      const after = await set("nc");
      const { enabled, payload, slug } = before;
      expect(after).toMatchObject({ slug, enabled, payload });
      expect(after).not.toContainAnyKeys(["variants", "defaultVariant", "targeting"]);
      expect(await set("nc", ...end)).toEqual({ ...after, result: "unchanged" });
    }
  });

  test("ends a rollout alone, and leaves the conditions before it and variants of one's own", async () => {
    await set("mixed", "--on", "--if", "plan == gold", "--then", "on", "--rollout", "10");
    const { targeting, variants } = await set("mixed", "--rollout", "none");
    expect([targeting, variants]).toEqual([
      { if: [{ "===": [{ var: "plan" }, "gold"] }, "on"] },
      BOOLEAN.variants,
    ]);
    const { code, stderr } = await trySet("mixed", "--rollout", "none");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--targeting none removes the whole rule")]);
    await set("own", "--variants", '{"no":false,"yes":true}', "--default", "no", "--rollout", "5");
    const own = await set("own", "--rollout", "none");
    expect([own.variants, "targeting" in own]).toEqual([{ no: false, yes: true }, false]);
    await set("bare");
    expect(await set("bare", "--targeting", "none", "--rollout", "none").catch(() => null)).toBeNull();
    expect((await set("bare", "--targeting", "none")).result).toBe("unchanged");
  });

  test("names the payload that other variants take the place of, and how to get it back", async () => {
    await set("replaced", "--payload", "[1]");
    const { stderr } = await trySet("replaced", "--variants", COLORS);
    expect(stderr).toContain("the variants take the place of its payload [1]");
    expect(stderr).toContain("formflag flags undo replaced -p shop -e develop");
  });

  test("joins conditions by and, and prints the rule as it was understood", async () => {
    const condition = "age >= 18 and country in [AT, DE]";
    const { stdout, stderr } = await trySet("joined", "--on", "--if", condition, "--then", "on");
    expect(stderr).toBe(
      "readers of GET /api/v1/flags send no context; to see what they get: formflag flags evaluate joined -p shop -e develop\n",
    );
    expect(stdout).toEndWith(
      ": on (age is at least 18 and country is one of AT, DE: on; everyone else off)\n",
    );
    expect(await evaluate("joined", { age: 18, country: "DE" })).toMatchObject({ value: true });
    expect(await evaluate("joined", { age: 18, country: "FR" })).toMatchObject({ value: false });
    expect((await run("flags", "get", "joined", ...HERE)).stdout).toMatch(
      /^rule +age is at least 18 and country is one of AT, DE: on\n +everyone else off$/m,
    );
  });

  test("takes a segment, brackets, or and not as conditions, and what everyone else gets", async () => {
    await run("segments", "set", "staff", ...HERE, "--if", "email ends_with @example.com");
    const condition = "segment staff or not (plan == free or plan == none)";
    const { stdout } = await trySet("open", "--on", "--if", condition, "--else", "off");
    expect(stdout).toBe(
      "created open in shop/develop: on (segment staff or not (plan is free or plan is none): on; everyone else off)\n",
    );
    expect(await evaluate("open", { email: "a@example.com", plan: "free" })).toMatchObject({ value: true });
    expect(await evaluate("open", { plan: "free" })).toMatchObject({ value: false });
    const chosen = await trySet(
      "pick",
      "--variants",
      COLORS,
      "--if",
      "segment staff",
      "--then",
      "blue",
      "--else",
      "red",
    );
    expect(chosen.stdout).toEndWith(": off (when on: segment staff: blue; everyone else red)\n");
  });

  test("keeps the conditions where only the share is another", async () => {
    await set("grows", "--on", "--if", "plan == gold", "--rollout", "10");
    expect((await trySet("grows", "--rollout", "50 %")).stdout).toEndWith(
      ": on (plan is gold: on; 50 % of users on; everyone else off)\n",
    );
    await set("grows", "--rollout", "none");
    expect((await trySet("grows", "--rollout", "20")).stdout).toContain("plan is gold: on; 20 % of users on");
  });

  test("keeps what a share does not contradict, and names a rule that it takes the place of", async () => {
    await set("widens", "--on", "--if", "plan == gold", "--else", "off");
    expect((await trySet("widens", "--rollout", "20")).stdout).toContain(
      "plan is gold: on; 20 % of users on",
    );
    const own = '{"if":[{"==":[{"var":"a"},1]},"on",{"if":[{"==":[{"var":"b"},1]},"on"]}]}';
    await set("own-rule", "--on", "--targeting", own);
    const { stdout, stderr } = await trySet("own-rule", "--rollout", "20");
    expect(stdout).toContain("on (20 % of users on; everyone else off)");
    expect(stderr).toContain("a rule of its own; to undo: formflag flags undo own-rule -p shop -e develop");
  });

  test("rolls out by the names of two boolean variants, the true one first", async () => {
    await set("beta", "--variants", '{"no":false,"yes":true}', "--default", "no");
    expect((await set("beta", "--rollout", "5")).targeting).toEqual(share(5, 95, ["yes", "no"]));
  });

  test("makes rules of conditions, in their order and before a rollout", async () => {
    const conditions = ["--if", "email ends_with @example.com", "--then", "on", "--if", "age < 18"];
    const { targeting } = await set("news", "--on", ...conditions, "--then", "off", "--rollout", "50");
    expect(targeting).toEqual({
      if: [
        { ends_with: [{ var: "email" }, "@example.com"] },
        "on",
        { and: [{ "!==": [{ var: "age" }, null] }, { "<": [{ var: "age" }, 18] }] },
        "off",
        share(50, 50),
      ],
    });
    expect(await evaluate("news", { email: "a@example.com", age: 3 })).toMatchObject({ variant: "on" });
    expect(await evaluate("news", { age: 3, targetingKey: "ann" })).toMatchObject({ variant: "off" });
    const chosen = await set("tint", "--on", "--variants", COLORS, "--if", "plan == gold", "--then", "blue");
    expect(chosen.targeting).toEqual({ if: [{ "===": [{ var: "plan" }, "gold"] }, "blue"] });
  });

  test("switches the state of a flag with variants, and leaves its rule", async () => {
    await set("state", "--on", "--rollout", "100");
    const off = await set("state", "--off");
    expect(off).toMatchObject({ enabled: false, targeting: share(100, 0) });
    expect(await evaluate("state", { targetingKey: "ann" })).toEqual({ key: "state", reason: "DISABLED" });
    expect((await set("state", "--on")).result).toBe("updated");
  });

  test.each(REFUSED)("refuses %s, and says what to type", async (_, args, says) => {
    const { code, stderr } = await trySet("shade", ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  test("changed nothing where it refused", async () => {
    const made = await setShade("unchanged");
    for (const [, args] of REFUSED) expect((await trySet("unchanged", ...args)).code).toBe(2);
    expect(await set("unchanged")).toEqual({ ...made, result: "unchanged" });
  });
});

describe("flags evaluate", () => {
  test("shows value, variant and reason of a plain flag too", async () => {
    await set("plain", "--on", "--payload", '{"a":1}');
    const { stdout } = await run("flags", "evaluate", "plain", ...HERE);
    expect(stdout).toBe("value    true\nvariant  on\nreason   STATIC\n");
    expect(await evaluate("plain.payload")).toMatchObject({ value: { a: 1 }, variant: "payload" });
    await set("plain", "--expires", "2020-01-01");
    expect(await evaluate("plain")).toEqual({
      key: "plain",
      value: false,
      variant: "off",
      reason: "DISABLED",
    });
  });

  test("says that a rollout needs a targetingKey, where the context has none", async () => {
    await set("keyless", "--on", "--rollout", "100");
    const evaluated = (context: string) => run("flags", "evaluate", "keyless", ...HERE, "--context", context);
    expect((await evaluated('{"userId":"bob"}')).stderr).toBe(
      `the rollout of keyless needs a targetingKey, which the context does not have: --context '{"targetingKey":"bob"}'\n`,
    );
    expect((await evaluated('{"targetingKey":"bob"}')).stderr).toBe("");
    const tried = await run("flags", "evaluate", "untried", ...HERE, "--on", "--rollout", "50");
    expect(tried.stderr).toContain("the rollout of untried needs a targetingKey");
  });

  test("names the attribute that a share is by, in notes and in the refusal of a ramp", async () => {
    const by = (bucketing: object) => JSON.stringify({ fractional: [bucketing, ["on", 50], ["off", 50]] });
    const company = await run(
      "flags",
      "set",
      "by-company",
      ...HERE,
      "--on",
      "--targeting",
      by({ var: "user.company" }),
    );
    expect(company.stderr).toContain(
      "readers without user.company, such as those of GET /api/v1/flags, are not in the share: they get off\n",
    );
    expect(company.stderr).not.toContain("targetingKey");
    const evaluated = async (context: string) =>
      (await run("flags", "evaluate", "by-company", ...HERE, "--context", context)).stderr;
    expect(await evaluated('{"targetingKey":"ann"}')).toBe(
      "the rollout of by-company is by user.company, which the context does not have\n",
    );
    expect(await evaluated('{"user":{"company":5}}')).toBe(
      "the rollout of by-company is by user.company, which has to be a text\n",
    );
    expect(await evaluated('{"user":{"company":"acme"}}')).toBe("");
    const ramp = await run(
      "flags",
      "ramp",
      "by-company",
      ...HERE,
      "--variant",
      "on",
      "--to",
      "60,70",
      "--every",
      "1d",
    );
    expect(ramp.stderr).toContain(
      "the share of this flag is by user.company, and a ramp is by the targetingKey",
    );
    const built = await run(
      "flags",
      "set",
      "built",
      ...HERE,
      "--on",
      "--targeting",
      by({ cat: [{ var: "$flagd.flagKey" }, { var: "plan" }] }),
    );
    expect(built.stderr).toContain(
      "readers without plan, such as those of GET /api/v1/flags, get one variant, all of them\n",
    );
  });

  test("exits 1 where the rule cannot be used, and says why", async () => {
    const broken = { state: "ENABLED", variants: { a: 1 }, targeting: { if: [{ $ref: "gone" }, "a"] } };
    const file = join(tempDirectory(), "flags.json");
    await Bun.write(file, JSON.stringify({ flags: { broken } }));
    await run("flags", "import", file, "--format", "flagd", ...HERE);
    const { code, stdout } = await run("flags", "evaluate", "broken", ...HERE);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^error +PARSE_ERROR\n/) });
    const asJson = await run("flags", "evaluate", "broken", ...HERE, "--json");
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toEqual({
      key: "broken",
      errorCode: "PARSE_ERROR",
      errorDetails: expect.any(String),
    });
  });

  test.each([
    ["an unknown flag", "nope", "{}", 3],
    ["a context that is no object", "shade", "[]", 2],
    ["a targetingKey that is no text", "shade", '{"targetingKey":1}', 2],
  ])("refuses %s", async (_, slug, context, code) => {
    expect((await run("flags", "evaluate", slug, ...HERE, "--context", context)).code).toBe(code);
  });
});

describe("flags get and list", () => {
  test("show variants, default and rule", async () => {
    const targeting = { if: [{ "==": [{ var: "plan" }, 1] }, "big"] };
    const variants = '{"small":1,"big":2}';
    await set("size", "--variants", variants, "--default", "small", "--targeting", JSON.stringify(targeting));
    const { stdout } = await run("flags", "get", "size", ...HERE);
    expect(stdout).toMatch(/^variants +small = 1\n +big = 2\ndefault +small$/m);
    expect(stdout).toEndWith('\nrule\n  {"if":[{"==":[{"var":"plan"},1]},"big"]}\n');
    const list = await run("flags", "list", ...HERE);
    expect(list.stdout).toMatch(/^FLAG +STATE +RULE +PAYLOAD/);
    expect(list.stdout).toMatch(/^size +off +a rule of its own +1 /m);
  });

  test("show nothing of variants where no flag has any", async () => {
    await run("projects", "create", "calm");
    await run("environments", "create", "quiet", "-p", "calm");
    const sized = ["--variants", '{"small":1,"big":2}', "--default", "small"];
    await run("flags", "set", "size", "-p", "calm", "-e", "develop", ...sized);
    await run("flags", "set", "plain", "-p", "calm", "-e", "quiet", "--on");
    const { stdout } = await run("flags", "list", "-p", "calm", "-e", "quiet");
    expect(stdout).toStartWith("FLAG");
    expect(stdout).not.toContain("VARIANTS");
    const flag = await json<Detail>("flags", "get", "size", "-p", "calm", "-e", "quiet");
    expect(flag).not.toContainAnyKeys(["variants", "defaultVariant", "targeting"]);
  });
});

describe("flags evaluate of a change that is not made", () => {
  test("shows the value now and then, of any flag, and changes nothing", async () => {
    await set("offer", "--on", "--payload", "1");
    const before = await run("flags", "get", "offer", ...HERE, "--json");
    const attempt = (...args: string[]) => run("flags", "evaluate", "offer", ...HERE, ...args);
    const pro = ["--context", '{"plan":"pro"}'];
    const user = ["--context", '{"targetingKey":"ann"}'];
    const { code, stdout } = await attempt(...pro, "--if", "plan == free", "--then", "on");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        "         NOW     AFTER",
        "value    true    false",
        "variant  on      off",
        "reason   STATIC  DEFAULT",
        "",
      ].join("\n"),
    });
    expect(await json("flags", "evaluate", "offer", ...HERE, "--off")).toMatchObject({
      now: { value: true },
      after: { value: false, reason: "DISABLED" },
    });
    expect(await json("flags", "evaluate", "offer.payload", ...HERE, "--payload", "2")).toMatchObject({
      now: { value: 1 },
      after: { value: 2 },
    });
    expect(
      await json("flags", "evaluate", "not-there", ...HERE, "--on", ...user, "--rollout", "100"),
    ).toMatchObject({
      now: { errorCode: "FLAG_NOT_FOUND" },
      after: { value: true },
    });
    expect((await run("flags", "get", "offer", ...HERE, "--json")).stdout).toBe(before.stdout);
    const wrong = await Promise.all([
      attempt("--if", "plan like x", "--then", "on"),
      attempt("--if", "plan == x", "--if", "plan == y", "--then", "on"),
      attempt("--on", "--off"),
      attempt("--default", "none-such"),
      attempt("--payload", "{"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    expect(wrong[0].stderr).toContain("--if");
  });
});

test("a new flag gets its tags, in every environment", async () => {
  expect((await run("flags", "create", "tagged", "-p", "shop", "--tag", "search")).code).toBe(0);
  const { stdout } = await run("flags", "get", "tagged", "-p", "shop", "-e", "staging", "--field", "tags");
  expect(stdout).toBe('["search"]\n');
});

describe("a share beside a condition", () => {
  const beta = ["--if", "plan == beta"];

  test("says that the condition is served altogether, and how to serve a share of it", async () => {
    const { stderr } = await trySet("whole", "--on", ...beta, "--rollout", "25");
    expect(stderr).toContain(
      "all of plan is beta get it, and 25 % of everyone else; for 25 % of plan is beta alone: --if 'plan is beta' --then '25 %'\n",
    );
    const partly = await trySet("whole", ...beta, "--then", "25 %");
    expect(partly.stdout).toContain("plan is beta: 25 % on, 75 % off");
    expect(partly.stderr).not.toContain("everyone else;");
    expect((await trySet("whole", ...beta, "--then", "on", "--rollout", "25")).stderr).not.toContain(
      "all of",
    );
  });

  test("of another size says which share stays, and the command that it names serves everyone", async () => {
    await set("growing", "--on", ...beta, "--then", "25 %");
    const { stdout, stderr } = await trySet("growing", "--rollout", "100");
    expect(stdout).toContain("plan is beta: 25 % on, 75 % off; 100 % of users on");
    const said = "plan is beta keeps its own share, 25 %; for the same for everyone: formflag ";
    expect(stderr).toContain(said);
    const command = stderr.slice(stderr.indexOf(said) + said.length).split("\n")[0]!;
    expect((await run(...command.split(" "))).stdout).toBe("updated growing in shop/develop: on\n");
    expect(await evaluate("growing", { plan: "beta", targetingKey: "ann" })).toMatchObject({ value: true });
  });

  test("is over with --everyone, for variants of its own too, and goes with no other rule", async () => {
    await set("named", "--on", "--variants", '{"yes":true,"no":false}', "--default", "no", "--rollout", "5");
    expect(await set("named", "--everyone")).toMatchObject({ enabled: true, defaultVariant: "yes" });
    expect(await evaluate("named")).toMatchObject({ value: true });
    expect((await trySet("named", "--everyone", "--rollout", "5")).code).toBe(2);
  });
});
