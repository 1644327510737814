import { clock } from "../../../../src/base/clock.ts";
import { AppError } from "../../../../src/base/errors.ts";
import { holdsFlag } from "../../../../src/experiments/experiment.ts";
import { flagHeld, isHeld } from "../../../../src/flags/ramps/ramp.ts";
import {
  hasConditions,
  isOfSome,
  planRelease,
  type ReleasePlan,
} from "../../../../src/flags/release/release.ts";
import { trialName } from "../../../../src/flags/release/trial.ts";
import { labelOf, RULES_FIRST, releaseInWords } from "../../../../src/flags/release/release-words.ts";
import { rulesText } from "../../../../src/flags/rules/rules.ts";
import { environments } from "../../../../src/operations/environments.ts";
import { experiments } from "../../../../src/operations/experiments.ts";
import { flags } from "../../../../src/operations/flags.ts";
import { ramps } from "../../../../src/operations/ramps.ts";
import { unapproved } from "../../../../src/projects/locks.ts";
import { printable, shown } from "../../../output/text.ts";
import { Proposed } from "../../../session/client.ts";
import { listNames } from "../../../session/guesses/names.ts";
import { listAll } from "../../../session/pages.ts";
import { promptChoice } from "../../../session/prompts.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";
import { verb } from "../../../session/verb.ts";
import { startNew } from "../../experiments/acts.ts";
import { setForAWhile } from "../lasting.ts";
import { findFlag, type Place } from "../place.ts";
import { reportRamp } from "../ramp.ts";
import { reportFlag } from "../report.ts";
import { scheduleChange } from "../scheduled.ts";
import { askRelease } from "./questions.ts";
import { remarksOn, withZone } from "./remarks.ts";
import { commandLine, sameAs } from "./same.ts";

export const addReleaseCommand = verb("release", {
  argument: ["[flag]", "slug of the flag"],
  description: "release a flag by answering two questions: who gets it, and how",
  options: ["project", "environment", "why"],
  help: `
Shows in a sentence what will happen, does it once you confirm, and prints the command that does the same. It needs a
terminal; in a script, use one of the five commands:

  flags set --on                  now: for everyone, with --rollout a share, with --if a segment or a rule
  flags set --on --at             at a time
  flags set --on --for            for a while
  flags ramp                      step by step, with guards
  experiments create --start      as an experiment

Example:
  formflag flags release new-checkout -p shop -e production
`,
  parse: async (input, flag) => {
    if (flag === undefined && !input.canPrompt()) throw withoutTerminal("<flag>");
    const { why } = input.options as { why?: string };
    return { ...(await input.place()), flag, why };
  },
  run: release,
});

function withoutTerminal(given: string): AppError {
  const own = `formflag flags set ${given} --on`;
  return usage(
    "flags release asks questions: it needs a terminal, and no --no-input",
    shown`use ${own}, ${own} --at <time>, ${own} --for <span>, formflag flags ramp ${given} --variant on --to 1,10,50,100 --every 1d, or formflag experiments create <name> --flag ${given} --metric event:<name> --start`,
  );
}

type Asked = Omit<Place, "flag"> & { flag: string | undefined; why: string | undefined };

async function release(session: Session, { project, environment, flag: given, why }: Asked): Promise<void> {
  const { client, config, io, suggest } = session;
  const slug =
    given ?? (await promptChoice("Which flag?", await listNames("flag", client, { project, environment })));
  const place = { project, environment, flag: slug };
  const { value: flag, revision } = await findFlag(session, place);
  if (!session.canPrompt()) throw withoutTerminal(slug);
  const { approvals, locked } = await client.call(environments.get, { names: { project, environment } });
  const proposes = config.propose !== undefined;
  // Refused before the questions, as the change would be after them.
  if (approvals > 0 && !proposes && !config.bypass)
    throw unapproved(project, [{ slug: environment, approvals }]);
  // A change of nothing is refused to a caller without the right to make one.
  if (approvals === 0 && !proposes)
    await client.call(flags.set, { names: place, body: {}, confirmed: environment });
  const all = await listAll(client, experiments.list, { names: { project, environment } });
  await requireFree(session, place, all);
  const { enabled, variants, expiredAt } = flag;
  const record = {
    enabled,
    rules: variants === undefined ? null : rulesText({ ...flag, variants }),
    expiresAt: expiredAt === null ? null : Date.parse(expiredAt),
  };
  const chosen = await askRelease(client, place, { record, experiments: all });
  const now = clock.now();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const plan = planRelease(chosen, record, now);
  const isFirst = isOfSome(chosen) && chosen.how !== "steps";
  const kept = hasConditions(record) && !isFirst ? ` ${RULES_FIRST}` : "";
  const saying = { now, timeZone };
  const remarks = await remarksOn(client, place, { chosen, flag, saying });
  const sentence = withZone(`${releaseInWords(chosen, record, saying)}${kept}${remarks}`, timeZone);
  // A question is about the sentence before it, also with --quiet and --json.
  (config.yes ? session : io).note(shown`${sentence}\n`);
  const label = labelOf(chosen, proposes);
  if (!config.yes) await session.confirm(shown`${label} in ${environment}?`);
  const name = plan.operation === "experiment" ? trialName(slug, plan.design, all) : null;
  const more = [
    ...(why === undefined ? [] : ["--why", why]),
    ...(proposes ? ["--propose"] : []),
    ...(approvals > 0 && config.bypass ? ["--bypass"] : []),
    ...(approvals === 0 && locked && !proposes ? ["--confirm", environment] : []),
  ];
  const same = await sameAs(chosen, plan, { place, flag, record, trial: name?.name ?? "" });
  const saySame = () =>
    suggest(`The same without questions:\n  ${printable(commandLine([...same, ...more]))}`);
  try {
    await perform(session, place, { plan, revision, span: chosen.span, trial: name });
  } catch (error) {
    if (error instanceof Proposed) saySame();
    throw error;
  }
  saySame();
}

/** Throws `conflict` if a ramp or an experiment holds the flag. */
async function requireFree(
  { client }: Session,
  place: Place,
  all: readonly { name: string; flag: string; status: Parameters<typeof holdsFlag>[0]["status"] }[],
): Promise<void> {
  const ramp = await client.call(ramps.get, { names: place }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  });
  if (ramp && isHeld(ramp)) throw flagHeld(place, "a ramp");
  const holder = all.find((each) => each.flag === place.flag && holdsFlag(each));
  if (holder) throw flagHeld(place, `the experiment "${holder.name}"`);
}

type Performed = {
  plan: ReleasePlan;
  revision: number;
  span: number;
  trial: ReturnType<typeof trialName> | null;
};

/** Makes a release, by the operation that it is. */
async function perform(session: Session, place: Place, { plan, revision, span, trial }: Performed) {
  const { client } = session;
  switch (plan.operation) {
    case "set":
      return reportFlag(
        session,
        place,
        await client.call(flags.set, { names: place, body: plan.patch, revision }),
      );
    case "schedule":
      return scheduleChange(session, place, plan.patch, { at: plan.at });
    case "setFor":
      return setForAWhile(session, place, plan.patch, { lasts: span, revision });
    case "ramp":
      return reportRamp(
        session,
        place,
        await client.call(ramps.start, { names: place, body: plan.course, revision }),
        "started",
      );
    case "experiment":
    default: {
      const { project, environment, flag } = place;
      const names = { project, environment, experiment: trial!.name };
      const body = { name: trial!.name, flag, ...plan.design };
      return startNew(session, names, trial!.isNew ? body : null);
    }
  }
}
