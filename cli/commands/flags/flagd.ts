import { Option } from "commander";
import { clock } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { isObject } from "../../../src/base/json.ts";
import type { ForeignFormat } from "../../../src/flags/importers/importers.ts";
import type { ImportResult } from "../../../src/flags/imports.ts";
import { flagd as operations } from "../../../src/operations/flagd.ts";
import { exportFormat, saveTo, writeOut } from "../../output/save.ts";
import { segments } from "../../../src/operations/segments.ts";
import type { Io } from "../../output/terminal.ts";
import { printable, shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import { parseJson } from "../../session/json.ts";
import { listAll } from "../../session/pages.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { verb } from "../../session/verb.ts";

function formatOption(formats: readonly string[], description: string): Option {
  return new Option("--format <format>", description).choices(formats).default("flagd");
}

const FLAGD = "flagd: https://flagd.dev/schema/v0/flags.json";
const FORMATS = ["flagd", "unleash", "launchdarkly", "growthbook", "goff", "flipt", "flagsmith"];

export const addImportCommand = verb("import", {
  argument: ["[file]", "file of flagd or another service, JSON or YAML; - for standard input"],
  description: "set the flags and segments that a file describes; others stay as they are",
  options: [
    formatOption(FORMATS, "service from which the file comes"),
    [
      "--from-environment <name>",
      "environment in the file, if it has several (default: the one with the name given as -e)",
    ],
    "project",
    "environment",
    ["--dry-run", "show what would change, and change nothing"],
    "why",
  ],
  help: `
The file is imported completely or not at all. A new flag is off in the other environments. Boolean variants on and off
without a rule become a flag without variants; <flag>.payload becomes its payload. A rule that refers to a segment that
does not exist, or yields a variant that the flag does not have, is imported with a warning.

Flags of another service give readers the same values as there. Notes name the differences, such as who is in a share.
Flags that cannot be expressed are skipped. Both are listed; with --json as notes and skipped.

Examples:
  formflag flags import flags.json -p shop -e develop --dry-run
  formflag flags import flags.yaml -p shop -e develop
  formflag flags import features.json --format unleash -p shop -e production --from-environment live --dry-run
  formflag flags export -p shop -e develop | formflag flags import - -p shop -e staging
`,
  parse: async (input, given) => {
    const file = await input.need(given, "file");
    const place = await input.place();
    const { format, fromEnvironment: from, dryRun } = input.options as ImportOptions;
    if (format !== "flagd") {
      // Loaded for such a file alone.
      const { readForeign } = await import("./foreign.ts");
      const { document, ...report } = await readForeign(file, input, format, {
        from,
        into: place.environment,
      });
      return { ...place, document, dryRun: dryRun === true, report };
    }
    if (from !== undefined) throw usage("--from-environment: a file of flagd is of one environment");
    return { ...place, document: await readFlagd(file, input), dryRun: dryRun === true, report: null };
  },
  run: async ({ client, io, report }, values) => {
    const { project, environment, document, dryRun, report: differences } = values;
    const imported = await client.call(operations.import, {
      names: { project, environment },
      query: { dryRun: dryRun ? "true" : "false" },
      body: document,
    });
    // Older servers send no warnings.
    for (const warning of imported.warnings ?? []) io.note(shown`warning: ${warning}\n`);
    const text = describeImport(imported, `${project}/${environment}`, dryRun);
    if (differences === null) return report({ ...imported, dryRun }, text);
    const { describeReport } = await import("./foreign.ts");
    await report({ ...imported, dryRun, ...differences }, describeReport(differences) + text);
  },
});

type ImportOptions = { format: "flagd" | ForeignFormat; fromEnvironment?: string; dryRun?: boolean };

/** Reads JSON, or YAML if the file is named so or standard input is not JSON. Throws `invalid` with the place. */
async function readFlagd(file: string, input: Input): Promise<Record<string, unknown>> {
  const text = file === "-" ? await input.readStdin() : await readText(file, "import");
  const name = file === "-" ? "standard input" : file;
  const document = await parseFlagd(text, name, file === "-" || /\.ya?ml$/i.test(file));
  if (isObject(document)) return document;
  throw usage(`${name} is not a flagd file`, 'it looks like {"flags":{…}}');
}

async function parseFlagd(text: string, name: string, mayBeYaml: boolean): Promise<unknown> {
  if (mayBeYaml) return (await import("../documents/document-file.ts")).parseJsonOrYaml(text, name);
  try {
    return parseJson(text, name);
  } catch (error) {
    if (error instanceof SyntaxError) throw usage(`${name} is not valid JSON: ${error.message}`);
    throw error;
  }
}

/** One line for each change, and a sum. */
function describeImport({ flags, segments, metadata }: ImportResult, place: string, dryRun: boolean): string {
  const all = [
    ...segments.map(({ name, result }) => ({ what: `segment ${name}`, result })),
    ...flags.map(({ key, result }) => ({ what: `flag ${key}`, result })),
  ];
  const lines = all.map(({ what, result }) => shown`${result} ${what}\n`);
  if (metadata === "updated") lines.push("updated the metadata of the flag set\n");
  const count = (wanted: string) => all.filter(({ result }) => result === wanted).length;
  const sum = `${count("created")} created, ${count("updated")} updated, ${count("unchanged")} unchanged`;
  const done = dryRun ? "would be imported, nothing was" : "imported";
  return `${lines.join("")}${printable(place)}: ${done}: ${sum}\n`;
}

export const addExportCommand = verb("export", {
  description: "write the flags and segments of an environment",
  options: [
    formatOption(["flagd"], FLAGD),
    "project",
    "environment",
    ["--members", "include the members of segments that forms fill, at most 10,000 for each"],
    ["-o, --output <file>", "output file, in YAML if its name says so; - for standard output", "-"],
    ["--watch", "write the file again after each change, until interrupted; expired flags are off in it"],
  ],
  help: `
A flag without variants is written with boolean variants on and off, and its payload as the flag <flag>.payload. An
import of the file restores the same flags. Flags whose rules use matches, in_cidr, before or after are left out,
because flagd does not have these operators.

Examples:
  formflag flags export -p shop -e production > flags.json
  formflag flags export -p shop -e production -o flags.json
  formflag flags export -p shop -e production -o flags.json --watch
`,
  parse: async (input) => {
    const { output, members, watch } = input.options;
    if (watch === true && output === "-")
      throw usage("--watch writes a file again and again", "name the file: -o flags.json");
    return {
      ...(await input.place()),
      output: String(output),
      members: members === true,
      watch: watch === true,
    };
  },
  run: async (session, values) => {
    const { client, io } = session;
    const { project, environment, output, members, watch } = values;
    const names = { project, environment };
    const isYaml = exportFormat(output, ["json", "yaml", "yml"])?.startsWith("y") === true;
    const { printDocument } = await import("../documents/document-file.ts");
    // An older server knows no such parameters.
    const query = {
      ...(members && ({ members: "true" } as const)),
      ...(watch && ({ expired: "off" } as const)),
    };
    const read = async () => {
      const { value, omitted = 0 } = await client.callAt(operations.export, { names, query });
      return { document: value, omitted, text: printDocument(value, isYaml ? "yaml" : "json") };
    };
    const { document, omitted, text } = await read();
    if (omitted > 0) io.note(`warning: ${omittedInWords(omitted)}\n`);
    if (!members && hasEmptyList(document["$evaluators"])) {
      const filled = (await listAll(client, segments.list, { names })).filter(({ source }) => source);
      for (const { name } of filled)
        io.note(
          shown`warning: segment ${name}, which a form fills, is empty in the file: --members writes its members\n`,
        );
    }
    if (output === "-") await writeOut(io, new Response(text));
    else await saveTo(output, new Response(text));
    if (watch) await rewrite(io, output, text, async () => (await read()).text);
  },
});

function omittedInWords(count: number): string {
  const flags =
    count === 1 ? "1 flag is left out, whose rule uses" : `${count} flags are left out, whose rules use`;
  return `${flags} operators that flagd does not have: matches, in_cidr, before or after`;
}

/** How often a watched export looks for changes, in milliseconds. */
const WATCH_INTERVAL = 1000;

/** Writes a file again each time its text differs. Ends only with an error other than `unavailable`. */
async function rewrite(io: Io, file: string, text: string, read: () => Promise<string>): Promise<never> {
  let [written, isLost] = [text, false];
  io.note(shown`${file} follows the flags; Ctrl-C ends that\n`);
  for (;;) {
    await clock.sleep(WATCH_INTERVAL);
    try {
      const next = await read();
      if (isLost) io.note("the server answers again\n");
      isLost = false;
      if (next === written) continue;
      await saveTo(file, new Response(next));
      written = next;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      if (!isLost) io.note(shown`${error.message}: ${file} stays as it is\n`);
      isLost = true;
    }
  }
}

/** Whether a segment of a file has an empty list, as one that a form fills has without its members. */
function hasEmptyList(evaluators: unknown): boolean {
  return JSON.stringify(evaluators ?? {}).includes(",[]]}");
}
