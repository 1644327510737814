import { readFileSync } from "node:fs";

/**
 * The name of the operating-system user who runs this command. `os.userInfo()` comes second: it uses `USER`, which
 * anybody can set.
 */
export function userName(): string {
  const uid = process.getuid?.();
  const { username } = process.getBuiltinModule("node:os").userInfo();
  if (uid === undefined) return username;
  return nameOfUser(uid) ?? (username === "unknown" ? `user ${uid}` : username);
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
