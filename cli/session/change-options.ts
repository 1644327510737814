import { Option } from "commander";
import { readWhy } from "../../src/access/why.ts";
import { AppError } from "../../src/base/errors.ts";
import { countValue } from "./values.ts";

export function revisionOption(): Option {
  return new Option("--if-revision <n>", "only if it is at this revision; 0 if it does not exist yet");
}

/** The revision of `--if-revision`; undefined without. Throws `invalid`. */
export function ifRevision({ ifRevision: text }: { ifRevision?: string }): number | undefined {
  return text === undefined ? undefined : countValue(text, "--if-revision");
}

/** How often a change is tried while others change the same resource. */
const MAX_TRIES = 5;

/**
 * Runs `change`, which reads a resource and changes it at the revision that it read. Tries up to 5 times if another
 * caller changes it in between, unless the caller named the revision.
 */
export async function changeAtRevision<T>(isNamed: boolean, change: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change();
    } catch (error) {
      const isOutdated = error instanceof AppError && error.reason === "revision-differs";
      if (!isOutdated || isNamed || tries === MAX_TRIES) throw error;
    }
  }
}

export function whyOption(): Option {
  return new Option("--why <text>", "why, for the history");
}

/** The reason of `--why`; undefined without. Throws `invalid`. */
export function whyOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : readWhy(text);
}
