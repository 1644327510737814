import { version } from "../package.json";

/** Set by `scripts/build.ts`. */
declare const FORMFLAG_COMMIT: string | undefined;

/** As the others, by `npm run release`. */
declare const FORMFLAG_RELEASE: { key: string; download: string; platform: string } | undefined;

export const VERSION: string = version;
export const COMMIT: string = typeof FORMFLAG_COMMIT === "string" ? FORMFLAG_COMMIT : "unbuilt";

/** The text of `--version`. */
export const ABOUT = `formflag ${VERSION} (commit ${COMMIT}, Bun ${Bun.version})`;

/** The release that this executable is of: its public key in PEM, the address of its files, its platform; empty in one of no release. */
export const RELEASE =
  typeof FORMFLAG_RELEASE === "object" ? FORMFLAG_RELEASE : { key: "", download: "", platform: "" };
