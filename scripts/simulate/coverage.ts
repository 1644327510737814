import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The parts of the product that the simulation has to reach. */
const PARTS = ["access", "flags", "forms/intake", "delivery"];
/** Functions that a command calls before it asks a server, and a page to draw a schema: no server of the simulation does. */
const APART = /^src\/(?:flags\/importers\/|forms\/intake\/(?:field-rows|row-types)\.ts)/;
/** Files that are listed, those with the most lines that are not reached. */
const LISTED = 40;
const WORLD = "test/simulation/world/simulation.full.test.ts";

type File = { path: string; reached: number; lines: number; missing: number[] };

/**
 * Simulates with seeds for some seconds, and prints which part of the lines with code of each part of the product that has
 * run, and the files of which most has not. Returns the exit code of the simulation.
 */
export async function measureCoverage(root: string, seconds: number, seed: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "formflag-coverage-"));
  try {
    const child = Bun.spawn(
      [
        process.execPath,
        "test",
        WORLD,
        "--coverage",
        "--coverage-reporter=lcov",
        `--coverage-dir=${directory}`,
        "--timeout=86400000",
      ],
      {
        cwd: root,
        env: {
          ...process.env,
          FORMFLAG_SIMULATE_SECONDS: String(seconds),
          FORMFLAG_SIMULATE_SEED: seed,
          FORMFLAG_SIMULATE_PROOF: "1",
        },
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    const code = await child.exited;
    show(filesIn(readFileSync(join(directory, "lcov.info"), "utf8")));
    return code;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function filesIn(report: string): File[] {
  return report.split("end_of_record").flatMap((record) => {
    const path = /^SF:(.*)$/m.exec(record)?.[1];
    if (path === undefined || APART.test(path) || !PARTS.some((part) => path.startsWith(`src/${part}/`)))
      return [];
    const lines = [...record.matchAll(/^DA:(\d+),(\d+)$/gm)].map(([, line, count]) =>
      [line, count].map(Number),
    );
    const missing = lines.filter(([, count]) => count === 0).map(([line]) => line!);
    return [{ path, reached: lines.length - missing.length, lines: lines.length, missing }];
  });
}

function show(files: File[]): void {
  const ofPart = (part: string) => files.filter(({ path }) => path.startsWith(`src/${part}/`));
  for (const part of PARTS) process.stdout.write(`src/${part}: ${shareOf(ofPart(part))}\n`);
  process.stdout.write(`all of these: ${shareOf(files)}\n`);
  const worst = files.toSorted((a, b) => b.missing.length - a.missing.length).slice(0, LISTED);
  for (const { path, missing, lines } of worst)
    process.stdout.write(`${path}: ${missing.length} of ${lines} not reached, ${rangesOf(missing)}\n`);
}

function shareOf(files: File[]): string {
  const [reached, lines] = files.reduce(([a, b], file) => [a + file.reached, b + file.lines], [0, 0]);
  return `${reached} of ${lines} lines, ${((100 * reached) / lines).toFixed(1)} %`;
}

function rangesOf(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(" ");
}
