import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE } from "../executable.ts";
import { tempDirectory } from "../temp.ts";
import type { Step } from "./page.ts";
import { type Terminal, openTerminal } from "./terminal.ts";
import type { Desk } from "./typist.ts";

/** As npm, except that it finds packages in this repository, and asks no registry. */
const NPM = `#!/bin/sh
[ "$1" = install ] && ln -s '${join(import.meta.dir, "../../../node_modules")}' node_modules || exit 1
shift
for package; do ls -d "node_modules/$(echo "$package" | sed 's/\\(.\\)@.*/\\1/')" > /dev/null || exit 1; done
`;

/** The terminal of a reader beside a server with this data, and all that it has printed. */
export async function openReader(data: string, more: Record<string, string> = {}) {
  const home = tempDirectory();
  const env = { HOME: home, PATH: pathOf(home), FORMFLAG_DATA: data, ...more };
  const terminal = await openTerminal({ env, cwd: home });
  const reader = { home, printed: "" };
  const types: typeof terminal.types = async (...given) => {
    const result = await terminal.types(...given);
    reader.printed += result.printed;
    return result;
  };
  return Object.assign(reader, { terminal: { ...terminal, types } });
}

/** The path of a reader, with a folder of the home that has the executable. */
function pathOf(home: string): string {
  const programs = join(home, ".bin");
  mkdirSync(programs);
  symlinkSync(EXECUTABLE, join(programs, "formflag"));
  return `${programs}:${process.env["PATH"]}`;
}

/** The home of a reader whose first block starts a server in a folder, beside which the others are typed. */
export async function deskBesideServer([first]: Step[], folder: string): Promise<Desk> {
  const home = tempDirectory();
  const env = { HOME: home, USER: "ann", PATH: pathOf(home) };
  const npm = join(home, ".bin", "npm");
  writeFileSync(npm, NPM);
  chmodSync(npm, 0o755);
  const server = await openTerminal({ env, cwd: home });
  let second: Terminal | undefined;
  return {
    terminalsOf: async (step) => [
      step === first ? server : (second ??= await openTerminal({ env, cwd: join(home, folder) })),
    ],
    stands: { "/home/ann": home },
  };
}
