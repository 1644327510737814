import type { Command } from "commander";
import type { SetResult } from "../../../src/base/result.ts";
import type { Segment } from "../../../src/flags/segment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, indentedJson, shorten, shown, table } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption, revisionOption } from "../../session/config.ts";
import { listAll } from "../../session/pages.ts";
import { type Session, action } from "../../session/session.ts";
import { ifRevision, jsonValue, usage } from "../../session/values.ts";
import { addHistoryCommand } from "../history.ts";

export function addSegmentCommands(segments: Command, io: Io): void {
  segments.addHelpText(
    "after",
    `\nExamples:
  formflag segments set staff -p shop -e production --rule '{"ends_with":[{"var":"email"},"@example.com"]}'
  formflag flags set search -p shop -e production --on --targeting '{"if":[{"$ref":"staff"},"on"]}'
  formflag segments list -p shop -e production
`,
  );

  segments
    .command("set")
    .argument("[name]", "name of the segment")
    .description("create a segment or give it another rule")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--rule <json>", "true or false for a context, in flagd's language: JSON, @FILE, or -")
    .addOption(revisionOption())
    .addHelpText(
      "after",
      `
Flags of the environment use it as {"$ref":"<name>"} in their rules.

Examples:
  formflag segments set staff -p shop -e production --rule '{"ends_with":[{"var":"email"},"@example.com"]}'
  formflag segments set beta -p shop -e production --rule @beta.json
`,
    )
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, "name");
        const { project, environment, url } = await placeOf(session, name);
        const { rule: text } = session.options as { rule?: string };
        if (text === undefined)
          throw usage("the rule is missing", "give it with --rule JSON or --rule @FILE");
        const rule = await jsonValue(text, "--rule", io);
        const segment = await session.client.call<Segment & { result: SetResult }>(
          "PUT",
          url,
          { rule },
          ifRevision(session.options),
        );
        await session.report(
          segment,
          shown`${segment.result} segment ${name} in ${project}/${environment}\n`,
        );
      }),
    );

  segments
    .command("get")
    .argument("[name]", "name of the segment")
    .description("show a segment")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(fieldOption())
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, "name");
        const { url } = await placeOf(session, name);
        const { value: segment, revision } = await session.client.callAt<Segment>("GET", url);
        const about = details([
          ["segment", segment.name],
          ["created", segment.createdAt],
          ["updated", segment.updatedAt],
          ["revision", String(revision)],
        ]);
        await session.print(segment, `${about}\nrule\n${indentedJson(segment.rule)}`);
      }),
    );

  segments
    .command("list")
    .alias("ls")
    .description("list the segments of an environment by name")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(fieldOption())
    .action(
      action(io, async (session) => {
        const project = await session.project();
        const environment = await session.environment(project);
        const all = await listSegments(session, project, environment);
        const rows = all.map(({ name, rule, updatedAt }) => [
          name,
          updatedAt,
          shorten(JSON.stringify(rule), 60),
        ]);
        await session.print(all, table(["SEGMENT", "UPDATED", "RULE"], rows));
        if (all.length === 0)
          session.suggest(
            shown`No segments yet. Next: formflag segments set <name> -p ${project} -e ${environment} --rule JSON`,
          );
      }),
    );

  segments
    .command("delete")
    .argument("[name]", "name of the segment")
    .description("delete a segment that no rule refers to any more")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(revisionOption())
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, "name");
        const { project, environment, url } = await placeOf(session, name);
        await session.client.call("GET", url);
        await session.confirmDelete("segment", name, ` of ${project}/${environment}`);
        await session.client.call("DELETE", url, undefined, ifRevision(session.options));
        await session.report(
          { name, result: "deleted" },
          shown`deleted segment ${name} of ${project}/${environment}\n`,
        );
      }),
    );

  addHistoryCommand(segments, io, "segment");
}

async function placeOf(session: Session, name: string) {
  const project = await session.project();
  const environment = await session.environment(project);
  return {
    project,
    environment,
    url: path`/projects/${project}/environments/${environment}/segments/${name}`,
  };
}

async function listSegments({ client }: Session, project: string, environment: string): Promise<Segment[]> {
  const url = path`/projects/${project}/environments/${environment}/segments`;
  return listAll<Segment>(client, url, "segments");
}
