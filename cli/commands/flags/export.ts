import type { Command } from "commander";
import type { FlagdDocument } from "../../../src/flags/flagd/definition.ts";
import { exportFormat, saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { flagdOption } from "./flagd-option.ts";
import { readEnvironment } from "./place.ts";

export function addExportCommand(flags: Command, io: Io): void {
  flags
    .command("export")
    .description("write the flags and segments of an environment")
    .addOption(flagdOption())
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("-o, --output <file>", "where to, as YAML for a file named so; - for standard output", "-")
    .addHelpText(
      "after",
      `
A plain flag is written as boolean variants on and off, and its payload as the flag <flag>.payload. Importing the file
gives the same flags again.

Examples:
  formflag flags export -p shop -e production > flags.json
  formflag flags export -p shop -e production -o flags.json
`,
    )
    .action(action(io, parse, run));
}

type Values = { project: string; environment: string; output: string };

async function parse(input: Input): Promise<Values> {
  return { ...(await readEnvironment(input)), output: String(input.options["output"]) };
}

async function run({ client, io }: Session, { project, environment, output }: Values): Promise<void> {
  const url = path`/projects/${project}/environments/${environment}/flagd`;
  const document = await client.call<FlagdDocument>("GET", url);
  const { printDocument } = await import("../documents/document-file.ts");
  const isYaml = exportFormat(output, ["json", "yaml", "yml"])?.startsWith("y") === true;
  const answer = new Response(printDocument(document, isYaml ? "yaml" : "json"));
  if (output === "-") await writeOut(io, answer);
  else await saveTo(output, answer);
}
