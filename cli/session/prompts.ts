import { clock } from "../../src/base/clock.ts";
import type * as Prompts from "@clack/prompts";
import { AppError } from "../../src/base/errors.ts";
import { yieldToEventLoop } from "../../src/base/event-loop.ts";
import { Cancelled } from "../exit.ts";
import { usableWidth } from "../output/terminal.ts";
import { printable } from "../output/text.ts";

/** Prompts for a text until `check` returns undefined instead of a message. Enter alone stands for `usual`. */
export async function promptText(
  message: string,
  check: (text: string) => string | undefined,
  usual = "",
): Promise<string> {
  return promptFor(({ text }) =>
    text({
      message: printable(message),
      placeholder: usual,
      defaultValue: usual,
      validate: (value) => check(value?.trim() || usual),
    }),
  );
}

/** Prompts for a text that is not shown as it is typed. */
export async function promptSecret(message: string): Promise<string> {
  return promptFor(({ password }) => password({ message: printable(message) }));
}

/** Whether a person types `y` or `yes`; Enter alone, `n` and `no` are a no. */
export function promptConfirm(question: string): Promise<boolean> {
  return promptDecision(`${question} (y or n)`, "Type y and Enter to go on, or Enter to leave it", (text) =>
    YES.test(text),
  );
}

/** Whether a person types the name of the thing to delete; Enter alone is a no, and so are `n` and `no` for any other name. */
export function promptName(question: string, name: string): Promise<boolean> {
  const wanted = `Type ${name}`;
  return promptDecision(
    `${question} ${wanted} to confirm.`,
    `${wanted}, or Enter to leave it`,
    (text) => text === name,
  );
}

const YES = /^y(es)?$/i;
const NO = /^(no?)?$/i;

/** Asks until an answer is a yes, or else a no. A wrong answer is asked for again in an empty field, so that Enter leaves it. */
async function promptDecision(
  question: string,
  again: string,
  isYes: (text: string) => boolean,
): Promise<boolean> {
  for (let message = question; ; message = again) {
    const answer = (await promptText(message, () => undefined)).trim();
    if (isYes(answer)) return true;
    if (NO.test(answer)) return false;
  }
}

/** A choice, with a label if that is more than its value. */
export type Choice = string | { value: string; label: string };

/** Prompts for one of the choices, by typing or with the arrow keys; Enter alone chooses none. */
export function promptChoice(message: string, choices: readonly Choice[]): Promise<string> {
  if (choices.length === 0) throw new AppError("not_found", `${message} There is none yet.`);
  const nothing = { value: "", label: "type a name, or choose with the arrow keys" };
  const all = choices.map((each) => (typeof each === "string" ? { value: each, label: each } : each));
  return promptOption(message, [nothing, ...all]);
}

/** As {@link promptChoice}, for what a later question asks to confirm: Enter alone chooses the first. */
export function promptOption(
  message: string,
  choices: readonly { value: string; label: string }[],
): Promise<string> {
  const options = choices.map(({ value, label }) => ({ value, label: printable(label) }));
  return promptFor(({ autocomplete }) =>
    autocomplete({
      message,
      options,
      filter: (typed, { value, label = "" }) =>
        typed === "" || (value !== "" && label.toLowerCase().includes(typed.toLowerCase())),
      validate: (value) => (value ? undefined : "Choose with the arrow keys, or type a name"),
    }),
  );
}

/** Prompts once the terminal is quiet, so that what was typed or pasted before is not taken for the answer. */
async function promptFor(prompt: (prompts: typeof Prompts) => Promise<string | symbol>): Promise<string> {
  const prompts = await import("@clack/prompts");
  prompts.updateSettings({ aliases: { [END_OF_INPUT]: "cancel" } });
  // The library wraps at the width that is stored here, also at one of 0 columns.
  process.stdout.columns = usableWidth(process.stdout.columns);
  await discardInput();
  const answer = await prompt(prompts);
  if (typeof answer !== "string") throw new Cancelled();
  return answer;
}

/** Ctrl-D, which ends a question as Ctrl-C does. */
const END_OF_INPUT = "\x04";

/** How long a terminal has to be quiet before a prompt, and how long to wait for that, in milliseconds. */
const QUIET = 50;
const PATIENCE = 2000;

const INTERRUPT = 3;

/** Reads and drops the pending input of a terminal. Throws `Cancelled` if it contains Ctrl-C. */
async function discardInput(): Promise<void> {
  const { stdin } = process;
  let isQuiet: boolean;
  let isInterrupted = false;
  const drop = (bytes: Buffer) => {
    isQuiet = false;
    isInterrupted ||= bytes.includes(INTERRUPT);
  };
  // Raw mode, because a terminal holds back an unfinished line otherwise.
  stdin.setRawMode(true);
  stdin.on("data", drop);
  const end = clock.steady() + PATIENCE;
  do {
    isQuiet = true;
    await clock.sleep(QUIET);
    // On a busy machine the timer may be over before bytes that have long arrived were read.
    await yieldToEventLoop();
  } while (!isQuiet && clock.steady() < end);
  stdin.off("data", drop);
  if (!isInterrupted) return;
  stdin.setRawMode(false);
  throw new Cancelled();
}
