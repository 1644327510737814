import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { runExecutable, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

/** Runs `serve` on new data, as another user if `uid` is given; it has to end by itself. */
async function refuse(args: string[], uid?: number) {
  const folder = tempDirectory();
  if (uid !== undefined) chownSync(folder, uid, uid);
  const data = join(folder, "data");
  const ids = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  const result = await runExecutable(["serve", "--data", data, "--listen", "127.0.0.1:0", ...args], {
    env: { HOME: folder },
    ...(uid !== undefined && { under: ["setpriv", ...ids] }),
  });
  return { ...result, isWritten: existsSync(data) };
}

describe("a server says before it writes anything", () => {
  test.each(["--backup-dir", "--audit-file"])("that the folder of %s is a file", async (option) => {
    const file = join(tempDirectory(), "file");
    writeFileSync(file, "");
    expect(await refuse([option, join(file, "more")])).toMatchObject({
      code: 2,
      stderr: `error: ${option}: ${file} is a file, and has to be a folder\nhint: name another folder\n`,
      isWritten: false,
    });
  });

  test.skipIf(process.geteuid?.() !== 0 || Bun.which("setpriv") === null)(
    "that a folder belongs to another user, and that a port is not for this one",
    async () => {
      const folder = tempDirectory();
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, "backups"));
      for (const [option, path, named] of [
        ["--backup-dir", join(folder, "backups"), join(folder, "backups")],
        ["--backup-dir", join(folder, "none/deep"), folder],
        ["--audit-file", join(folder, "audit.jsonl"), folder],
      ] as const) {
        const { code, stderr, isWritten } = await refuse([option, path], 65_534);
        expect([code, isWritten]).toEqual([4, false]);
        expect(stderr).toStartWith(
          `error: ${option}: this user may not write to ${named}, which belongs to root (EACCES)\nhint: `,
        );
      }
      const { code, stderr, isWritten } = await refuse(["--metrics-listen", "127.0.0.1:81"], 65_534);
      expect([code, isWritten]).toEqual([6, false]);
      expect(stderr).toContain("error: the address 127.0.0.1:81 may not be used\n");
    },
  );

  test("that the folder of backups is created, which may be a disk that is not mounted", async () => {
    const directory = join(tempDirectory(), "none", "backups");
    const server = await startServer(["--backup-dir", directory]);
    expect(server.stderr()).toContain(`the folder of backups ${directory} does not exist: it is created`);
  });
});
