import { statSync } from "node:fs";
import type { Command } from "commander";
import type { Flag } from "../../../src/flags/flag.ts";
import type { ReferenceReport } from "../../../src/flags/refs.ts";
import type { Project } from "../../../src/projects/project.ts";
import { EXIT, Failed } from "../../exit.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";

export function addRefsCommands(flags: Command, io: Io): void {
  const refs = flags.command("refs").description("compare flags with the source code that reads them");
  refs
    .command("scan")
    .argument("[dir]", "folder with source code", ".")
    .description("find flags without a reference in source code, and references without a flag")
    .addOption(projectOption())
    .option("--strict", "exit 9 where it finds either")
    .option("--exclude <glob>", "leave out files or folders; may be repeated", gather)
    .option("--pattern <regex>", "calls of your own, with the flag as first group; may be repeated", gather)
    .addHelpText(
      "after",
      `
Reads the text files below DIR, without files over 1 MB and without .git, node_modules, dist, build and vendor; in a
git work tree also without files that .gitignore names. A name of eight characters or more that holds a dash, a dot
or an underscore is found as a whole word anywhere; others only in quotes, or in a path such as /api/v1/flags/NAME.

References without a flag are found by the calls of OpenFeature's SDKs, such as getBooleanValue("NAME", false),
useFlag("NAME", false), get_string_value("NAME", "") and client.BooleanValue(ctx, "NAME", false), by flagKey="NAME",
by the paths /api/v1/flags/NAME and /ofrep/v1/evaluate/flags/NAME, and by --pattern.

Exit code: 0; with --strict 9 where a flag has no reference or a reference no flag.

Examples:
  formflag flags refs scan -p shop
  formflag flags refs scan src -p shop --strict --exclude '**/*.test.ts'
  formflag flags refs scan -p shop --pattern 'isEnabled\\("([^"]+)"\\)'
`,
    )
    .action(action(io, parse, run));
}

type Values = { dir: string; patterns: RegExp[]; exclude: string[]; strict: boolean; project: string };

async function parse(input: Input, dir = "."): Promise<Values> {
  const { strict = false, exclude = [], pattern = [] } = input.options as ScanOptions;
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`${dir} is not a folder`, "name the folder with the source code");
  return { dir, patterns: pattern.map(patternOf), exclude, strict, project: await input.project() };
}

type ScanOptions = { strict?: true; exclude?: string[]; pattern?: string[] };

/** Not split at commas, which globs and patterns may contain. */
function gather(text: string, earlier: string[] = []): string[] {
  return [...earlier, text];
}

function patternOf(source: string): RegExp {
  let groups: number;
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, "gm");
    groups = new RegExp(`${source}|`).exec("")!.length - 1;
  } catch (error) {
    throw usage(`--pattern ${source}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (groups === 0)
    throw usage(`--pattern ${source} has no group`, `put the flag into one: isEnabled\\("([^"]+)"\\)`);
  return pattern;
}

async function run(session: Session, { project, strict, ...search }: Values): Promise<void> {
  const slugs = await flagsOf(session, project);
  const { files, ...report } = await scan(session, slugs, search);
  const unused = report.flags.filter(({ references }) => references === 0).map(({ slug }) => slug);
  await session.print({ files, ...report }, describe(report, unused));
  session.note(
    `${counted(files, "file")}, ${counted(slugs.length, "flag")}: ${unused.length} without a reference, ${counted(report.unknown.length, "reference")} without a flag\n`,
  );
  if (strict && unused.length + report.unknown.length > 0) throw new Failed(EXIT.difference);
}

/** A flag is in every environment of its project. */
async function flagsOf({ client }: Session, project: string): Promise<string[]> {
  const { environments } = await client.call<Project>("GET", path`/projects/${project}`);
  const [first] = environments;
  if (!first) return [];
  const url = path`/projects/${project}/environments/${first.slug}/flags`;
  return (await listAll<Flag>(client, url, "flags")).map(({ slug }) => slug);
}

/** Files between two pauses, in which signals are handled and progress is drawn. */
const BATCH = 64;
/** Milliseconds before progress is shown. */
const PATIENCE = 500;

async function scan(
  { config, progress }: Session,
  slugs: string[],
  { dir, patterns, exclude }: { dir: string; patterns: RegExp[]; exclude: string[] },
): Promise<ReferenceReport & { files: number }> {
  const [{ createReferenceFinder, createReferenceReport }, { readSource, sourceFiles }] = await Promise.all([
    import("../../../src/flags/refs.ts"),
    import("./source-files.ts"),
  ]);
  const find = createReferenceFinder(slugs, patterns);
  const gathered = createReferenceReport(slugs);
  const line = progress(PATIENCE);
  let files = 0;
  for await (const file of sourceFiles(dir, { exclude, skip: config.data })) {
    const text = readSource(dir, file);
    if (text === undefined) continue;
    gathered.add(file, find(text));
    files += 1;
    if (files % BATCH > 0) continue;
    await Bun.sleep(0);
    line.draw(`${files} files`);
  }
  line.clear();
  return { files, ...gathered.report() };
}

function describe({ unknown }: ReferenceReport, unused: string[]): string {
  const rows = [
    ...unused.map((slug) => [slug, "flag without a reference", ""]),
    ...unknown.flatMap(({ slug, places }) =>
      places.map(({ file, line }) => [slug, "reference without a flag", `${file}:${line}`]),
    ),
  ];
  return rows.length === 0 ? "" : table(["NAME", "PROBLEM", "WHERE"], rows);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
