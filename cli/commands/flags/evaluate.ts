import type { Command } from "commander";
import { Failed } from "../../exit.ts";
import type { Io } from "../../output/terminal.ts";
import { details } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { jsonObject } from "../../session/sources.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

type Evaluated = {
  key: string;
  value?: unknown;
  variant?: string;
  reason?: string;
  errorCode?: string;
  errorDetails?: string;
};

export function addEvaluateCommand(flags: Command, io: Io): void {
  flags
    .command("evaluate")
    .argument("[flag]", "slug of the flag, or <flag>.payload")
    .description("evaluate a flag for a context, and show why it has that value")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--context <json>", "the values that its rule uses: JSON, @FILE, or - for standard input", "{}")
    .addHelpText(
      "after",
      `
Exits 1 where the flag's rule cannot be used. A flag without a value leaves readers with their own default.

Examples:
  formflag flags evaluate new-checkout -p shop -e production
  formflag flags evaluate search -p shop -e production --context '{"targetingKey":"ann","email":"ann@example.com"}'
`,
    )
    .action(action(io, parse, run));
}

type Values = { place: Place; context: object };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  return { place, context: await contextOf(String(input.options["context"]), input) };
}

async function run({ client, print }: Session, { place, context }: Values): Promise<void> {
  const result = await client.call<Evaluated>("POST", `${urlOf(place)}/evaluate`, { context });
  await print(result, describe(result));
  if (result.errorCode !== undefined) throw new Failed();
}

/** The example in the hint uses a bare word as the targeting key. */
function contextOf(text: string, input: Input): Promise<object> {
  const key = /^[\w.@+-]+$/.test(text) ? text : "ann";
  // Numbers are rounded by an evaluation anyway.
  return jsonObject(text, "--context", JSON.stringify({ targetingKey: key }), input, { rounded: true });
}

function describe({ value, variant, reason, errorCode, errorDetails }: Evaluated): string {
  if (errorCode !== undefined)
    return details([
      ["error", errorCode],
      ["details", errorDetails ?? ""],
    ]);
  return details([
    ["value", value === undefined ? "none" : JSON.stringify(value)],
    ["variant", variant ?? "none"],
    ["reason", reason ?? ""],
  ]);
}
