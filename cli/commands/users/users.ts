import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { addDeleteCommand } from "./delete.ts";
import { addGetCommand } from "./get.ts";
import { addLinkCommand } from "./link.ts";
import { addListCommand } from "./list.ts";
import { addSetCommand } from "./set.ts";

export function addUserCommands(users: Command, io: Io): void {
  users.addHelpText(
    "after",
    `
Roles, each with what it may do:
  viewer    read everything
  inbox     read and change forms and submissions
  editor    the same, and read and change flags
  releaser  the same, and change flags in locked environments
  admin     everything, also users and tokens

Examples:
  formflag users link
  formflag users create ann --role editor
  formflag users link ann
`,
  );
  addCreateCommand(users, io);
  addListCommand(users, io);
  addGetCommand(users, io);
  addSetCommand(users, io);
  addDeleteCommand(users, io);
  addLinkCommand(users, io);
}
