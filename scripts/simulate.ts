import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCoverage } from "./simulate/coverage.ts";
import { prove } from "./simulate/prove.ts";

/**
 * npm run simulate [-- --hours N] [-- --seed N]: simulates with new seeds for that long, or from one on.
 *
 * With `--statements` it tries every pair of operations of the store that touch the same, in `--orders` of their statements,
 * and random triples; `--part 1/4` takes a quarter of them, and `--only` those of an operation with one of these words in its name.
 *
 * With `--prove` it plants faults in a copy of the product, one at a time, and prints which ones the simulation finds within
 * `--seconds`; `--only` takes parts of their names, or the tests that have to find them (program, world, statements,
 * histories, kills, relay, archives), separated by commas.
 *
 * With `--coverage` it prints which lines of the product the simulated world reaches in `--hours`.
 */
const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "0.05" },
    seed: { type: "string" },
    statements: { type: "boolean", default: false },
    part: { type: "string", default: "1/1" },
    orders: { type: "string", default: "200" },
    prove: { type: "boolean", default: false },
    coverage: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    seconds: { type: "string" },
  },
});

const ROOT = join(import.meta.dir, "..");

process.exitCode = values.prove
  ? await prove({ only: values.only, seconds: Number(values.seconds ?? 60) })
  : values.coverage
    ? await measureCoverage(ROOT, Math.ceil(Number(values.hours) * 3600), values.seed ?? "1")
    : values.statements
      ? await simulate("test/simulation/statements/statements.full", {
          FORMFLAG_SIMULATE_ORDERS: values.orders,
          FORMFLAG_SIMULATE_PART: values.part,
          FORMFLAG_SIMULATE_ONLY: values.only,
          ...(values.seconds !== undefined && { FORMFLAG_SIMULATE_SECONDS: values.seconds }),
          FORMFLAG_SIMULATE_SEED: values.seed ?? "1",
        })
      : await simulate("test/simulation", {
          // The world, the programs, the statements, the replicas and the relay one after the other.
          FORMFLAG_SIMULATE_SECONDS: String(Math.ceil((Number(values.hours) * 3600) / 5)),
          FORMFLAG_SIMULATE_ORDERS: values.orders,
          FORMFLAG_SIMULATE_SEED: values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1),
          FORMFLAG_SIMULATE_KEEP: "1",
        });

async function simulate(tests: string, env: Record<string, string>): Promise<number> {
  const child = Bun.spawn([process.execPath, "test", tests, "--timeout=86400000"], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return child.exited;
}
