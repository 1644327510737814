import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Io } from "../../output/terminal.ts";
import type { Input } from "../../session/input.ts";
import { changeAtRevision, ifRevision } from "../../session/change-options.ts";
import type { Session } from "../../session/session.ts";
import { eachOf, namesIn, requireOne } from "../../session/several.ts";
import { usage } from "../../session/usage.ts";
import { spanValue } from "../../session/values.ts";
import { type Taken, verb } from "../../session/verb.ts";
import { type Place, findFlag } from "./place.ts";
import { inLockOrder, readPlaces } from "./places.ts";
import { reportFlag } from "./report.ts";

/** Returns whether a flag is on after the switch. */
type Switch = (enabled: boolean) => boolean;

/** `flags enable`, `disable` and `toggle`: they never create a flag. */
export function addSwitchCommands(flags: Command, io: Io): void {
  switchVerb("enable", "turn a flag on in an environment", () => true, "--for 2h")(flags, io);
  switchVerb("disable", "turn a flag off in an environment", () => false, "--for 2h")(flags, io);
  switchVerb("toggle", "turn a flag on if it is off, and off if it is on", (enabled) => !enabled)(flags, io);
}

/** A verb that switches flags, with an example of `--for` if it takes that. */
function switchVerb(name: string, description: string, enabledAfter: Switch, example?: string) {
  const line = `  formflag flags ${name} new-checkout -p shop -e production`;
  const options: Taken[] = ["project", "environments", "revision", "why"];
  if (example !== undefined) options.push(["--for <span>", "undo the change after this time: 30m, 2h, 7d"]);
  return verb(name, {
    argument: ["[flag...]", "slug of the flag"],
    description,
    options,
    help: `
A flag that does not exist is not created: exit 3.

Example:
${line}
${example === undefined ? "" : `\n${line} ${example}\n`}`,
    parse: (input, given) => parse(input, name, given),
    run: (session, values) => run(session, values, enabledAfter),
  });
}

const ON = /^(?:on|true|yes)$/i;
const OFF = /^(?:off|false|no)$/i;

type Values = {
  places: Place[];
  named: number | undefined;
  /** In seconds; null for ever. */
  lasts: number | null;
};

async function parse(input: Input, verb: string, given?: string): Promise<Values> {
  const [flag, ...more] = namesIn(given);
  const word = more.find((each) => ON.test(each) || OFF.test(each));
  if (word !== undefined) {
    const meant = ON.test(word) ? "enable" : "disable";
    throw usage(
      `${word} is one word too many`,
      meant === verb
        ? `the verb says it already: leave out ${word}`
        : `formflag flags ${meant} ${flag} turns it ${meant === "enable" ? "on" : "off"}`,
    );
  }
  const places = await readPlaces(input, given);
  const { for: span } = input.options as { for?: string };
  const lasts = span === undefined ? null : spanValue(span, "--for");
  const named = ifRevision(input.options);
  requireOne(
    places.map(({ flag }) => flag),
    named,
  );
  return { places, named, lasts };
}

async function run(session: Session, values: Values, enabledAfter: Switch): Promise<void> {
  const places = await inLockOrder(session, values.places);
  if (places.length > 1) await beforeSeveral(session, places, enabledAfter);
  await eachOf(session, places, (each, place) =>
    switchOne(each, { ...values, place, isAlone: places.length === 1 }, enabledAfter),
  );
}

/** Throws for a flag that does not exist, before any is changed, and notes what else is turned off. */
async function beforeSeveral(session: Session, places: readonly Place[], enabledAfter: Switch) {
  const off: (Place & { neededBy: string[] })[] = [];
  for (const place of places) {
    const { value } = await findFlag(session, place);
    if (!enabledAfter(value.enabled)) off.push({ ...place, neededBy: value.neededBy ?? [] });
  }
  if (off.some(({ neededBy }) => neededBy.length > 0)) await noteOff(session, off);
}

async function noteOff(session: Session, places: readonly (Place & { neededBy: string[] })[]) {
  const { noteTurnedOff, turningOff } = await import("./needs.ts");
  await noteTurnedOff(session, places, turningOff);
}

type One = Omit<Values, "places"> & { place: Place; isAlone: boolean };

async function switchOne(
  session: Session,
  { place, isAlone, named, lasts }: One,
  enabledAfter: Switch,
): Promise<void> {
  await changeAtRevision(named !== undefined, async () => {
    const { value, revision } = await findFlag(session, place);
    const patch = { enabled: enabledAfter(value.enabled) };
    const { neededBy } = value;
    if (!patch.enabled && isAlone && neededBy) await noteOff(session, [{ ...place, neededBy }]);
    // Prevents that the flag is toggled twice, or created again after it was deleted.
    const at = named ?? revision;
    if (lasts !== null)
      return (await import("./lasting.ts")).setForAWhile(session, place, patch, { lasts, revision: at });
    const flag = await session.client.call(operations.set, { names: place, revision: at, body: patch });
    return reportFlag(session, place, flag);
  });
}
