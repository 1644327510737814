import { readFileSync } from "node:fs";

/**
 * The name of the operating-system user who runs this command. `os.userInfo()` comes second: it uses `USER`, which
 * anyone can set, and takes a millisecond to load.
 */
export function userName(): string {
  const uid = process.getuid?.();
  const known = uid === undefined ? undefined : nameOfUser(uid);
  if (known !== undefined) return known;
  const { username } = process.getBuiltinModule("node:os").userInfo();
  return uid !== undefined && username === "unknown" ? `user ${uid}` : username;
}

/** The name of a user in /etc/passwd; undefined on systems that keep users elsewhere, such as macOS. */
export function nameOfUser(uid: number): string | undefined {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n");
    return lines.map((line) => line.split(":")).find((fields) => fields[2] === String(uid))?.[0];
  } catch {
    return undefined;
  }
}
