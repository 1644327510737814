import type { Author } from "../access/caller.ts";
import type { Setup, SetupChange } from "./setup.ts";

export type SetupStore = {
  /** As of one moment: these projects of those that exist, or all, and the forms where they are asked for. */
  read(projects: string[] | null, forms: boolean): Promise<Setup>;
  /**
   * Makes all of the changes or none; returns the blob keys of files of deleted forms. Throws `conflict` unless the
   * setup is still at that version.
   */
  apply(changes: SetupChange[], version: number, by: Author): Promise<string[]>;
};
