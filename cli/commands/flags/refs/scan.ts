import { yieldToEventLoop } from "../../../../src/base/event-loop.ts";
import { statSync } from "node:fs";
import { Option } from "commander";
import { describeUpload } from "../../../../src/flags/code/code-reference.ts";
import type { ReferenceReport } from "../../../../src/flags/code/refs.ts";
import { flags } from "../../../../src/operations/flags.ts";
import { projects } from "../../../../src/operations/projects.ts";
import { EXIT, Failed } from "../../../exit.ts";
import { counted, shown, table } from "../../../output/text.ts";
import { appended } from "../../../session/command-line.ts";
import { listOption } from "../../../session/command-line.ts";
import { listAll } from "../../../session/pages.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";
import {
  type Collector,
  type Source,
  type UploadOptions,
  UPLOAD_OPTIONS,
  createCollector,
  readSource,
  sendReferences,
} from "./upload.ts";
import { verb } from "../../../session/verb.ts";

export const addScanCommand = verb("scan", {
  argument: ["[dir]", "folder with source code", "."],
  description: "find flags without a reference in source code, and references without a flag",
  options: [
    "project",
    ["--strict", "exit 9 if it finds either"],
    listOption("--exclude <glob...>", "files or folders to leave out", "phrases"),
    new Option(
      "--pattern <regex>",
      "regular expression for your own calls, with the flag as first group; repeatable",
    ).argParser(appended),
    ...UPLOAD_OPTIONS,
  ],
  help: `
Reads the text files below DIR. Files over 1 MB, files that .gitignore names, and .git, node_modules, dist, build and
vendor are left out. A name of eight characters or more with a dash, a dot or an underscore is found as a whole word
anywhere; other names only in quotes, or in a path such as /api/v1/flags/NAME.

References without a flag are found in calls of OpenFeature's SDKs, such as getBooleanValue("NAME", false),
useFlag("NAME", false), get_string_value("NAME", "") and client.BooleanValue(ctx, "NAME", false), by flagKey="NAME",
by the paths /api/v1/flags/NAME and /ofrep/v1/evaluate/flags/NAME, and by --pattern.

With --upload, all references are stored in the project, including those without a flag. They replace earlier ones for
the same branch and name. flags refs list shows them, and flags stale and flags cleanup use them. Files are named by their path in the
git work tree. A token needs the scopes flags:read and flags:refs.

Exit code: 0; with --strict, 9 if a flag has no reference or a reference has no flag.

Examples:
  formflag flags refs scan -p shop
  formflag flags refs scan src -p shop --strict --exclude '**/*.test.ts'
  formflag flags refs scan -p shop --upload --name web
  formflag flags refs scan -p shop --pattern 'isEnabled\\("([^"]+)"\\)'
`,
  parse: async (input, dir = ".") => {
    const { strict = false, exclude = [], pattern = [], ...upload } = input.options as ScanOptions;
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
      throw usage(`${dir} is not a folder`, "name the folder with the source code");
    const source = await readSource(dir, upload);
    return { dir, patterns: pattern.map(patternOf), exclude, source, strict, project: await input.project() };
  },
  run: async (session, { project, strict, ...search }) => {
    const slugs = await flagsOf(session, project);
    const { files, collector, ...report } = await scan(session, slugs, search);
    const uploaded =
      search.source && collector && (await sendReferences(session.client, project, search.source, collector));
    const unused = report.flags.filter(({ references }) => references === 0).map(({ slug }) => slug);
    await session.print({ files, ...report, ...(uploaded && { uploaded }) }, describe(report, unused));
    session.note(
      `${counted(files, "file")}, ${counted(slugs.length, "flag")}: ${unused.length} without a reference, ${counted(report.unknown.length, "reference")} without a flag\n`,
    );
    if (uploaded) session.note(shown`${describeUpload(uploaded)}\n`);
    if (strict && unused.length + report.unknown.length > 0) throw new Failed(EXIT.difference);
  },
});

type Search = { dir: string; patterns: RegExp[]; exclude: string[]; source: Source | null };

type ScanOptions = UploadOptions & { strict?: true; exclude?: string[]; pattern?: string[] };

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

/** A flag is in every environment of its project. */
async function flagsOf({ client }: Session, project: string): Promise<string[]> {
  const { environments } = await client.call(projects.get, { names: { project } });
  const [first] = environments;
  if (!first) return [];
  const all = await listAll(client, flags.list, { names: { project, environment: first.slug } });
  return all.map(({ slug }) => slug);
}

/** Files between two pauses, in which signals are handled and progress is drawn. */
const BATCH = 64;
/** Milliseconds before progress is shown. */
const PATIENCE = 500;

async function scan(
  { config, progress }: Session,
  slugs: string[],
  { dir, patterns, exclude, source }: Search,
): Promise<ReferenceReport & { files: number; collector: Collector | null }> {
  const [{ createReferenceFinder, createReferenceReport }, { readSourceFile, sourceFiles }] =
    await Promise.all([import("../../../../src/flags/code/refs.ts"), import("./source-files.ts")]);
  const find = createReferenceFinder(slugs, patterns);
  const gathered = createReferenceReport(slugs);
  const collector = source && createCollector(source.prefix);
  const line = progress(PATIENCE);
  let files = 0;
  for await (const file of sourceFiles(dir, { exclude, skip: config.data })) {
    const text = readSourceFile(dir, file);
    if (text === undefined) continue;
    const references = find(text);
    gathered.add(file, references);
    collector?.add(file, text, references);
    files += 1;
    if (files % BATCH > 0) continue;
    await yieldToEventLoop();
    line.draw(`${files} files`);
  }
  line.clear();
  return { files, collector, ...gathered.report() };
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
