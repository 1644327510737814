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

/** The home of a reader whose first block starts a server in a folder, beside which the others are typed. */
export async function deskBesideServer([first]: Step[], folder: string): Promise<Desk> {
  const home = tempDirectory();
  const programs = join(home, ".bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "npm"), NPM);
  chmodSync(join(programs, "npm"), 0o755);
  symlinkSync(EXECUTABLE, join(programs, "formflag"));
  const env = { HOME: home, USER: "ann", PATH: `${programs}:${process.env["PATH"]}` };
  const server = await openTerminal({ env, cwd: home });
  let second: Terminal | undefined;
  return {
    terminalsOf: async (step) => [
      step === first ? server : (second ??= await openTerminal({ env, cwd: join(home, folder) })),
    ],
    stands: { "/home/ann": home },
  };
}
