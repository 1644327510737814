import type { Command } from "commander";
import { targets as operations } from "../../../src/operations/targets.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { durationValue, isUnset } from "../../session/values.ts";
import { whyOption } from "../../session/why.ts";
import { TARGET } from "./target-argument.ts";

export function addRotateCommand(targets: Command, io: Io): void {
  targets
    .command("rotate")
    .argument(...TARGET)
    .description("give a webhook a new secret and print it, which is shown only once")
    .option(
      "--overlap <time>",
      "how long the old secret is used too, 30d at most; none ends it at once",
      "24h",
    )
    .addOption(fieldOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
During the overlap, requests are signed with both secrets, so the receiver can change to the new one at any time. If a
secret has leaked, use --overlap none, which ends every older secret at once.

Examples:
  formflag targets rotate k3v9-x2mq-71bd
  formflag targets rotate k3v9-x2mq-71bd --overlap 7d
  formflag targets rotate k3v9-x2mq-71bd --overlap none
`,
    )
    .action(action(io, parseRotate, rotateSecret));
}

type Rotation = { id: string; overlap: number };

async function parseRotate(input: Input, given?: string): Promise<Rotation> {
  const id = await input.need(given, "id");
  const { overlap } = input.options as { overlap: string };
  return { id, overlap: isUnset(overlap) ? 0 : durationValue(overlap, "--overlap") };
}

async function rotateSecret({ client, print, suggest }: Session, { id, overlap }: Rotation): Promise<void> {
  const rotated = await client.call(operations.rotate, { names: { target: id }, body: { overlap } });
  await print(
    rotated,
    details([
      ["target", id],
      ["secret", rotated.secret],
    ]),
  );
  const old =
    overlap === 0 ? "The old secret has ended." : "The old secret signs too until the overlap ends.";
  suggest(`\nKeep the secret: it is not shown again. Give it to the receiver. ${old}`);
  suggest(shown`Next: formflag targets test ${id}`);
}
