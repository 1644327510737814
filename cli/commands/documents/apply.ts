import { AppError } from "../../../src/base/errors.ts";
import type { Difference } from "../../../src/documents/document.ts";
import { documents as operations } from "../../../src/operations/documents.ts";
import { EXIT, Failed } from "../../exit.ts";
import type { Source } from "./fault.ts";
import { noteWarnings } from "../../session/hints.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { type Argument, lone, type Taken } from "../../session/verb.ts";

/** The file and the options that `diff` and `apply` take. */
const FILE: Argument = ["[file]", "YAML or JSON, - for standard input"];
const FILE_OPTIONS: readonly Taken[] = [
  ["-f, --file <file>", "the same, as an option"],
  ["--prune", "delete what a section of the file leaves out"],
];
const FILE_GUESSES = String.raw`
-k -R --recursive --filename: one file is named: formflag apply flags.yaml
--delete --remove: --prune deletes what the file leaves out
-p --project -e --environment -n --namespace: the file names its projects and environments
`;

export const addDiffCommand = lone({
  guesses:
    String.raw`
[formflag] plan validate lint: type formflag diff -f <file>
--exit-code --check: it exits 9 if something differs
/^[\w-]+$/: two environments are compared by formflag flags promote --all --from staging --to $0 --dry-run
` + FILE_GUESSES,
  argument: FILE,
  options: [...FILE_OPTIONS],
  help: `
Exits 9 if something differs, and 0 if nothing does. A token needs the scope read.

Examples:
  formflag diff formflag.yaml
  formflag diff formflag.yaml --server https://flags.example.com
`,
  parse: async (input, given) => {
    try {
      return await readDocumentOptions(input, given);
    } catch (error) {
      // The name of an environment is the name of a file without an end.
      const isName = given !== undefined && /^[\w-]+$/.test(given) && !(await Bun.file(given).exists());
      if (!isName || given === "-") throw error;
      throw usage(
        `the file ${given} does not exist`,
        `formflag diff compares a file with what is stored; environments are compared by formflag flags promote --all --from ${given} --to <environment> --dry-run`,
      );
    }
  },
  run: async (session, values) => {
    const differences = await applyDocument(session, values, { dryRun: true });
    const { describeDifferences } = await import("./document-file.ts");
    await session.print(differences, describeDifferences(differences, session.paint, false));
    if (differences.length > 0) throw new Failed(EXIT.difference);
  },
});

export const addApplyCommand = lone({
  guesses:
    String.raw`
[formflag] import sync push deploy: type formflag apply -f <file>, or formflag flags import <file>
--check --diff --plan: --dry-run shows what would change, formflag diff exits 9 if something would
[formflag] seed fixtures example examples sample playground: formflag demo serves example data; formflag apply <file> creates projects, flags and forms
` + FILE_GUESSES,
  argument: FILE,
  options: [
    ...FILE_OPTIONS,
    ["--dry-run", "show what would change, and change nothing; always exits 0"],
    "why",
    ["--schema", "print the JSON Schema of a file, for editors, and nothing else"],
  ],
  help: `
What the file does not name stays as it is. With --prune, every section in the file is complete: flags, segments,
environments and forms that it leaves out are deleted. --yes is needed to delete a flag that was read within a week,
every flag of a project, an environment, a form with submissions, or more than three things at once, and for a setting
of a form that deletes submissions. A change in a locked environment needs --confirm with its name.

All changes are made in one transaction, or none. Applying the same file again changes nothing.

Examples:
  formflag apply formflag.yaml --dry-run
  formflag apply formflag.yaml --prune
  formflag export -p shop | formflag apply - --server https://flags.example.com
  formflag apply --schema > formflag.schema.json
`,
  // In a pipeline without a server, data in the checkout would pass for a success.
  begins: ({ dryRun }, { isDataGiven }) => dryRun !== true && isDataGiven,
  parse: async (input, given) => {
    const { dryRun = false, schema } = input.options as { dryRun?: true; schema?: true };
    if (schema) return "schema";
    return { ...(await readDocumentOptions(input, given)), dryRun };
  },
  run: async (session, values) => {
    if (values === "schema") return printSchema(session);
    const { dryRun, ...document } = values;
    const { describeDifferences } = await import("./document-file.ts");
    if (dryRun) {
      const differences = await applyDocument(session, document, { dryRun });
      await session.print(differences, describeDifferences(differences, session.paint, false));
    } else {
      const differences = await applyDocument(session, document, { confirmed: session.config.yes });
      await session.report(differences, describeDifferences(differences, session.paint, true));
    }
  },
});

async function printSchema({ io }: Session): Promise<void> {
  const { documentJsonSchema } = await import("../../../src/documents/document-schema.ts");
  await io.out(`${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
}

type DocumentValues = { document: object; source: Source; prune: boolean };

/** Reads the file that is given. Throws `invalid` if it is missing or holds no document. */
async function readDocumentOptions(input: Input, given?: string): Promise<DocumentValues> {
  const { file: named, prune = false } = input.options as { file?: string; prune?: true };
  if (named !== undefined && given !== undefined)
    throw usage(`two files are named, ${given} and ${named}`, "one file at a time");
  const file = given ?? named;
  if (file === undefined) throw usage("the file is missing", "name it, as -f FILE too; - is standard input");
  const { readDocument } = await import("./document-file.ts");
  return { ...(await readDocument(file, input)), prune };
}

/** Applies a document, or only plans it for a dry run; prompts for a confirmation if one is needed. */
async function applyDocument(
  { client, io, canPrompt, confirm }: Session,
  { source, ...values }: DocumentValues,
  mode: { dryRun?: boolean; confirmed?: boolean },
): Promise<Difference[]> {
  const body = { ...values, ...mode };
  const call = async (all: { body: typeof body; confirmed?: "*" }) => {
    const { changes, warnings } = await client.call(operations.apply, all);
    // Older servers send no warnings.
    noteWarnings((text) => io.note(text), { warnings });
    return changes;
  };
  try {
    return await call({ body });
  } catch (error) {
    if (error instanceof AppError && error.code === "forbidden" && !mode.dryRun) throw withAdmin(error);
    if (error instanceof AppError && error.code !== "unconfirmed") {
      const { placedFault } = await import("./fault.ts");
      throw await placedFault(error, source, client);
    }
    const isLoss = error instanceof AppError && error.reason === "document-unconfirmed";
    if (!isLoss || !canPrompt()) throw error;
    await confirm(`${error.message}. Apply it all the same?`);
    // The message names the locks too.
    return call({ body: { ...body, confirmed: true }, confirmed: "*" });
  }
}

/** The operation needs `read` first, for its trial; applying needs `admin`, which includes it. */
function withAdmin({ code, message, reason, hint }: AppError): AppError {
  const needed = message.replace(/ lacks the scope read$/, " lacks the scope admin");
  return new AppError(code, needed, { reason: reason ?? undefined, hint: hint ?? undefined });
}
