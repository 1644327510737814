import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { addDeleteCommand } from "./delete.ts";
import { addDisableCommand, addEnableCommand } from "./enable.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addSetCommand } from "./set.ts";
import { addSnippetCommand } from "./snippet.ts";
import { addTestCommand } from "./test.ts";
import { addUploadsCommand } from "./uploads.ts";

export function addFormCommands(forms: Command, io: Io): void {
  forms.addHelpText(
    "after",
    `\nExamples:
  formflag forms create contact
  formflag forms uploads contact on
  formflag forms set contact --success-url https://example.com/thanks
`,
  );
  addCreateCommand(forms, io);
  addSetCommand(forms, io);
  addUploadsCommand(forms, io);
  addEnableCommand(forms, io);
  addDisableCommand(forms, io);
  addListCommand(forms, io);
  addGetCommand(forms, io);
  addSnippetCommand(forms, io);
  addTestCommand(forms, io);
  addDeleteCommand(forms, io);
}
