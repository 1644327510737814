import { Option } from "commander";
import { durationInWords } from "../../../src/base/units.ts";
import { RAMP } from "../../../src/flags/ramps/ramp-card.ts";
import {
  nextShare,
  rampCourseInWords,
  rampInWords,
  rampStatusInWords,
  type RampView,
} from "../../../src/flags/ramps/ramp-words.ts";
import type { RampPlan } from "../../../src/flags/ramps/ramp.ts";
import { ramps as operations } from "../../../src/operations/ramps.ts";
import { details, shown, table } from "../../output/text.ts";
import { givenIn, optionsOf } from "../../session/card.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { verb } from "../../session/verb.ts";
import { type Place, findFlag, projectOrEnvironment, readPlace } from "./place.ts";

const COURSE = optionsOf(RAMP);
const COURSE_NAMES = COURSE.map((option) => option.attributeName());

/** The orders to a ramp, of which one excludes the others and a course. */
const ACTIONS = {
  pause: "make no more steps until it is resumed; the flag stays as it is",
  resume: "continue from the share that the flag has now",
  next: "make the next step now; the one after it is due a full --every later",
  finish: "raise the share to the last step now, which completes the ramp",
  abort: "end the ramp, and restore the share, default and state from before it",
};
const ACTION_NAMES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];

export const addRampCommand = verb("ramp", {
  argument: ["[flag]", "slug of the flag"],
  description: "raise the share of a variant step by step; without options, show the ramp",
  options: [
    "project",
    "environment",
    ...COURSE,
    ...ACTION_NAMES.map((name) =>
      new Option(`--${name}`, ACTIONS[name]).conflicts([
        ...ACTION_NAMES.filter((each) => each !== name),
        ...COURSE_NAMES,
      ]),
    ),
    ["--keep", "with --abort, leave the flag as it is"],
    "why",
    "field",
  ],
  help: `
The first step turns the flag on. Users who have the variant keep it, and conditions of --if come first. A server makes
each further step within a second of its time. After a time without a server, one step is made, and the next a full
--every later.

A ramp pauses by itself if someone changes the variants, default, rule or state of the flag, or locks its environment.
Changes of payload, description, expiry and preview do not pause it. Until it has ended, no other ramp can start on the
flag (exit 5).

A guard compares users of the variant with users of the default since the last step: 'event:error rises 0%'. With 'of
baseline' it compares all submissions to a form with those of the four weeks before: 'submissions:contact falls 40% of
baseline'. A guard that fires pauses the ramp, or with --on-guard rollback restores the state of the flag from before
the ramp.

Examples:
  formflag flags ramp search -p shop -e production --variant on --to 1,10,50,100 --every 1d
  formflag flags ramp search -p shop -e production --variant on --to 10,100 --every 1d --guard 'event:error rises 0%'
  formflag flags ramp search -p shop -e production --variant on --to 25,50,100 --every 1d --within 'segment staff' --then-everyone
  formflag flags ramp search -p shop -e production
  formflag flags ramp search -p shop -e production --pause
  formflag flags ramp search -p shop -e production --next
  formflag flags ramp search -p shop -e production --abort --keep
  formflag flags ramps -p shop
`,
  reads: (options) => [...ACTION_NAMES, ...COURSE_NAMES].every((each) => options[each] === undefined),
  parse: async (input, given) => {
    const order = await orderOf(input);
    return { ...order, place: await readPlace(input, given) };
  },
  run: async (session, { place: names, ...order }) => {
    const { client } = session;
    if (order.order === "show") return show(session, names);
    if (order.order === "start")
      await (
        await import("./needs.ts")
      ).noteTurnedOff(session, [names], async () => ({ operation: operations.start, body: order.course }));
    const ramp =
      order.order === "start"
        ? await client.call(operations.start, { names, body: order.course })
        : order.order === "abort"
          ? await client.call(operations.abort, { names, body: { keep: order.keep } })
          : await client.call(operations[order.order], { names });
    await reportRamp(session, names, ramp, DONE[order.order]);
  },
});

/** Reports what was done to a ramp. */
export function reportRamp(
  { report }: Session,
  { project, environment, flag }: Place,
  ramp: RampView,
  result: (typeof DONE)[keyof typeof DONE],
): Promise<void> {
  return report(
    { ...ramp, result },
    shown`${result} the ramp of ${flag} in ${project}/${environment}: ${rampInWords(ramp)}\n`,
  );
}

type Order =
  | { order: "show" | "pause" | "resume" | "next" | "finish" }
  | { order: "abort"; keep: boolean }
  | { order: "start"; course: RampPlan };

async function orderOf(input: Input): Promise<Order> {
  const { options } = input;
  const given = options as Record<string, string | true | string[] | undefined>;
  const [keep, named] = [given["keep"] === true, ACTION_NAMES.find((each) => given[each])];
  if (keep && named !== "abort") throw usage("--keep is for --abort", "write --abort --keep");
  if (named === "abort") return { order: named, keep };
  if (named !== undefined) return { order: named };
  if (COURSE_NAMES.every((each) => given[each] === undefined)) return { order: "show" };
  const course = await givenIn(RAMP, input);
  if (course.variant === undefined || course.to === undefined || course.every === undefined)
    throw usage(
      "a ramp needs --variant, --to and --every",
      "such as --variant on --to 1,10,50,100 --every 1d",
    );
  if (course.thenEveryone && course.within === undefined)
    throw usage("--then-everyone is for --within", "write --within 'segment staff' --then-everyone");
  return { order: "start", course };
}

const DONE = {
  start: "started",
  pause: "paused",
  resume: "resumed",
  next: "advanced",
  finish: "finished",
  abort: "aborted",
} as const;

async function show(session: Session, place: Place): Promise<void> {
  const ramp = await session.client.call(operations.get, { names: place }).catch(async (error: unknown) => {
    // Names the flag that was probably meant.
    await findFlag(session, place);
    throw error;
  });
  await session.print(ramp, describeRamp(ramp));
}

function describeRamp(ramp: RampView): string {
  const { flag, environment, variant, share, nextAt, every, steps, guards, onGuard, who, why } = ramp;
  const next = nextShare(ramp);
  return details([
    ["flag", flag],
    ["environment", environment],
    ["status", rampStatusInWords(ramp)],
    ["share", `${share} % ${variant}`],
    ["next", next === null ? null : `${next} %  ${nextAt ?? "once resumed"}`],
    ["every", durationInWords(every)],
    ...steps.map(({ share, doneAt }, at): [string, string] => [
      at === 0 ? "steps" : "",
      `${share} %  ${doneAt ?? "to come"}`,
    ]),
    ...guards.map((guard, at): [string, string] => [at === 0 ? "guards" : "", guard]),
    ["on guard", guards.length === 0 ? null : onGuard],
    ["by", who],
    ["why", why],
  ]);
}

export const addRampsCommand = verb("ramps", {
  description: "list the last ramp of each flag of a project, in each environment or in one",
  options: ["project", "environment", "field"],
  help: "\nExamples:\n  formflag flags ramps -p shop\n  formflag flags ramps -p shop -e production\n",
  parse: projectOrEnvironment,
  run: async ({ client, print }, { project, environment }) => {
    const all = await listAll(client, operations.list, { names: { project }, query: { environment } });
    const rows = all.map((ramp) => [
      ramp.flag,
      ramp.environment,
      rampStatusInWords(ramp),
      `${ramp.share} % ${ramp.variant}`,
      ramp.nextAt ?? "",
      rampCourseInWords(ramp),
      ramp.who,
    ]);
    const head = ["FLAG", "ENVIRONMENT", "STATUS", "SHARE", "NEXT", "COURSE", "BY"];
    await print(all, table(head, rows));
  },
});
