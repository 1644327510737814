import type { Command } from "commander";
import type { SetResult } from "../../../src/base/result.ts";
import type { Segment } from "../../../src/flags/segment.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { jsonValue } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addSetCommand(segments: Command, io: Io): void {
  segments
    .command("set")
    .argument("[name]", "name of the segment")
    .description("create a segment or give it another rule")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--rule <json>", "true or false for a context, in flagd's language: JSON, @FILE, or -")
    .addOption(revisionOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
Flags of the environment use it as {"$ref":"<name>"} in their rules.

Examples:
  formflag segments set staff -p shop -e production --rule '{"ends_with":[{"var":"email"},"@example.com"]}'
  formflag segments set beta -p shop -e production --rule @beta.json
`,
    )
    .action(action(io, parse, run));
}

type Values = { place: Place; rule: unknown; headers: Record<string, string> };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const { rule } = input.options as { rule?: string };
  if (rule === undefined) throw usage("the rule is missing", "give it with --rule JSON or --rule @FILE");
  return { place, rule: await jsonValue(rule, "--rule", input), headers: ifRevision(input.options) };
}

async function run({ client, report }: Session, { place, rule, headers }: Values): Promise<void> {
  const { project, environment, segment: name } = place;
  const segment = await client.call<Segment & { result: SetResult }>("PUT", urlOf(place), { rule }, headers);
  await report(segment, shown`${segment.result} segment ${name} in ${project}/${environment}\n`);
}
