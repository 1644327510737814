import type { Look } from "../../base/changes.ts";
import { only, run, type Work } from "./work.ts";

/** The version of the setup, and the one of tokens and users. */
export function readLook(): Work<Look> {
  return only<Look>("SELECT version, access FROM setup_version");
}

/** The version of the setup, which grows with every change of it. */
export function* currentVersion(): Work<number> {
  const { version } = yield* readLook();
  return version;
}

/** Sets the version of the setup. With `raisesAccess`, the one of tokens and users grows too. */
export function* setVersion(version: number, raisesAccess: boolean): Work<void> {
  const raised = raisesAccess ? 1 : 0;
  yield* run("UPDATE setup_version SET version = $version, access = access + $raised", { version, raised });
}
