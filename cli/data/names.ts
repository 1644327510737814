/** Names of the files and folders in a data directory. */
export const NAMES = {
  database: "formflag.db",
  uploads: "uploads",
  /** Held by a server while it runs. */
  serveLock: "serve.lock",
  /** Held by a backup or restore. */
  backupLock: "backup.lock",
  /** Held by a backup while no uploaded file may be removed. */
  holdLock: "hold.lock",
  /** A restore unpacks here. */
  unpacked: "restore.tmp",
  /** A backup copies the database here. */
  scratch: "backup.tmp",
  /** Says where the running server is reached. */
  serving: "serving.json",
  /** Says where the data has been moved to. */
  moved: "moved.json",
} as const;
