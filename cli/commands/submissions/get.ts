import type { Command } from "commander";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import type { Io } from "../../output/terminal.ts";
import { addGet, named } from "../verbs.ts";
import { describeSubmission } from "./describe.ts";

export function addGetCommand(submissions: Command, io: Io): void {
  addGet(submissions, io, {
    argument: ["[id]", "id of the submission"],
    description: "show a submission",
    parse: named("id"),
    operation: operations.get,
    names: (id) => ({ id }),
    describe: describeSubmission,
  });
}
