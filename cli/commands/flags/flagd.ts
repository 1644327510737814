import { type Command, Option } from "commander";
import type { FlagdDocument } from "../../../src/flags/flagd/definition.ts";
import type { ImportResult } from "../../../src/flags/import.ts";
import { saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { printable, shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import { parseJson } from "../../session/json.ts";
import { action } from "../../session/session.ts";
import { readText, usage } from "../../session/values.ts";

const format = () =>
  new Option("--format <format>", "flagd: https://flagd.dev/schema/v0/flags.json")
    .choices(["flagd"])
    .makeOptionMandatory();

/** Older servers send no warnings. */
type Imported = ImportResult & { warnings?: string[] };

/** `flags import` and `flags export`. */
export function addFlagdCommands(flags: Command, io: Io): void {
  flags
    .command("import")
    .argument("[file]", "a file of flagd, JSON or YAML; - for standard input")
    .description("set the flags and segments that a file describes; others stay as they are")
    .addOption(format())
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--dry-run", "show what would change, and change nothing")
    .addHelpText(
      "after",
      `
All of the file is imported, or nothing. A flag that is new to the project is off in its other environments. Boolean
variants on and off without a rule make a plain flag; <flag>.payload is its payload. A rule that refers to a segment
that does not exist, or yields a variant that the flag does not have, is imported with a warning.

Examples:
  formflag flags import flags.json --format flagd -p shop -e develop --dry-run
  formflag flags import flags.yaml --format flagd -p shop -e develop
  formflag flags export --format flagd -p shop -e develop | formflag flags import - --format flagd -p shop -e staging
`,
    )
    .action(
      action(io, async (session, given) => {
        const file = await session.need(given, "file");
        const project = await session.project();
        const environment = await session.environment(project);
        const document = await readFlagd(file, io);
        const isTrial = session.options["dryRun"] === true;
        const url = `${path`/projects/${project}/environments/${environment}/flagd`}?dryRun=${isTrial}`;
        const imported = await session.client.call<Imported>("POST", url, document);
        for (const warning of imported.warnings ?? []) io.note(shown`warning: ${warning}\n`);
        await session.report(
          { ...imported, dryRun: isTrial },
          describeImport(imported, `${project}/${environment}`, isTrial),
        );
      }),
    );

  flags
    .command("export")
    .description("write the flags and segments of an environment")
    .addOption(format())
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("-o, --output <file>", "where to; - for standard output", "-")
    .addHelpText(
      "after",
      `
A plain flag is written as boolean variants on and off, and its payload as the flag <flag>.payload. Importing the file
gives the same flags again.

Examples:
  formflag flags export --format flagd -p shop -e production > flags.json
  formflag flags export --format flagd -p shop -e production -o flags.json
`,
    )
    .action(
      action(io, async (session) => {
        const project = await session.project();
        const environment = await session.environment(project);
        const url = path`/projects/${project}/environments/${environment}/flagd`;
        const document = await session.client.call<FlagdDocument>("GET", url);
        const answer = new Response(`${JSON.stringify(document, null, 2)}\n`);
        const output = String(session.options["output"]);
        if (output === "-") await writeOut(io, answer);
        else await saveTo(output, answer, { total: 1, count: () => 1, show: false, io });
      }),
    );
}

/** JSON, or YAML by the name of the file or where standard input is no JSON. Throws `invalid` with the place. */
async function readFlagd(file: string, io: Io): Promise<object> {
  const text = file === "-" ? await io.readStdin() : await readText(file, "import");
  const name = file === "-" ? "standard input" : file;
  const document = await parseFlagd(text, name, file === "-" || /\.ya?ml$/i.test(file));
  if (typeof document === "object" && document !== null && !Array.isArray(document)) return document;
  throw usage(`${name} is no file of flagd`, 'it looks like {"flags":{…}}');
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

/** One line for each change, and one that sums up. */
function describeImport(
  { flags, segments, metadata }: ImportResult,
  place: string,
  isTrial: boolean,
): string {
  const all = [
    ...segments.map(({ name, result }) => ({ what: `segment ${name}`, result })),
    ...flags.map(({ key, result }) => ({ what: `flag ${key}`, result })),
  ];
  const lines = all.map(({ what, result }) => shown`${result} ${what}\n`);
  if (metadata === "updated") lines.push("updated the metadata of the flag set\n");
  const count = (wanted: string) => all.filter(({ result }) => result === wanted).length;
  const sum = `${count("created")} created, ${count("updated")} updated, ${count("unchanged")} unchanged`;
  const told = isTrial ? "would be imported, nothing was" : "imported";
  return `${lines.join("")}${printable(place)}: ${told}: ${sum}\n`;
}
