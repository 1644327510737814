/** Thrown for a file that is not of the format; nothing of it is imported. */
export class WrongFile extends Error {}

/** The environment of the file that is asked for, and the one that is imported into. */
export type Choice = { from: string | undefined; into: string };

/**
 * The environment to read of those that a file has: the one that is asked for, else the only one, else that with the name of
 * the environment that is imported into. Throws `WrongFile`, which names them.
 */
export function chosenEnvironment({ from, into }: Choice, names: readonly string[]): string {
  if (from !== undefined) {
    if (names.includes(from)) return from;
    throw new WrongFile(`the file has no environment ${from}: it has ${listed(names)}`);
  }
  if (names.length === 1) return names[0]!;
  if (names.includes(into)) return into;
  throw new WrongFile(`choose an environment of the file: it has ${listed(names)}`);
}

/** For a file of one environment, which may be asked for by its name alone. */
export function requireNone({ from }: Choice, name?: string): void {
  if (from !== undefined && from !== name)
    throw new WrongFile(
      name === undefined
        ? `the file does not name its environment: it cannot be asked for ${from}`
        : `the file has no environment ${from}: it has ${name}`,
    );
}

function listed(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, 20), names.length - 20];
  if (names.length === 0) return "none";
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
