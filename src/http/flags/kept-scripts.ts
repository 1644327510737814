import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The name for good of a script of pages: the first 16 hex digits of its SHA-256 are in it. */
export function scriptName(text: string): string {
  return `flags.${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)}.js`;
}

/** The folder of the scripts that releases have answered with, each under its name with `.txt`, which no formatter touches. */
export const KEPT_SCRIPTS = join(import.meta.dir, "kept");

/** These scripts by their names. It is a macro, which puts them in the place of its call: https://bun.com/docs/bundler/macros */
export function readKeptScripts(): Record<string, string> {
  const scripts = readdirSync(KEPT_SCRIPTS).map((file): [string, string] => {
    const text = readFileSync(join(KEPT_SCRIPTS, file), "utf8");
    const name = scriptName(text);
    if (file !== `${name}.txt`) throw new Error(`${join(KEPT_SCRIPTS, file)} has other bytes than it had`);
    return [name, text];
  });
  return Object.fromEntries(scripts);
}
