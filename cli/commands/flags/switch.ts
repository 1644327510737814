import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { environmentOption, projectOption, revisionOption } from "../../session/config.ts";
import { action } from "../../session/session.ts";
import { ifRevision } from "../../session/values.ts";
import { findFlag, urlOf } from "./near-slug.ts";
import { type SetFlag, reportFlag } from "./report.ts";

/** `flags enable`, `disable` and `toggle`: they never create a flag. */
export function addSwitchCommands(flags: Command, io: Io): void {
  for (const [verb, description, enabledAfter] of [
    ["enable", "turn a flag on in an environment", () => true],
    ["disable", "turn a flag off in an environment", () => false],
    ["toggle", "turn a flag on where it is off, and off where it is on", (enabled: boolean) => !enabled],
  ] as const) {
    flags
      .command(verb)
      .argument("[flag]", "slug of the flag")
      .description(description)
      .addOption(projectOption())
      .addOption(environmentOption())
      .addOption(revisionOption())
      .addHelpText(
        "after",
        `
A flag that does not exist is not created: exit 3.

Example:
  formflag flags ${verb} new-checkout -p shop -e production
`,
      )
      .action(
        action(io, async (session, given) => {
          const flag = await session.need(given, "flag");
          const project = await session.project();
          const place = { project, environment: await session.environment(project), flag };
          const found = await findFlag(session, place);
          // Neither turned twice, nor created where it was deleted meanwhile.
          const headers = { "If-Match": `"${found.revision}"`, ...ifRevision(session.options) };
          const body = { enabled: enabledAfter(found.value.enabled) };
          await reportFlag(
            session,
            place,
            await session.client.call<SetFlag>("PATCH", urlOf(place), body, headers),
          );
        }),
      );
  }
}
