import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { Backend } from "./backend.ts";
import { originOf } from "./commits.ts";
import { type Scenario, parseFeature } from "./gherkin.ts";
import { type Outcome, savePage } from "./page.ts";
import { saveReport } from "./report.ts";
import { runScenario } from "./steps.ts";
import { SUBJECTS } from "./subjects.ts";

/**
 * npm run conformance [-- --scenarios DIR] [-- --save]: runs scenarios against the providers of OpenFeature that read flags of the
 * built executable, and exits 1 if one fails. `DIR` has `gherkin/*.feature` and `flags/canonical-flags.json`, as the provider
 * suite of the specification has them; without it, the scenarios of this repository run alone. `--save` writes
 * docs/reference/conformance.md and the reports beside it, and needs `DIR` in a clone, or the commits of its files.
 */
const { values } = parseArgs({
  options: { scenarios: { type: "string" }, save: { type: "boolean", default: false } },
});

const OWN = join(import.meta.dir, "scenarios");
const PAGE = join(import.meta.dir, "../../docs/reference/conformance.md");

if (values.save && values.scenarios === undefined) throw new Error("--save needs --scenarios DIR");
const origin = values.save ? originOf(values.scenarios!) : null;

const outcomes: Outcome[] = [];
for (const directory of [OWN, ...(values.scenarios === undefined ? [] : [values.scenarios])])
  for (const subject of SUBJECTS) {
    const backend = new Backend(flagsIn(directory));
    await backend.open();
    for (const scenario of scenariosIn(directory)) {
      const lacking = scenario.tags.find((tag) => tag in subject.lacks);
      const skipped = lacking === undefined ? null : `${lacking}: ${subject.lacks[lacking]}`;
      const failure = skipped === null ? await runScenario(subject, backend, scenario) : null;
      outcomes.push({ isOwn: directory === OWN, subject: subject.name, scenario, skipped, failure });
      const mark = failure === null ? (skipped === null ? "✓" : "-") : "✗";
      const { name, row } = scenario;
      console.log([mark, subject.name, name, row, failure ?? skipped ?? ""].join("  ").trimEnd());
    }
    await backend.close();
  }
if (origin) {
  await savePage(PAGE, outcomes, origin.files);
  for (const subject of SUBJECTS) {
    if (!subject.report) continue;
    await saveReport(join(PAGE, "..", `${subject.report}.json`), subject, outcomes, origin);
  }
}
process.exit(outcomes.some(({ failure }) => failure !== null) ? 1 : 0);

function scenariosIn(directory: string): Scenario[] {
  const files = globSync(join(directory, "gherkin/*.feature")).toSorted();
  if (files.length === 0) throw new Error(`${directory} has no gherkin/*.feature`);
  return files.flatMap((file) => parseFeature(readFileSync(file, "utf8"), basename(file)));
}

/** The flagd file of a directory without comments, which a flag cannot have. */
function flagsIn(directory: string): string {
  const file = join(directory, "flags/canonical-flags.json");
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  const text = JSON.stringify(
    JSON.parse(readFileSync(file, "utf8"), (key, value) => (key === "$comment" ? undefined : value)),
  );
  const directoryOfCopy = mkdtempSync(join(tmpdir(), "formflag-conformance-"));
  process.on("exit", () => rmSync(directoryOfCopy, { recursive: true, force: true }));
  const copy = join(directoryOfCopy, "flags.json");
  writeFileSync(copy, text);
  return copy;
}
