import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError, systemCode } from "../../../src/base/errors.ts";

/** Replaces a file that only this user reads. Throws `unavailable` if it cannot be written. */
export function writeOwn(file: string, text: string): void {
  const partial = `${file}.${process.pid}.part`;
  const folder = dirname(file);
  try {
    const owner = statSync(thereOf(folder));
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    // With sudo, the home may be that of the user who typed it, for whom files of root would be closed.
    const isForeign = process.geteuid?.() === 0 && owner.uid !== 0;
    const first = isForeign ? (made?.length ?? Infinity) : Infinity;
    for (let each = folder; each.length >= first; each = dirname(each))
      lchownSync(each, owner.uid, owner.gid);
    const handle = openSync(partial, "wx", 0o600);
    try {
      writeFileSync(handle, text);
      fchmodSync(handle, 0o600);
      if (isForeign) fchownSync(handle, owner.uid, owner.gid);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(partial, file);
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new AppError("unavailable", `the file ${file} cannot be written: ${systemCode(cause)}`, {
      hint: "its folder has to belong to you: XDG_CONFIG_HOME names another, and sudo -H takes that of the other user",
      cause,
    });
  }
}

/** The folder, or the nearest above it that is there. */
function thereOf(folder: string): string {
  return existsSync(folder) ? folder : thereOf(dirname(folder));
}
