import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { expect, test } from "bun:test";
import type { Environment, Evaluation } from "../../src/evaluator/evaluator.ts";
import { compile } from "../../src/evaluator/evaluator.ts";

/** The evaluator as an application bundles it. */
async function bundled(): Promise<string> {
  const entry = join(import.meta.dir, "../../src/evaluator/evaluator.ts");
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", minify: true });
  return await outputs[0]!.text();
}

test("the evaluator alone is at most 7.4 kB, minified and packed", async () => {
  expect(Bun.gzipSync(await bundled(), { level: 9 }).length).toBeLessThanOrEqual(7400);
});

const ENVIRONMENT: Environment = {
  flags: {
    flag: {
      state: "ENABLED",
      variants: { on: "on", off: "off" },
      defaultVariant: "off",
      targeting: {
        if: [
          {
            and: [
              { matches: [{ var: "email" }, "(?i)@example\\.com$"] },
              { in_cidr: [{ var: "ip" }, ["10.0.0.0/8", "2001:db8::/32"]] },
              { after: [{ var: "$flagd.timestamp" }, "2020-01-01T00:00:00Z"] },
              { sem_ver: [{ var: "version" }, ">=", "1.2.0-rc.1"] },
              { some: [{ var: "groups" }, { in: [{ var: "" }, ["beta", "staff"]] }] },
            ],
          },
          { fractional: [{ cat: ["é", { var: "email" }] }, ["on", 50], ["off", 50]] },
        ],
      },
    },
  },
};

test("it needs nothing of a runtime but the language itself, and compiles no code", async () => {
  const code = await bundled();
  const within = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  const exported = code.replace(/export\s*\{\s*(\w+) as compile\s*\};?/, "globalThis.compile = $1;");
  runInContext(exported, within);
  const run = (email: string) =>
    JSON.parse(
      runInContext(
        `JSON.stringify(compile(${JSON.stringify(ENVIRONMENT)}).evaluate("flag", ${JSON.stringify(contextOf(email))}))`,
        within,
      ) as string,
    ) as Evaluation;
  const here = compile(ENVIRONMENT);
  const found = new Set<unknown>();
  for (let index = 0; index < 20; index += 1) {
    const email = `user-${index}@Example.${index % 4 === 0 ? "org" : "com"}`;
    const result = run(email);
    expect(result).toEqual(here.evaluate("flag", contextOf(email)));
    found.add(`${result.reason} ${result.variant}`);
  }
  expect(found).toEqual(new Set(["DEFAULT off", "TARGETING_MATCH off", "TARGETING_MATCH on"]));
});

function contextOf(email: string) {
  return { email, ip: "2001:db8::7", version: "v1.2", groups: ["other", "staff"] };
}
