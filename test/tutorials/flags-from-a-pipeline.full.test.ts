import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { EXECUTABLE } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { isInNetwork, readPage } from "../support/tutorials/network.ts";
import { stepsOf } from "../support/tutorials/page.ts";
import { type Terminal, openTerminal } from "../support/tutorials/terminal.ts";
import { typePage } from "../support/tutorials/typist.ts";

const TITLE = "Flags from a pipeline";

/** A home with programs of its own: npm finds the packages of this repository, and no registry. */
function homeOfReader() {
  const home = tempDirectory();
  const [programs, modules] = [join(home, ".bin"), join(import.meta.dir, "../../node_modules")];
  mkdirSync(programs);
  writeFileSync(
    join(programs, "npm"),
    `#!/bin/sh\n[ "$1" = install ] && ln -s '${modules}' node_modules && ls node_modules/@openfeature/server-sdk > /dev/null\n`,
  );
  chmodSync(join(programs, "npm"), 0o755);
  symlinkSync(EXECUTABLE, join(programs, "formflag"));
  return { home, env: { HOME: home, USER: "ann", PATH: `${programs}:${process.env["PATH"]}` } };
}

if (isInNetwork(import.meta.path, TITLE, {})) {
  test(TITLE, async () => {
    const { home, env } = homeOfReader();
    const steps = stepsOf(readPage("tutorials/flags-from-a-pipeline.md"));
    const server = await openTerminal({ env, cwd: home });
    let second: Terminal | undefined;
    const differences = await typePage(steps, {
      terminalOf: async (step) =>
        step === steps[0] ? server : (second ??= await openTerminal({ env, cwd: join(home, "shop") })),
      stands: { "/home/ann": home },
      fails: ["formflag diff"],
    });
    expect(differences).toEqual([]);
    // What is typed for the pipeline is what the pipeline runs.
    const [workflow, typed] = ["flags.yml", "FORMFLAG_TOKEN="].map(
      (part) => steps.find((step) => ("name" in step ? step.name === part : step.text.includes(part)))!.text,
    );
    expect(typed).toContain(/- run: (.*)/.exec(workflow!)![1]);
  });
}
