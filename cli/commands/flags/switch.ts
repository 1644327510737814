import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { changeAtRevision, ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { findFlag } from "./near-slug.ts";
import { type Place, readPlace, urlOf } from "./place.ts";
import { type SetFlag, reportFlag } from "./report.ts";

/** Returns whether a flag is on after the switch. */
type Switch = (enabled: boolean) => boolean;

/** `flags enable`, `disable` and `toggle`: they never create a flag. */
export function addSwitchCommands(flags: Command, io: Io): void {
  add(flags, io, "enable", "turn a flag on in an environment", () => true);
  add(flags, io, "disable", "turn a flag off in an environment", () => false);
  add(flags, io, "toggle", "turn a flag on where it is off, and off where it is on", (enabled) => !enabled);
}

function add(flags: Command, io: Io, verb: string, description: string, enabledAfter: Switch): void {
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
    .action(action(io, parse, (session, values) => run(session, values, enabledAfter)));
}

type Values = { place: Place; headers: Record<string, string> };

async function parse(input: Input, given?: string): Promise<Values> {
  return { place: await readPlace(input, given), headers: ifRevision(input.options) };
}

async function run(session: Session, { place, headers }: Values, enabledAfter: Switch): Promise<void> {
  const flag = await changeAtRevision("If-Match" in headers, async () => {
    const { value, revision } = await findFlag(session, place);
    const body = { enabled: enabledAfter(value.enabled) };
    // Prevents that the flag is toggled twice, or created again after it was deleted meanwhile.
    const expected = { "If-Match": `"${revision}"`, ...headers };
    return session.client.call<SetFlag>("PATCH", urlOf(place), body, expected);
  });
  await reportFlag(session, place, flag);
}
