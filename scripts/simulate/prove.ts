import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLANTED_FAULTS } from "../../test/simulation/planted-faults.ts";
import { type PlantedFault, outdatedIn } from "../../test/simulation/planted/fault.ts";

const ROOT = join(import.meta.dir, "../..");
/** The product with its settings, and the pages that it shows. */
const COPIED =
  "src cli test scripts docs package.json tsconfig.json bunfig.toml README.md CHANGELOG.md SECURITY.md".split(
    " ",
  );

const TESTS = {
  program: "test/simulation/program/program.full.test.ts",
  world: "test/simulation/world/simulation.full.test.ts",
  statements: "test/simulation/statements/found.full.test.ts",
  histories: "test/simulation/replicas/replicas.full.test.ts",
  relay: "test/simulation/relay/relay.full.test.ts",
  archives: "test/simulation/archives/archives.full.test.ts",
  kills: "test/faults/kills/postgres.full.test.ts",
};
type TestName = keyof typeof TESTS;

export type Proof = {
  /** Parts of the names of the faults to plant, or simulations that have to find them, separated by commas. */
  only: string;
  /** Seconds for which a simulation looks for a fault, which is then missed. */
  seconds: number;
};

/**
 * Plants faults in a copy of the product, one at a time, and prints which ones are found, by what, once the copy without any
 * has passed. Returns an exit code.
 */
export async function prove({ only, seconds }: Proof): Promise<number> {
  const wanted = only.split(",");
  const faults = PLANTED_FAULTS.filter(({ name, test }) =>
    wanted.some((each) => name.includes(each) || test === each),
  );
  const outdated = faults.flatMap((fault) => outdatedIn(ROOT, fault));
  for (const each of outdated) process.stderr.write(`outdated: ${each}\n`);
  if (outdated.length > 0 || faults.length === 0) return 1;
  const copy = mkdtempSync(join(tmpdir(), "formflag-prove-"));
  try {
    for (const each of COPIED) cpSync(join(ROOT, each), join(copy, each), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    if (!(await isSound(copy, [...new Set(faults.map(({ test }) => test))], seconds))) return 1;
    let found = 0;
    for (const [index, fault] of faults.entries()) {
      const { verdict, why, took } = await plant(copy, fault, seconds);
      if (verdict === "found") found += 1;
      process.stdout.write(
        `${index + 1}/${faults.length} ${verdict}: ${fault.name} (${fault.test}, ${took} s)${why}\n`,
      );
    }
    process.stdout.write(`${found} of ${faults.length} planted faults found\n`);
    return found === faults.length ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Whether the simulations pass without a fault, so that one that fails has found something. */
async function isSound(copy: string, tests: TestName[], seconds: number): Promise<boolean> {
  let isPassing = true;
  for (const test of tests) {
    const { verdict, why, took } = await look(copy, test, seconds);
    const result = { missed: "passes", found: "fails", "no result": "has no result" }[verdict];
    process.stdout.write(`without a fault, ${test} ${result} (${took} s)${why}\n`);
    isPassing &&= verdict === "missed";
  }
  return isPassing;
}

async function plant(copy: string, { file, from, to, test }: PlantedFault, seconds: number): Promise<Looked> {
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  try {
    return await look(copy, test, seconds);
  } finally {
    writeFileSync(path, sound);
  }
}

type Looked = { verdict: "found" | "missed" | "no result"; why: string; took: number };

/** Runs a simulation in the copy. */
async function look(copy: string, test: TestName, seconds: number): Promise<Looked> {
  const start = performance.now();
  // Its servers are processes of their own.
  if (test === "histories" || test === "kills")
    await Bun.spawn([process.execPath, "scripts/build.ts"], {
      cwd: copy,
      stdio: ["ignore", "ignore", "inherit"],
    }).exited;
  const child = Bun.spawn([process.execPath, "test", TESTS[test], "--bail", "--timeout=600000"], {
    cwd: copy,
    env: {
      ...process.env,
      FORMFLAG_SIMULATE_SECONDS: String(seconds),
      FORMFLAG_SIMULATE_SEED: "9",
      FORMFLAG_TORTURE_SEED: "9",
      FORMFLAG_KILLS_SECONDS: String(seconds),
      FORMFLAG_SIMULATE_PROOF: "1",
    },
    stdio: ["ignore", "ignore", "pipe"],
    // Beyond it, the test has not come to an end.
    timeout: (seconds + 300) * 1000,
  });
  const output = await new Response(child.stderr).text();
  const code = await child.exited;
  const took = Math.round((performance.now() - start) / 1000);
  // Killed at the deadline, or by someone else.
  if (child.signalCode !== null) return { verdict: "no result", why: "", took };
  if (code === 0) return { verdict: "missed", why: "", took };
  return { verdict: "found", why: `\n    ${reasonIn(output)}`, took };
}

/** The line that says what was wrong, and what repeats it. */
function reasonIn(output: string): string {
  const reason =
    /^seed \d+ .*$/m.exec(output)?.[0] ??
    /[^"\n]*, order [ABC]+:/.exec(output)?.[0] ??
    /^(?:Caused by|Cause|\s*Got [eE]rror|error|\w*Error): .*$/m.exec(output)?.[0] ??
    /^\(fail\).*$/m.exec(output)?.[0] ??
    output.trim().split("\n").at(-1)!;
  const seed = /\bseed: (-?\d+)/.exec(output)?.[1];
  return `${seed === undefined || reason.startsWith("seed") ? "" : `seed ${seed}: `}${reason.trim().slice(0, 300)}`;
}
