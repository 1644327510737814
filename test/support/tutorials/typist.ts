import { type Step, isShown as isExactly } from "./page.ts";
import type { Answer, Terminal } from "./terminal.ts";

/** What a reader has at hand while typing a page. */
export type Desk = {
  /** The terminals that a block is for. */
  terminalsOf: (step: Step) => Terminal[] | Promise<Terminal[]>;
  /** Words of the page with what stands for them here. */
  stands?: Record<string, string>;
  /** What is typed into commands that ask, by a part of the command. */
  answers?: Record<string, Answer>;
  /** Parts of commands that fail, as the page says. */
  fails?: string[];
  /** Whether the page shows what was printed; without it, exactly that. */
  isShown?: (shown: string, printed: string) => boolean;
  /** What happens elsewhere after a block with this part, such as mail that arrives. */
  after?: Record<string, () => Promise<unknown>>;
};

/** What a page says, and what was seen instead. */
type Difference = { typed: string; shown: string | null; printed: string; failed: string[] };

const has = (text: string) => (part: string) => text.includes(part);

/** Types a page from its first block to its last. Returns where it printed something else than the page shows, or failed. */
export async function typePage(steps: Step[], desk: Desk): Promise<Difference[]> {
  const { stands = {}, answers = {}, fails = [], after = {}, isShown = isExactly } = desk;
  const here = (text: string) =>
    Object.entries(stands).reduce((all, [word, real]) => all.replaceAll(word, real), text);
  const onPage = (text: string) =>
    Object.entries(stands).reduce((all, [word, real]) => all.replaceAll(real, word), text);
  const differences: Difference[] = [];
  const read = async (step: Step, terminal: Terminal) => {
    if (step.kind === "file") terminal.saves(step.name, here(step.text));
    else await type(step, terminal);
    const next = Object.keys(after).find(has(step.text));
    if (next !== undefined) await after[next]!();
  };
  const type = async ({ text, shown }: Step & { kind: "commands" }, terminal: Terminal) => {
    const isServer = /^formflag serve\b/m.test(text);
    const answer = Object.keys(answers).find(has(text));
    const last = shown?.trim().split("\n").at(-1) ?? "listening on ";
    const { printed, failed } = isServer
      ? { printed: await terminal.starts(here(text), here(last)), failed: [] }
      : await terminal.types(here(text), answer === undefined ? undefined : answers[answer]);
    const wrong = failed.filter((command) => !fails.some(has(command)));
    const seen = onPage(printed);
    if (wrong.length > 0 || !isShown(shown ?? "", seen))
      differences.push({ typed: text, shown, printed: seen, failed: wrong });
  };
  for (const step of steps) {
    for (const terminal of await desk.terminalsOf(step)) await read(step, terminal);
  }
  return differences;
}
