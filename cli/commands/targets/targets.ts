import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addAddCommand } from "./add.ts";
import { addDeleteCommand } from "./delete.ts";
import { addDisableCommand, addEnableCommand } from "./enable.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addRotateCommand } from "./rotate.ts";
import { addTestCommand } from "./test.ts";

export function addTargetCommands(targets: Command, io: Io): void {
  targets.addHelpText(
    "after",
    `
A target is a webhook or a channel of a chat service. Every submission that is not spam is sent to each enabled
target of its form.

Examples:
  formflag targets add contact https://example.com/hooks/contact
  formflag targets list contact
  formflag targets test k3v9-x2mq-71bd
`,
  );
  addAddCommand(targets, io);
  addListCommand(targets, io);
  addGetCommand(targets, io);
  addEnableCommand(targets, io);
  addDisableCommand(targets, io);
  addTestCommand(targets, io);
  addRotateCommand(targets, io);
  addDeleteCommand(targets, io);
}
