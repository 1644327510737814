/** Thrown for a file that is not of the format; nothing of it is imported. */
export class WrongFile extends Error {}

/** The requested environment of the file, and the environment to import into. */
export type Choice = { from: string | undefined; into: string };

/**
 * Chooses the environment of a file: the requested one, or the only one, or the one with the name of the environment to
 * import into. Throws `WrongFile`, which lists those in the file.
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

/** Checks the choice for a file with one environment, which can be requested only by its name. Throws `WrongFile`. */
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
