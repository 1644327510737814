import type { Command } from "commander";
import { SUBMISSION_ID } from "../../../src/base/ids.ts";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";

export function addRetryCommand(deliveries: Command, io: Io): void {
  deliveries
    .command("retry")
    .argument("[delivery...]", "ids of deliveries")
    .description("send deliveries again, or now instead of at their next attempt")
    .option("--failed", "all that have failed")
    .option("--form <form>", "with --failed: only those of a form, by its slug or key")
    .addHelpText(
      "after",
      `
The server sends them at once, with all attempts before them. What would go to a disabled target is cancelled again.

Examples:
  formflag deliveries retry 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag deliveries retry --failed --form contact
`,
    )
    .action(action(io, parse, run));
}

type Values = { ids: string[] } | { failed: true; form: string | undefined };

function parse(input: Input, given?: string): Values {
  // A variadic argument arrives as an array.
  const ids = (given as unknown as string[] | undefined) ?? [];
  const { failed, form } = input.options as { failed?: true; form?: string };
  if (failed && ids.length > 0) throw usage("--failed and the ids of deliveries exclude each other");
  if (form !== undefined && !failed) throw usage("--form goes with --failed");
  if (failed) return { failed, form };
  if (ids.length === 0) throw usage("name deliveries, or add --failed for all that have failed");
  const wrong = ids.find((id) => !SUBMISSION_ID.test(id.toLowerCase()));
  if (wrong !== undefined) throw usage(`${wrong} is not the id of a delivery`);
  if (ids.length > MAX_PAGE) throw usage(`at most ${MAX_PAGE} deliveries at a time`);
  return { ids };
}

async function run({ client, print }: Session, values: Values): Promise<void> {
  const result = await client.call<{ queued: number }>("POST", "/deliveries/retry", values);
  const { queued } = result;
  await print(result, `queued ${queued} ${queued === 1 ? "delivery" : "deliveries"}\n`);
}
