import type { Command } from "commander";
import { Failed, type Io } from "../../output/terminal.ts";
import { details } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import { action } from "../../session/session.ts";
import { jsonObject } from "../../session/values.ts";

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
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        const environment = await session.environment(project);
        const context = await contextOf(String(session.options["context"]), io);
        const url = path`/projects/${project}/environments/${environment}/flags/${slug}/evaluate`;
        const result = await session.client.call<Evaluated>("POST", url, { context });
        await session.print(result, describe(result));
        if (result.errorCode !== undefined) throw new Failed();
      }),
    );
}

/** A bare word is taken for whom the flag is evaluated. */
function contextOf(text: string, io: Io): Promise<object> {
  const key = /^[\w.@+-]+$/.test(text) ? text : "ann";
  // Where flags are evaluated numbers are rounded too.
  return jsonObject(text, "--context", JSON.stringify({ targetingKey: key }), io, { rounded: true });
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
