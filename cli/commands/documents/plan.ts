import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { Difference } from "../../../src/documents/document.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";

/** The options that `diff` and `apply` share. */
export function withDocumentOptions(command: Command): Command {
  return command
    .option("-f, --file <file>", "YAML or JSON, - for standard input")
    .option("--prune", "delete what the file leaves out of a section");
}

export type DocumentValues = { document: object; prune: boolean };

/** Reads the file of `-f`. Throws `invalid` where it is missing or holds no document. */
export async function readDocumentOptions(input: Input): Promise<DocumentValues> {
  const { file, prune = false } = input.options as { file?: string; prune?: true };
  if (file === undefined)
    throw usage("the file is missing", "name it with -f FILE, or -f - for standard input");
  const { readDocument } = await import("./document-file.ts");
  return { document: await readDocument(file, input), prune };
}

/** Applies a document, or only plans it for a dry run; prompts for a confirmation if one is needed. */
export async function applyDocument(
  { client, canPrompt, confirm }: Session,
  values: DocumentValues,
  mode: { dryRun?: boolean; confirmed?: boolean },
): Promise<Difference[]> {
  const send = async (confirmed: { confirmed?: boolean }, headers?: Record<string, string>) => {
    const body = { ...values, ...mode, ...confirmed };
    return (await client.call<{ changes: Difference[] }>("POST", "/apply", body, headers)).changes;
  };
  try {
    return await send({});
  } catch (error) {
    const isLoss = error instanceof AppError && error.reason === "document-unconfirmed";
    if (!isLoss || !canPrompt()) throw error;
    await confirm(`${error.message}. Apply it all the same?`);
    // The message names the locks too.
    return send({ confirmed: true }, { "X-Confirm": "*" });
  }
}
