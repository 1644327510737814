import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addRetryCommand } from "./retry.ts";

export function addDeliveryCommands(deliveries: Command, io: Io): void {
  deliveries.addHelpText(
    "after",
    `
Each submission is sent to the targets of its form and to the addresses that it notifies. A delivery is queued,
delivered, failed after its last attempt, or cancelled because its target is disabled or was deleted.

Examples:
  formflag deliveries list --form contact
  formflag deliveries list --status failed
  formflag deliveries retry --failed --form contact
`,
  );
  addListCommand(deliveries, io);
  addGetCommand(deliveries, io);
  addRetryCommand(deliveries, io);
}
