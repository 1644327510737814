import type { Command } from "commander";
import type { SetResult } from "../../../src/base/result.ts";
import type { Flag } from "../../../src/flags/flag.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption, revisionOption } from "../../session/config.ts";
import { action } from "../../session/session.ts";
import { countValue, ifRevision, usage } from "../../session/values.ts";

export function addRollbackCommand(flags: Command, io: Io): void {
  flags
    .command("rollback")
    .argument("[flag]", "slug of the flag")
    .description("set a flag in an environment to what it was after a change, as a new change")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--to <revision>", "the change, as formflag flags history shows it")
    .addOption(revisionOption())
    .addHelpText(
      "after",
      `
State, payload, expiry, variants, rules and description are set as they were. A flag that was deleted since is
created again, off in the other environments.

Examples:
  formflag flags history new-checkout -p shop -e production
  formflag flags rollback new-checkout -p shop -e production --to 12
`,
    )
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        const environment = await session.environment(project);
        const { to } = session.options as { to?: string };
        if (to === undefined) {
          const history = `formflag flags history ${slug} -p ${project} -e ${environment}`;
          throw usage("the revision is missing", `name it with --to; ${history} shows which there are`);
        }
        const url = path`/projects/${project}/environments/${environment}/flags/${slug}/rollback`;
        const flag = await session.client.call<Flag & { result: SetResult }>(
          "POST",
          url,
          { to: countValue(to, "--to", 1) },
          ifRevision(session.options),
        );
        const text = shown`${flag.result} ${slug} in ${project}/${environment}: as after revision ${to}\n`;
        await session.report(flag, text);
      }),
    );
}
