/** Builds `dist/formflag`, the executable for this machine. */
import { mkdirSync } from "node:fs";

const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { stderr: "ignore" });
const hash = commit.success ? commit.stdout.toString().trim() : "unknown";

mkdirSync("dist", { recursive: true });
const build = Bun.spawnSync(
  [
    process.execPath,
    "build",
    "--compile",
    "--minify",
    "--sourcemap",
    "--bytecode",
    "--format=esm",
    // Without these the executable would run what a .env or bunfig.toml of the current directory says.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    "--define",
    `FORMFLAG_COMMIT=${JSON.stringify(hash)}`,
    "./cli/main.ts",
    "./src/store/sqlite/writer-thread.ts",
    "--outfile",
    "dist/formflag",
    // The thread stands beside the module that starts it, as in the source.
    "--entry-naming=[name].[ext]",
  ],
  { stdio: ["ignore", "inherit", "inherit"] },
);
process.exitCode = build.exitCode;
