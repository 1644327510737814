import { version } from "../package.json";

/** Set by `scripts/build.ts`. */
declare const FORMFLAG_COMMIT: string | undefined;

export const VERSION: string = version;
export const COMMIT: string = typeof FORMFLAG_COMMIT === "string" ? FORMFLAG_COMMIT : "unbuilt";
