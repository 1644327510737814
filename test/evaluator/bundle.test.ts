import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { expect, test } from "bun:test";
import type { Environment } from "../../src/evaluator/evaluator.ts";
import { readFlags } from "../../src/provider/flags.ts";

/** A part as an application bundles it. */
async function bundled(name: string): Promise<string> {
  const entry = join(import.meta.dir, "../../src", `${name}.ts`);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", minify: true });
  return await outputs[0]!.text();
}

test("the evaluator of flagd's rules is at most 6 kB, minified and packed", async () => {
  expect(Bun.gzipSync(await bundled("evaluator/evaluator")).length).toBeLessThanOrEqual(6000);
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

test("with the operations of formflag, it needs nothing of a runtime but the language itself, and compiles no code", async () => {
  const code = await bundled("provider/flags");
  const within = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  const exported = code.replace(/export\s*\{.*?(\w+) as readFlags\b.*\};?/s, "globalThis.readFlags = $1;");
  runInContext(exported, within);
  const here = readFlags(JSON.stringify(ENVIRONMENT));
  const run = (email: string) =>
    JSON.parse(
      runInContext(
        `JSON.stringify(readFlags(${JSON.stringify(JSON.stringify(ENVIRONMENT))}).evaluate("flag", ${JSON.stringify(contextOf(email))}))`,
        within,
      ) as string,
    ) as ReturnType<typeof here.evaluate>;
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
