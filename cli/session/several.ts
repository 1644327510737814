import type { Session } from "./session.ts";
import { usage } from "./usage.ts";

/**
 * The names that a command was given, separated by spaces or commas, each once. Commander passes the arguments of a command
 * that takes any number as a list; a command that takes one name gets it as it is.
 */
export function namesIn(given: unknown): string[] {
  if (!Array.isArray(given)) return typeof given === "string" ? [given] : [];
  return [...new Set(given.flatMap((word) => String(word).split(",")).filter(Boolean))];
}

/** Returns if the person confirms the deletion of all, or `--yes` is given. Throws as `confirmDelete` does. */
export async function confirmAll(
  { config, canPrompt, confirm }: Session,
  kind: string,
  names: string[],
  more = "",
): Promise<void> {
  if (config.yes || config.propose !== undefined) return;
  const what = `${names.length} ${kind}s (${names.join(", ")})${more}`;
  if (!canPrompt())
    throw usage(`${what} would be deleted, and confirming needs a terminal`, "add --yes to delete them");
  await confirm(`Delete ${what}?`);
}

/**
 * Runs `act` on each item, and reports all in one: a list with `--json` if there are several. What was done before an
 * error is reported too.
 */
export async function eachOf<T>(
  session: Session,
  items: readonly T[],
  act: (session: Session, item: T) => Promise<void>,
): Promise<void> {
  const [first, ...others] = items;
  if (first !== undefined && others.length === 0) return act(session, first);
  const done: { value: unknown; text: string }[] = [];
  // The same for several of them is said once.
  const notes = new Map<string, { withJson: boolean } | undefined>();
  const gathering: Session = {
    ...session,
    note: (text, options) => void notes.set(text, options),
    report: async (value, text) => void done.push({ value, text }),
  };
  try {
    for (const item of items) await act(gathering, item);
  } finally {
    const text = done.map((each) => each.text).join("");
    if (done.length > 0)
      await session.report(
        done.map(({ value }) => value),
        text,
      );
    for (const [note, options] of notes) session.note(note, options);
  }
}

/** Throws `invalid` for a revision that is named for several resources: each has its own. */
export function requireOne(names: readonly string[], revision: number | undefined): void {
  if (revision !== undefined && names.length > 1)
    throw usage("--if-revision goes with one name", "repeat the command for each");
}
