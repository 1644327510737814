import { type Work, only, run } from "./work.ts";

/** The version of the setup, which grows with every change of it. */
export function* currentVersion(): Work<number> {
  const { version } = yield* only<{ version: number }>("SELECT version FROM setup_version");
  return version;
}

export function* setVersion(version: number): Work<void> {
  yield* run("UPDATE setup_version SET version = $version", { version });
}
