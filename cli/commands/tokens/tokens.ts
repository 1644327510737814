import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { addListCommand } from "./list.ts";
import { addRevokeCommand } from "./revoke.ts";

export function addTokenCommands(tokens: Command, io: Io): void {
  tokens.addHelpText(
    "after",
    `\nExamples:
  formflag tokens create pipeline --scope flags:write -p shop --expires 90d
  formflag tokens list
  formflag tokens revoke pipeline
`,
  );
  addCreateCommand(tokens, io);
  addListCommand(tokens, io);
  addRevokeCommand(tokens, io);
}
