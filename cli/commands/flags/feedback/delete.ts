import { type Command, Option } from "commander";
import type { Io } from "../../../output/terminal.ts";
import { shown } from "../../../output/text.ts";
import { action } from "../../../session/action.ts";
import { path } from "../../../session/client.ts";
import { environmentOption, projectOption } from "../../../session/config.ts";
import type { Input } from "../../../session/input.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";

export function addDeleteCommand(feedback: Command, io: Io): void {
  feedback
    .command("delete")
    .argument("[id]", "id of one feedback")
    .description("delete one feedback, or all that a flag got")
    .addOption(projectOption())
    .addOption(new Option("--flag <flag>", "delete all feedback about this flag"))
    .addOption(environmentOption())
    .addHelpText(
      "after",
      `
With --flag, -e limits it to one environment. Deleting a flag deletes its feedback too.

Examples:
  formflag flags feedback delete 01a1fc49-92a7-75da-ab11-1c9958800353 -p shop
  formflag flags feedback delete --flag search -p shop -e develop
`,
    )
    .action(action(io, parse, run));
}

type Values = { project: string } & ({ id: string } | { flag: string; environment: string | undefined });

async function parse(input: Input, given?: string): Promise<Values> {
  const { flag, environment } = input.options as { flag?: string; environment?: string };
  if (given !== undefined && flag !== undefined)
    throw usage(
      "an id and --flag exclude each other",
      "give the id of one feedback, or --flag for all of a flag",
    );
  if (flag !== undefined) return { project: await input.project(), flag, environment };
  return { id: await input.need(given, "id"), project: await input.project() };
}

async function run({ client, confirmDelete, report }: Session, values: Values): Promise<void> {
  const { project } = values;
  if ("id" in values) {
    const { id } = values;
    await confirmDelete("feedback", id);
    await client.call("DELETE", path`/projects/${project}/feedback/${id}`);
    return report({ id, result: "deleted" }, shown`deleted feedback ${id}\n`);
  }
  const { flag, environment } = values;
  await confirmDelete("all feedback about flag", flag, environment === undefined ? "" : ` in ${environment}`);
  const query = environment === undefined ? "" : `?${new URLSearchParams({ environment }).toString()}`;
  const url = path`/projects/${project}/flags/${flag}/feedback`;
  const { deleted } = await client.call<{ deleted: number }>("DELETE", url + query);
  await report({ flag, deleted, result: "deleted" }, shown`deleted ${deleted} feedback about flag ${flag}\n`);
}
