import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addHistoryCommand } from "../change-history.ts";
import { addDeleteCommand } from "./delete.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addSetCommand } from "./set.ts";

export function addSegmentCommands(segments: Command, io: Io): void {
  segments.addHelpText(
    "after",
    `\nExamples:
  formflag segments set staff -p shop -e production --rule '{"ends_with":[{"var":"email"},"@example.com"]}'
  formflag flags set search -p shop -e production --on --targeting '{"if":[{"$ref":"staff"},"on"]}'
  formflag segments list -p shop -e production
`,
  );
  addSetCommand(segments, io);
  addGetCommand(segments, io);
  addListCommand(segments, io);
  addDeleteCommand(segments, io);
  addHistoryCommand(segments, io, "segment");
}
