import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { need } from "./needs.ts";
import { tempDirectory } from "./temp.ts";

/** The package `@formflag/openfeature` as it is published, in folders outside of this repository. */

const ROOT = join(import.meta.dir, "../..");

/** Makes the file of the package. */
export function packageFile(): string {
  const out = tempDirectory();
  run([process.execPath, "scripts/release.ts", "--package", "openfeature", "--out", out], ROOT);
  return join(out, readdirSync(out)[0]!);
}

/** Runs a command to its end. Throws with what it printed if it fails. */
export function run(command: string[], cwd: string, env: Record<string, string> = {}): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd, env: { ...process.env, ...env } });
  if (!success) throw new Error(`${command.join(" ")} failed:\n${stdout.toString()}\n${stderr.toString()}`);
  return stdout.toString();
}

/**
 * A copy of a folder of docs/recipes, with the packages that its package.json names; null if npm cannot install them. Those
 * that this repository uses too come from npm's cache.
 */
export function installRecipe(name: string, packed: string): string | null {
  const folder = tempDirectory();
  cpSync(join(ROOT, "docs/recipes", name), folder, { recursive: true });
  const file = join(folder, "package.json");
  type Manifest = { dependencies: Record<string, string> };
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  manifest.dependencies["@formflag/openfeature"] = `file:${packed}`;
  writeFileSync(file, JSON.stringify(manifest));
  const { success, stderr } = Bun.spawnSync(
    ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: folder },
  );
  const [why] = stderr.toString().trim().split("\n");
  return need(success, `the recipe ${name}: npm cannot install its packages (${why})`) ? folder : null;
}
