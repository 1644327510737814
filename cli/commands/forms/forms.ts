import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { type Load, loadVerbs } from "../load-verbs.ts";

const VERBS: [names: string, load: Load][] = [
  ["create", async () => (await import("./create.ts")).addCreateCommand],
  ["set uploads enable disable", async () => (await import("./set.ts")).addSetCommands],
  ["list", async () => (await import("./read.ts")).addListCommand],
  ["get", async () => (await import("./read.ts")).addGetCommand],
  ["move", async () => (await import("./move.ts")).addMoveCommand],
  ["snippet", async () => (await import("./snippet.ts")).addSnippetCommand],
  ["test", async () => (await import("./test.ts")).addTestCommand],
  [
    "history",
    async () => {
      const { addHistoryCommand } = await import("../change-history.ts");
      return (forms, io) => addHistoryCommand(forms, io, "form");
    },
  ],
  ["delete", async () => (await import("./delete.ts")).addDeleteCommand],
];

export async function addFormCommands(forms: Command, io: Io, args: readonly string[]): Promise<void> {
  forms.addHelpText(
    "after",
    `\nExamples:
  formflag forms create contact
  formflag forms uploads contact on
  formflag forms set contact --success-url https://example.com/thanks
`,
  );
  await loadVerbs(forms, io, args, VERBS);
}
