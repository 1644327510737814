import { type Command, Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { Difference } from "../../../src/documents/document.ts";
import { saveTo } from "../../output/save.ts";
import { DIFFERENCE, Failed, type Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { type Session, action } from "../../session/session.ts";
import { usage } from "../../session/values.ts";

export function addExportCommand(command: Command, io: Io): void {
  command
    .addOption(
      new Option("-p, --project <project...>", "only these projects, without forms (default: all)").env(
        "FORMFLAG_PROJECT",
      ),
    )
    .option("--forms", "the forms too, where projects are named")
    .option("-o, --output <file>", "write to that file, - for standard output")
    .addOption(
      new Option("--format <format>", "default: yaml, or json for a file named so").choices(["yaml", "json"]),
    )
    .addHelpText(
      "after",
      `
Keys are not part of the file: another server creates its own.

Examples:
  formflag export -o formflag.yaml
  formflag export -p shop -o shop.yaml
  formflag export -p shop --forms --format json
`,
    )
    .action(
      action(io, async (session) => {
        const { project, forms, output = "-", format } = session.options as ExportOptions;
        const parameters = new URLSearchParams(forms ? { forms: "true" } : {});
        for (const slug of project ?? []) parameters.append("project", slug);
        const document = await session.client.call<object>("GET", `/export?${parameters.toString()}`);
        const { printDocument } = await import("./document-file.ts");
        const isJson = session.config.json || output.endsWith(".json");
        const text = printDocument(document, format ?? (isJson ? "json" : "yaml"));
        if (output === "-") return io.out(text);
        await saveTo(output, new Response(text), { total: 0, count: () => 0, show: false, io });
        session.suggest(shown`Next: formflag diff -f ${output}`);
      }),
    );
}

type ExportOptions = { project?: string[]; forms?: true; output?: string; format?: "yaml" | "json" };

export function addDiffCommand(command: Command, io: Io): void {
  withFile(command)
    .addHelpText(
      "after",
      `
Exits 9 where something differs, 0 where nothing does. A scope of read suffices.

Examples:
  formflag diff -f formflag.yaml
  formflag diff -f formflag.yaml --server https://flags.example.com
`,
    )
    .action(
      action(io, async (session) => {
        const differences = await ask(session, { dryRun: true });
        await show(session, differences, false);
        if (differences.length > 0) throw new Failed(DIFFERENCE);
      }),
    );
}

export function addApplyCommand(command: Command, io: Io): void {
  withFile(command)
    .option("--dry-run", "show what would change, and change nothing; exits 0 either way")
    .option("--schema", "print the JSON Schema of a file, for editors, and nothing else")
    .addHelpText(
      "after",
      `
What the file does not name stays as it is. With --prune every section in the file is complete: flags, segments,
environments and forms that it leaves out are deleted. Deleting an environment, or a form with submissions, needs
--yes, and so does a change in a locked environment.

Everything is changed in one transaction, or nothing. Applied again, a file changes nothing.

Examples:
  formflag apply -f formflag.yaml --dry-run
  formflag apply -f formflag.yaml --prune
  formflag export -p shop | formflag apply -f - --server https://flags.example.com
  formflag apply --schema > formflag.schema.json
`,
    )
    .action(
      action(
        io,
        async (session) => {
          const { dryRun, schema } = session.options as { dryRun?: true; schema?: true };
          if (schema) {
            const { documentJsonSchema } = await import("../../../src/documents/document-schema.ts");
            return io.out(`${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
          }
          if (dryRun) return show(session, await ask(session, { dryRun }), false);
          const differences = await ask(session, { confirmed: session.config.yes });
          await show(session, differences, true);
        },
        { begins: ({ dryRun }) => dryRun !== true },
      ),
    );
}

function withFile(command: Command): Command {
  return command
    .option("-f, --file <file>", "YAML or JSON, - for standard input")
    .option("--prune", "delete what the file leaves out of a section");
}

type Way = { dryRun?: boolean; confirmed?: boolean };

/** Sends the file; a person at a terminal is asked where it has to be confirmed. */
async function ask(session: Session, way: Way): Promise<Difference[]> {
  const { file, prune = false } = session.options as { file?: string; prune?: boolean };
  if (file === undefined)
    throw usage("the file is missing", "name it with -f FILE, or -f - for standard input");
  const { readDocument } = await import("./document-file.ts");
  const document = await readDocument(file, session.io);
  const send = async (way: Way) => {
    const body = { document, prune, ...way };
    return (await session.client.call<{ changes: Difference[] }>("POST", "/apply", body)).changes;
  };
  try {
    return await send(way);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unconfirmed" && session.mayAsk())) throw error;
    await session.confirm(`${error.message}. Apply it all the same?`);
    return send({ ...way, confirmed: true });
  }
}

async function show(session: Session, differences: Difference[], isDone: boolean): Promise<void> {
  const { showDifferences, countDifferences } = await import("../../output/differences.ts");
  const hasColors = session.io.outIsTerminal && session.config.color;
  const text = `${showDifferences(differences, hasColors)}${countDifferences(differences, isDone)}\n`;
  await (isDone ? session.report(differences, text) : session.print(differences, text));
}
