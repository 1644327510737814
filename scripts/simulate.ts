import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PLANTED_FAULTS } from "../test/simulation/planted-faults.ts";
import type { PlantedFault } from "../test/simulation/planted/fault.ts";

/**
 * npm run simulate [-- --hours N] [-- --seed N]: simulates with new seeds for that long, or from one on. With `--prove` it
 * plants faults in a copy of the product, one at a time, and prints which ones the simulation finds; `--only` takes a
 * part of their names, or the simulation that has to find them: program, world, statements.
 */
const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "0.05" },
    seed: { type: "string" },
    prove: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});

const ROOT = join(import.meta.dir, "..");
const TESTS = {
  program: "test/simulation/program/program.full.test.ts",
  world: "test/simulation/world/simulation.full.test.ts",
  statements: "test/simulation/statements/statements.test.ts",
  histories: "test/simulation/replicas/replicas.full.test.ts",
};
/** Seconds after which a fault counts as missed, and as one whose test has not come to an end. */
const LOOKING = 60;
const DEADLINE = 180;

process.exitCode = values.prove ? await prove() : await simulate();

async function simulate(): Promise<number> {
  // The world, the programs, the statements and the replicas one after the other.
  const seconds = Math.ceil((Number(values.hours) * 3600) / 4);
  const env = {
    ...process.env,
    FORMFLAG_SIMULATE_SECONDS: String(seconds),
    FORMFLAG_SIMULATE_STATEMENTS: "all",
    FORMFLAG_SIMULATE_SEED: values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1),
    FORMFLAG_SIMULATE_KEEP: "1",
  };
  const child = Bun.spawn([process.execPath, "test", "test/simulation", "--timeout=86400000"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return child.exited;
}

async function prove(): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), "formflag-prove-"));
  for (const each of [
    "src",
    "cli",
    "test",
    "scripts",
    "docs",
    "package.json",
    "tsconfig.json",
    "bunfig.toml",
  ])
    cpSync(join(ROOT, each), join(copy, each), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  let missed = 0;
  try {
    for (const fault of PLANTED_FAULTS) {
      if (!fault.name.includes(values.only) && fault.test !== values.only) continue;
      const start = performance.now();
      const result = await plant(copy, fault);
      if (!result.startsWith("found")) missed += 1;
      const seconds = Math.round((performance.now() - start) / 1000);
      process.stdout.write(`${result}: ${fault.name} (${seconds} s)\n`);
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
  return missed === 0 ? 0 : 1;
}

/** Whether the test fails while the copy has a fault. */
async function plant(copy: string, { file, from, to, test }: PlantedFault): Promise<string> {
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  if (!sound.includes(from)) return "outdated";
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  try {
    // Its servers are processes of their own.
    if (test === "histories")
      await Bun.spawn([process.execPath, "scripts/build.ts"], {
        cwd: copy,
        stdio: ["ignore", "ignore", "inherit"],
      }).exited;
    const child = Bun.spawn([process.execPath, "test", TESTS[test], "--bail"], {
      cwd: copy,
      env: {
        ...process.env,
        FORMFLAG_SIMULATE_SECONDS: String(LOOKING),
        FORMFLAG_SIMULATE_SEED: "9",
        FORMFLAG_SIMULATE_PROOF: "1",
      },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: DEADLINE * 1000,
    });
    const output = await new Response(child.stderr).text();
    const code = await child.exited;
    // Killed at the deadline, or by someone else.
    if (child.signalCode !== null) return "no result";
    const seed = /^seed (\d+) /m.exec(output)?.[1];
    return code === 0 ? "missed" : `found${seed === undefined ? "" : ` by seed ${seed}`}`;
  } finally {
    writeFileSync(path, sound);
  }
}
