import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROFILE } from "./executable.ts";

/**
 * npm run profile: notes which functions `dist/formflag` uses when it starts, for the order in which the next builds store
 * byte code. What is used then stands together, so that fewer pages of the file are read and kept in memory. A profile of
 * an older version still serves, less well; it is committed, so that a release can be built again byte for byte.
 */

const EXECUTABLE = join(import.meta.dir, "../dist/formflag");

const folder = mkdtempSync(join(tmpdir(), "formflag-profile-"));
try {
  const out = join(folder, "order");
  const start = (...args: string[]) =>
    Bun.spawn([EXECUTABLE, ...args, "--data", join(folder, "data")], {
      env: { ...process.env, BUN_BYTECODE_ORDER_OUT: out },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const used = async (...args: string[]) => {
    const child = start(...args);
    if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
    return (await Bun.file(out).text()).split("\n");
  };
  const place = ["-p", "shop", "-e", "production"];
  await used("projects", "create", "shop");
  await used("flags", "create", "banner", "-p", "shop");
  const server = start("serve", "--listen", "127.0.0.1:0");
  await Bun.sleep(3000);
  server.kill("SIGTERM");
  await server.exited;
  // The most common way of starting it comes first.
  const runs = [
    (await Bun.file(out).text()).split("\n"),
    await used("flags", "set", "banner", "--on", ...place),
    await used("flags", "get", "banner", ...place),
    await used("flags", "list", ...place),
    await used("--version"),
  ];
  const lines = new Set(runs.flat());
  // Functions (F) and modules (M) of any run, and modules that none has loaded (N). The rest names what was not used.
  const kept = [...lines].filter(
    (line) => /^[FM] /.test(line) || (line.startsWith("N ") && !lines.has(`M${line.slice(1)}`)),
  );
  await Bun.write(PROFILE, ["v2", ...kept, ""].join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
