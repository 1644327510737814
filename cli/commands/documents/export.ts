import { Option } from "commander";
import { documents as operations } from "../../../src/operations/documents.ts";
import { exportFormat, saveTo } from "../../output/save.ts";
import { shown } from "../../output/text.ts";
import { listOption } from "../../session/command-line.ts";
import { lone } from "../../session/verb.ts";

const FORMATS = ["yaml", "json"] as const;
type Format = (typeof FORMATS)[number];
/** The ends of names that stand for them. */
const NAMED = ["yaml", "yml", "json"] as const;

export const addExportCommand = lone({
  guesses: String.raw`
[formflag] pull: type formflag export -o <file>
[formflag] data copy cp: formflag export and formflag apply copy flags and forms, formflag backup create everything
--all: without -p it writes everything
-f --file --format=json: -o <file> names the file; --format json writes JSON
-n --namespace: the project is an option: -p <project>
/\.(ya?ml|json)$/: the file is an option: -o $0
/./: projects are an option: -p $0; formflag submissions export $0 writes the submissions of a form
`,
  options: [
    listOption("-p, --project <project...>", "only these projects, without forms (default: everything)").env(
      "FORMFLAG_PROJECT",
    ),
    ["--forms", "include the forms of the named projects"],
    ["-o, --output <file>", "output file, or - for standard output"],
    new Option("--format <format>", "default: yaml, or json if the name of the file says so").choices(
      FORMATS,
    ),
  ],
  help: `
Keys are not part of the file: each server creates its own.

Examples:
  formflag export -o formflag.yaml
  formflag export -p shop -o shop.yaml
  formflag export -p shop --forms --format json
`,
  parse: ({ config, options }) => {
    const { project, forms, output = "-", format } = options as Options;
    const query = { ...(forms && { forms: "true" as const }), ...(project && { project }) };
    const named = exportFormat(output, NAMED, format) ?? (config.json ? "json" : "yaml");
    return { query, output, format: named === "json" ? ("json" as const) : ("yaml" as const) };
  },
  run: async ({ client, io, suggest }, { query, output, format }) => {
    const document = await client.call(operations.export, { query });
    const { printDocument } = await import("./document-file.ts");
    const text = printDocument(document, format);
    if (output === "-") return io.out(text);
    await saveTo(output, new Response(text));
    suggest(shown`Next: formflag diff ${output}`);
  },
});

type Options = { project?: string[]; forms?: true; output?: string; format?: Format };
