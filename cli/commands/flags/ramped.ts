import type { RampStart } from "../../../src/flags/ramps/ramp.ts";
import { rampInWords } from "../../../src/flags/ramps/ramp-words.ts";
import { ramps as operations } from "../../../src/operations/ramps.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import type { Place } from "./place.ts";

/** The ramp of a change that goes out by it. */
export type NewRamp = Omit<RampStart, "patch">;

/** Makes the change of `flags set --ramp`, and starts its ramp. */
export async function changeByRamp(
  { client, report }: Session,
  { project, environment, flag }: Place,
  input: { names: Place; body: RampStart; revision: number | undefined },
): Promise<void> {
  const ramp = await client.call(operations.start, input);
  await report(
    { ...ramp, result: "started" },
    shown`started the ramp of ${flag} in ${project}/${environment}: ${rampInWords(ramp)}\n`,
  );
}
