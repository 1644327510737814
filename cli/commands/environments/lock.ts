import type { Command } from "commander";
import type { Environment } from "../../../src/projects/environment.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import { action } from "../../session/session.ts";

/** `environments lock` and `unlock`. */
export function addLockCommands(environments: Command, io: Io): void {
  for (const locked of [true, false]) {
    const verb = locked ? "lock" : "unlock";
    environments
      .command(verb)
      .argument("[environment]", "slug of the environment")
      .description(
        locked
          ? "require --yes, or a yes at the terminal, for changes of its flags and segments"
          : "allow changes of its flags and segments without --yes again",
      )
      .addOption(projectOption())
      .addHelpText(
        "after",
        `
A token needs the scope flags:locked to change what is locked, and admin to lock or unlock.

Examples:
  formflag environments ${verb} production -p shop
`,
      )
      .action(
        action(io, async (session, given) => {
          const project = await session.project();
          const slug = await session.need(given, "environment");
          const url = path`/projects/${project}/environments/${slug}`;
          const set = await session.client.call<Environment & { result: string }>("PATCH", url, { locked });
          const done = set.result === "unchanged" ? `unchanged, ${verb}ed already:` : `${verb}ed`;
          await session.report(set, shown`${done} environment ${slug} of project ${project}\n`);
        }),
      );
  }
}
