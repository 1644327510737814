import { isatty } from "node:tty";
import { AppError } from "../src/errors.ts";

/** The world of a command: its streams, and a person where there is one. */
export type Io = {
  /** Fulfils once the reader has taken it, so that a pipe is neither flooded nor cut. */
  out(text: string | Uint8Array): Promise<void>;
  err(text: string): void;
  readStdin(): Promise<string>;
  outIsTerminal: boolean;
  errIsTerminal: boolean;
  /** Whether somebody can be asked. */
  isInteractive: boolean;
};

/**
 * The streams of this process. `process.stdout` and `process.stdin` are left alone, because setting them up takes
 * three times as long as the rest of a command's start: `npm run bench -- start`.
 */
export function processIo(env: Record<string, string | undefined>): Io {
  return {
    async out(text) {
      try {
        await Bun.write(Bun.stdout, text);
      } catch (error) {
        // The reader has what it wanted, as `head` does: nothing went wrong.
        if (error instanceof Error && "code" in error && error.code === "EPIPE") process.exit(0);
        throw error;
      }
    },
    err: (text) => void process.stderr.write(text),
    readStdin: () => Bun.stdin.text(),
    outIsTerminal: isatty(1),
    errIsTerminal: isatty(2),
    isInteractive: isatty(0) && isatty(1) && !env["CI"],
  };
}

/** Raised where a person breaks off at a prompt: exit code 130. */
export class Cancelled extends Error {}

/** Asks for a text that `check` finds right; `check` returns what is wrong. */
export async function askText(message: string, check: (text: string) => string | undefined): Promise<string> {
  const { text, isCancel } = await import("@clack/prompts");
  const answer = await text({ message, validate: (value) => check(value ?? "") });
  if (isCancel(answer)) throw new Cancelled();
  return answer;
}

export async function askConfirm(message: string): Promise<boolean> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message, initialValue: false });
  if (isCancel(answer)) throw new Cancelled();
  return answer;
}

export async function askChoice(message: string, choices: string[]): Promise<string> {
  if (choices.length === 0) throw new AppError("not_found", `${message} There is none yet.`);
  const { select, isCancel } = await import("@clack/prompts");
  const answer = await select({ message, options: choices.map((value) => ({ value, label: value })) });
  if (isCancel(answer)) throw new Cancelled();
  return answer;
}
