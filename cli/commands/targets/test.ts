import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { Attempt } from "../../../src/delivery/attempt.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addTestCommand(targets: Command, io: Io): void {
  targets
    .command("test")
    .argument("[id]", "id of the target")
    .description("send a sample to a target and show how it was answered")
    .addHelpText(
      "after",
      `
The sample is sent as a submission would be, also to a disabled target, with the type submission.test. Nothing is
stored. The exit code is 0 if the answer was 2xx, and 6 otherwise.

Example:
  formflag targets test k3v9-x2mq-71bd
`,
    )
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, config, print, report }: Session, id: string): Promise<void> {
  const attempt = await client.call<Pick<Attempt, "code" | "error" | "outcome">>(
    "POST",
    path`/targets/${id}/test`,
  );
  const { code, error, outcome } = attempt;
  if (outcome === "delivered") {
    await report(attempt, shown`target ${id} accepted the sample: the answer was ${code ?? "empty"}\n`);
    return;
  }
  if (config.json) await print(attempt, "");
  throw new AppError(
    "unavailable",
    `target ${id} did not accept the sample: ${error ?? "no reason is known"}`,
    {
      hint: outcome === "gone" ? "a submission that is answered 410 disables the target" : undefined,
    },
  );
}
