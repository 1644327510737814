import { type Command, Option } from "commander";
import { documents as operations } from "../../../src/operations/documents.ts";
import { exportFormat, saveTo } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { heard, listOption } from "../../session/command-line.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

const FORMATS = ["yaml", "json"] as const;
type Format = (typeof FORMATS)[number];
/** The ends of names that stand for them. */
const NAMED = ["yaml", "yml", "json"] as const;

export function addExportCommand(command: Command, io: Io): void {
  heard(command)`
[formflag] pull: type formflag export -o <file>
[formflag] data copy cp: formflag export and formflag apply copy flags and forms, formflag backup create everything
--all: without -p it writes everything
-f --file --format=json: -o <file> names the file; --format json writes JSON
-n --namespace: the project is an option: -p <project>
/\.(ya?ml|json)$/: the file is an option: -o $0
/./: projects are an option: -p $0; formflag submissions export $0 writes the submissions of a form
`;
  command
    .addOption(
      listOption(
        "-p, --project <project...>",
        "only these projects, without forms (default: everything)",
      ).env("FORMFLAG_PROJECT"),
    )
    .option("--forms", "include the forms of the named projects")
    .option("-o, --output <file>", "output file, or - for standard output")
    .addOption(
      new Option("--format <format>", "default: yaml, or json if the name of the file says so").choices(
        FORMATS,
      ),
    )
    .after(`
Keys are not part of the file: each server creates its own.

Examples:
  formflag export -o formflag.yaml
  formflag export -p shop -o shop.yaml
  formflag export -p shop --forms --format json
`)
    .action(action(io, parse, run));
}

type Options = { project?: string[]; forms?: true; output?: string; format?: Format };
type Values = { query: { project?: string[]; forms?: "true" }; output: string; format: Format };

function parse({ config, options }: Input): Values {
  const { project, forms, output = "-", format } = options as Options;
  const query = { ...(forms && { forms: "true" as const }), ...(project && { project }) };
  const named = exportFormat(output, NAMED, format) ?? (config.json ? "json" : "yaml");
  return { query, output, format: named === "json" ? "json" : "yaml" };
}

async function run({ client, io, suggest }: Session, { query, output, format }: Values): Promise<void> {
  const document = await client.call(operations.export, { query });
  const { printDocument } = await import("./document-file.ts");
  const text = printDocument(document, format);
  if (output === "-") return io.out(text);
  await saveTo(output, new Response(text));
  suggest(shown`Next: formflag diff ${output}`);
}
