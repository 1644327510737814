import { onData } from "../../../support/commands.ts";
import { tempDirectory } from "../../../support/temp.ts";
import { atTerminal } from "../../../support/terminal.ts";

/** A project with a segment, and a flag with conditions of its own besides plain ones. */
export async function openShop() {
  const data = tempDirectory();
  const here = onData(data);
  await here.run("projects", "create", "shop", "--environments", "production");
  const place = ["-p", "shop", "-e", "production"];
  await here.run("segments", "set", "staff", ...place, "--if", "email ends_with @example.com");
  const at = (flag: string, ...more: string[]) =>
    atTerminal(["flags", "release", flag, ...place, ...more, "--data", data], { TZ: "Europe/Vienna" });
  const json = <T>(...args: string[]) => here.json<T>(...args, ...place);
  /** What a flag is, and what is planned and runs for it, without names and times. */
  const stateOf = async (flag: string) => {
    const { enabled, variants, defaultVariant, targeting } = await json<Record<string, unknown>>(
      "flags",
      "get",
      flag,
    );
    const now = { enabled, variants, defaultVariant, targeting };
    const listed = async (...command: string[]) =>
      (await json<Record<string, unknown>[]>(...command)).filter((each) => each["flag"] === flag);
    const scheduled = await listed("flags", "scheduled");
    const ramps = await listed("flags", "ramps");
    const experiments = await listed("experiments", "list");
    return {
      now,
      later: scheduled.flatMap(({ id, patch }) => (id === null ? [] : { ...now, ...(patch as object) })),
      ramps: ramps.map(({ steps, variant, every, guards, onGuard, status }) => {
        const to = (steps as { share: number }[]).map(({ share }) => share);
        return { variant, to, every, guards, onGuard, status };
      }),
      experiments: experiments.map(({ status, split, metrics, minDays, control }) => {
        return { status, split, metrics, minDays, control };
      }),
    };
  };
  return { run: here.run, json, place, at, stateOf, data };
}

/** Answers questions in their order, each as soon as it is asked. */
export async function answer(
  terminal: ReturnType<typeof atTerminal>,
  answers: readonly (readonly [question: string, typed: string])[],
) {
  for (const [question, typed] of answers) {
    await terminal.shows(question);
    terminal.type(typed);
  }
  return terminal.ends();
}

/** The words of the command that a release ends with, as a shell reads them. */
export function sameIn(screen: string): string[] {
  const [, line = ""] = /The same without questions:\s+formflag ((?:.*\\\r?\n)*.*)/.exec(screen)!;
  const script = `printf '%s\\0' ${line.replaceAll("\r", "")}`;
  return Bun.spawnSync(["sh", "-c", script]).stdout.toString().split("\0").slice(0, -1);
}

export const WHO = {
  everyone: [["Who gets it?", "everyone\r"]],
  share: [
    ["Who gets it?", "share\r"],
    ["What share", "40 %\r"],
  ],
  segment: [
    ["Who gets it?", "segment\r"],
    ["Which segment?", "staff\r"],
  ],
  rule: [
    ["Who gets it?", "a rule\r"],
    ["Which users?", 'country in AT, DE and plan == "a b"\r'],
  ],
} as const;

export const HOW = {
  now: { answers: [["How?", "now\r"]], ask: "Release in production?" },
  at: {
    answers: [
      ["How?", "at a time\r"],
      ["When?", "2099-01-31 12:00\r"],
    ],
    ask: "Schedule in production?",
  },
  while: {
    answers: [
      ["How?", "while\r"],
      ["For how long?", "\r"],
    ],
    ask: "Release for 8 hours in production?",
  },
  steps: {
    answers: [
      ["How?", "step\r"],
      ["Which shares", "\r"],
      ["One step every?", "\r"],
    ],
    ask: "Start the steps in production?",
  },
  test: {
    answers: [
      ["How?", "experiment\r"],
      ["What is compared?", "another\r"],
      ["Which event?", "signup\r"],
      ["For how many days", "\r"],
    ],
    ask: "Start the experiment in production?",
  },
} as const;
