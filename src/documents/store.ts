import type { ChangeStore } from "../access/door.ts";
import type { Versioned } from "../base/changes.ts";
import type { FlagsStore } from "../flags/store.ts";
import type { FormsApp, FormsStore } from "../forms/store.ts";
import type { ProjectsStore } from "../projects/store.ts";
import type { Setup, SetupChange } from "./setup.ts";

type SetupStore = {
  /** Reads at one moment the projects of these slugs, or all for null, and with `forms` every form. Missing projects are left out. */
  read(projects: string[] | null, forms: boolean): Promise<Setup>;
};

/** The part of the app that plans and applies documents. */
export type DocumentsApp = Omit<FormsApp, "store"> & {
  store: Versioned &
    ProjectsStore &
    FlagsStore &
    FormsStore & { setup: SetupStore } & ChangeStore<SetupChange>;
};
