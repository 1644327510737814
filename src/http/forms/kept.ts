import type { AppError } from "../../base/errors.ts";

/** What could be read of a submission that is refused, so that a page can show it again. */
export type Kept = {
  /** The fields by name, with or without control fields. */
  fields: () => Record<string, unknown>;
  /** The fields that files came in, with the error of each file that was refused itself. */
  files: { field: string; error: AppError | null }[];
};

/** Before anything is read. */
export function keepNothing(): Kept {
  return { fields: () => ({}), files: [] };
}
