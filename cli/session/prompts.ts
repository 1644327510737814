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

/** Whether a person types `y` or `yes`; Enter alone is a no. */
export async function promptConfirm(question: string): Promise<boolean> {
  const answer = await promptText(`${question} (y or n)`, (text) =>
    /^(y|yes|n|no|)$/i.test(text) ? undefined : "Type y and Enter to go on, or Enter to leave it",
  );
  return /^y/i.test(answer.trim());
}

/** Whether a person types the name of the thing to delete; Enter alone is a no. */
export async function promptName(question: string, name: string): Promise<boolean> {
  const answer = await promptText(`${question} Type ${name} to confirm.`, (text) =>
    text === name || text === "" ? undefined : `Type ${printable(name)}, or Enter to leave it`,
  );
  return answer.trim() === name;
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
  // The library wraps at the width that is stored here, also at one of 0 columns.
  process.stdout.columns = usableWidth(process.stdout.columns);
  await discardInput();
  const answer = await prompt(prompts);
  if (typeof answer !== "string") throw new Cancelled();
  return answer;
}

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
