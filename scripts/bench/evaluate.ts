import { join } from "node:path";
import { FlagdCore } from "@openfeature/flagd-core";
import { type Environment, compile } from "../../src/evaluator/evaluator.ts";
import { applyPatch } from "../../src/flags/flag.ts";
import { putFlag } from "../../src/flags/plan.ts";
import { compare } from "./compare.ts";
import { type Rounds, type Show, eachIn, inTurns, median, spreadOf } from "./figure.ts";
import { createProject, startFormflag, startLimit } from "./formflag.ts";
import { CONTEXTS, measureRequires } from "./requires.ts";

const VARIANTS = { on: true, off: false };
const CONDITION = { ends_with: [{ var: "email" }, "@example.com"] };
const SHARE = {
  fractional: [
    ["on", 25],
    ["off", 75],
  ],
};
/** Conditions of each kind that the dashboard offers first, of which the last one holds for half of the contexts. */
const CONDITIONS = Array.from({ length: 20 }, (_, index) => {
  const kinds = [
    { "==": [{ var: "country" }, `country-${index}`] },
    { in: [{ var: "plan" }, [`plan-${index}`, `other-${index}`]] },
    { ">=": [{ var: "age" }, 100 + index] },
    { ends_with: [{ var: "email" }, `@example-${index}.com`] },
  ];
  return index === 19 ? CONDITION : kinds[index % 4]!;
});

const RULES: Record<string, object | undefined> = {
  STATIC: undefined,
  "one condition": { if: [CONDITION, "on", "off"] },
  "a condition and a share": { if: [CONDITION, SHARE, "off"] },
  "a segment of 20 conditions": { if: [{ $ref: "many" }, "on", "off"] },
};

const COMPILED = 1000;
const FLAGS = 50;
const ALL = "/ofrep/v1/evaluate/flags";

/** Evaluations by the product's evaluator, in this process and over OFREP, to those by flagd's library. */
export async function measureEvaluate(directory: string, rounds: Rounds, show: Show): Promise<void> {
  await measureRules(rounds, show);
  await measureCompiling(rounds, show);
  await measureRequires(directory, rounds, show);
  await measureOfrep(directory, rounds, show);
}

async function measureRules({ rounds, seconds }: Rounds, show: Show): Promise<void> {
  const environment: Environment = {
    flags: Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, flagOf(rule)])),
    $evaluators: { many: { or: CONDITIONS } },
  };
  const flags = compile(environment);
  const core = coreOf(JSON.stringify(environment));
  for (const name of Object.keys(RULES)) {
    const result = await inTurns(
      rounds,
      () => eachIn(seconds / 4, (index) => core.resolveBooleanEvaluation(name, false, CONTEXTS[index % 64])),
      () => eachIn(seconds / 4, (index) => flags.evaluate(name, CONTEXTS[index % 64])),
    );
    const detail = `${(result.b * 1e9).toFixed(0)} to ${(result.a * 1e9).toFixed(0)} ns`;
    const figure = { part: "evaluate", name: `${name}, to flagd's library: speed`, goal: "≥ 3", detail };
    show({ ...figure, value: median(result.ratios), spread: spreadOf(result.ratios) });
    if (name !== "a condition and a share") continue;
    const each = result.bs.map((value) => value * 1e9);
    show({ part: "evaluate", name, goal: "≤ 250", value: median(each), spread: spreadOf(each), unit: " ns" });
  }
}

async function measureCompiling({ rounds }: Rounds, show: Show): Promise<void> {
  const text = JSON.stringify({
    flags: Object.fromEntries(
      Array.from({ length: COMPILED }, (_, index) => [`flag-${index}`, flagOf(definition(index).targeting)]),
    ),
  });
  const timeOf = async (run: () => unknown) => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  const result = await inTurns(
    rounds,
    () => timeOf(() => coreOf(text)),
    () => timeOf(() => compile(JSON.parse(text) as Environment)),
  );
  show({
    part: "evaluate",
    name: `${COMPILED.toLocaleString("en")} flags read and compiled, to flagd's library: speed`,
    goal: "≥ 10",
    value: median(result.ratios),
    spread: spreadOf(result.ratios),
    detail: `${result.b.toFixed(1)} to ${result.a.toFixed(1)} ms`,
  });
}

/** The server, to a handler that calls flagd's library on the same flags. */
async function measureOfrep(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "evaluate");
  const server = await startFormflag(data);
  const [keys = {}] = await createProject(data, "bench");
  const names = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);
  const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const now = Date.now();
  const changes = names.map((flag, index) => {
    const { record } = applyPatch(flag, undefined, { enabled: true, ...definition(index) }, now);
    return putFlag({ project: "bench", environment: "bench", flag }, undefined, record);
  });
  await store.apply(changes, (await store.readVersion()).version, { who: "bench", at: now });
  await store.close();
  const flags = Object.fromEntries(
    names.map((name, index) => [name, { state: "ENABLED", ...definition(index) }]),
  );
  const file = join(directory, "flagd.json");
  await Bun.write(file, JSON.stringify({ flags }));
  const bare = await startLimit("ofrep", [file]);

  const body = JSON.stringify({ context: { targetingKey: "user-4711", email: "ann@example.com" } });
  const headers = { ...keys, "content-type": "application/json" };
  const common = { part: "evaluate", connections: 32, directory };
  for (const [name, path, goal] of [
    ["one flag over OFREP, to a handler that calls flagd's library", `${ALL}/flag-0`, "≥ 0.95"],
    [`${FLAGS} flags over OFREP, to the same`, ALL, "≥ 1.3"],
  ] as const) {
    const request = { path, method: "POST" as const, headers, body };
    await compare({ server, request }, { server: bare, request }, { ...common, name, goal }, rounds, show);
  }
  await bare.stop();
  await server.stop();
}

/** Half are by a condition, half by shares; all fall back to a default. */
export const definition = (index: number) => ({
  variants: { red: "#f00", blue: "#00f" },
  defaultVariant: "red",
  targeting:
    index % 2 === 0
      ? { if: [{ ends_with: [{ var: "email" }, "@example.com"] }, "blue", "red"] }
      : {
          fractional: [
            ["blue", 25],
            ["red", 75],
          ],
        },
});

function flagOf(targeting: object | undefined): Environment["flags"][string] {
  const flag = { state: "ENABLED" as const, variants: VARIANTS, defaultVariant: "off" };
  return targeting ? { ...flag, targeting: targeting as Record<string, unknown> } : flag;
}

function coreOf(text: string): FlagdCore {
  const core = new FlagdCore();
  core.setConfigurations(text);
  return core;
}
