import { describe, expect, test } from "bun:test";
import { INSTALLER, bootMachine } from "../support/systemd/machine.ts";
import { isInNetwork, readPage } from "../support/tutorials/network.ts";
import { masked, stepsOf } from "../support/tutorials/page.ts";
import { typePage } from "../support/tutorials/typist.ts";
import { createUser, openUserTerminal } from "../support/tutorials/user.ts";

/** Commands within sentences that are not typed beside a server: others of its kind, and those that need a mail server. */
const ELSEWHERE = /^formflag (?:demo|docs|mail|serve --)/;

/** The README with each command of a sentence in a block of its own. */
const README = readPage("../README.md").replaceAll(/`(formflag [^`]+)`/g, (all, command: string) =>
  ELSEWHERE.test(command) ? all : `\n\n\`\`\`sh\n${command}\n\`\`\`\n\n`,
);

if (isInNetwork(import.meta.path, "the README", {})) {
  const machine = await bootMachine();
  describe.skipIf(machine === null)("the README", () => {
    test("is typed by a user, from its release to its last command", async () => {
      const { must } = machine!;
      await createUser(machine!, "ann");
      const [server, second] = [
        await openUserTerminal(machine!, "ann"),
        await openUserTerminal(machine!, "ann"),
      ];
      const name = "formflag-0.1.0-linux-x64";
      const release = `cd /home/ann && mkdir ${name} && ln -s ${INSTALLER} ${name}/formflag &&
        tar -chf - ${name} | gzip -1 > ${name}.tar.gz && rm -r ${name} && sha256sum ${name}.tar.gz > SHA256SUMS`;
      await must("bash", "-c", release);
      const steps = stepsOf(README);
      const begin = steps.findIndex((step) => step.kind === "commands" && step.text === "formflag serve\n");
      const differences = await typePage(steps, {
        terminalsOf: (step) => [steps.indexOf(step) <= begin ? server : second],
        // There is no visitor yet.
        answers: { "experiments ship": { to: "(y or n)", typed: "y\r" } },
        isShown: (shown, printed) => masked(printed).includes(masked(shown)),
      });
      expect(differences).toEqual([]);
      expect(steps.length).toBeGreaterThan(12);
    });
  });
}
