import { basename, join } from "node:path";
import { recordEvent } from "../../../src/access/audit/audit.ts";
import type { Store } from "../../../src/app.ts";
import { clock } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { NAMES } from "../../../src/storage.ts";
import { NotCurrent } from "../../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { isBucketUrl } from "../../data/archive-names.ts";
import { RECORDED } from "../../data/backups.ts";
import type { Io } from "../../output/terminal.ts";
import { env } from "../../session/env.ts";
import { userName } from "../../session/user.ts";

type Recording = AsyncDisposable & { store: Pick<Store, "audit"> };

/** The store of a data directory, for one entry; null if its schema is an older one, which a backup leaves as it is. */
export function openUnmigrated(data: string): Recording | null {
  if (env[RECORDED] !== undefined) return null;
  try {
    const store = openSqliteStore(join(data, NAMES.database), "inline");
    return { store, [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    if (error instanceof NotCurrent || error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Records a backup in the audit log, unless the server that runs this command has. A reader of the data can copy it
 * anyway, so a disk that takes no entry is no reason to make no backup.
 */
export async function recordBackup(io: Io, output: string, into: Recording | null): Promise<void> {
  if (env[RECORDED] !== undefined || into === null) return;
  await using recording = into;
  const { store } = recording;
  const operator = { name: userName(), type: "operator" } as const;
  const to = output === "-" ? "standard output" : isBucketUrl(output) ? "bucket" : "file";
  try {
    await recordEvent({ store, now: () => clock.now() }, operator, {
      action: "backup.create",
      project: null,
      object: output === "-" ? null : basename(output),
      details: { to },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.note(`warning: this backup is not in the audit log: ${error.message}\n`);
  }
}
