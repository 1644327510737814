import { type Command, Option } from "commander";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, indentedJson, shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption, revisionOption } from "../../session/config.ts";
import { action } from "../../session/session.ts";
import { expiryValue, ifRevision, jsonValue } from "../../session/values.ts";
import { addHistoryCommand } from "../history.ts";
import { addEvaluateCommand } from "./evaluate.ts";
import { addFlagdCommands } from "./flagd.ts";
import { addListCommand } from "./list.ts";
import { findFlag, urlOf } from "./near-slug.ts";
import { addPromoteCommand } from "./promote.ts";
import { addRefsCommands } from "./refs.ts";
import { type SetFlag, reportFlag } from "./report.ts";
import { addRollbackCommand } from "./rollback.ts";
import { type FlagDetail, rulesPatch, withRules } from "./rules.ts";
import { addScheduleCommands, schedule } from "./schedule.ts";
import { addStaleCommand } from "./stale.ts";
import { payloadOf, stateOf } from "./state.ts";
import { addSwitchCommands } from "./switch.ts";

export function addFlagCommands(flags: Command, io: Io): void {
  flags.addHelpText(
    "after",
    `\nExamples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags get new-checkout -p shop -e production
  formflag flags list -p shop -e production
  formflag flags evaluate new-checkout -p shop -e production --context '{"targetingKey":"ann"}'
`,
  );

  withRules(flags.command("set"))
    .argument("[flag]", "slug of the flag")
    .description("create or change a flag in an environment; options that are not given change nothing")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(new Option("--on", "turn it on").conflicts("off"))
    .addOption(new Option("--off", "turn it off").conflicts("on"))
    .option("--payload <json>", "data for readers: JSON, @FILE, or - for standard input")
    .option("--expires <time>", "off from then on: ISO 8601, a span such as 30d, or never")
    .option("--description <text>", "what it is for, in every environment")
    .option(
      "--at <time>",
      "make the change at that time, on a flag that exists: ISO 8601, or a span such as 2h",
    )
    .addOption(revisionOption().conflicts("at"))
    .addHelpText(
      "after",
      `
A new flag is off, here and in the project's other environments, unless --on is given.

A flag with variants serves one of them by its rule, written in flagd's language (--targeting,
https://flagd.dev/reference/flag-definitions/) or with --if, --then and --rollout; without, or where
the rule names none, it serves its --default. On a plain flag these make variants on and off, in the
place of its payload. In --if, quotes make a number a text: 'plan == "5"'.

Examples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags set banner -p shop -e develop --on --payload '{"text":"Hello"}'
  formflag flags set banner -p shop -e develop --payload @banner.json
  formflag flags set sale -p shop -e production --on --expires 2027-01-31T23:00:00Z
  formflag flags set sale -p shop -e production --on --at 2027-01-31T12:00:00Z
  formflag flags set search -p shop -e production --on --rollout 25
  formflag flags set search -p shop -e production --if 'email ends_with @example.com' --then on --rollout 25
  formflag flags set color -p shop -e production --on --variants '{"red":"#f00","blue":"#00f"}' --default red
  formflag flags set color -p shop -e production --if 'version sem_ver >= 2.1.0' --then blue
  formflag flags set color -p shop -e production --targeting @rule.json
`,
    )
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        const environment = await session.environment(project);
        const { on, off, payload, expires, description, at } = session.options as SetOptions;
        const place = { project, environment, flag: slug };
        const url = urlOf(place);
        const patch = {
          ...(await rulesPatch(session, url)),
          ...(on || off ? { enabled: on === true } : {}),
          ...(payload === undefined ? {} : { payload: await jsonValue(payload, "--payload", io) }),
          ...(expires === undefined ? {} : { expiredAt: expiryValue(expires, "--expires", Date.now()) }),
          ...(description === undefined ? {} : { description }),
        };
        if (at !== undefined) return schedule(session, place, patch, at);
        const headers = ifRevision(session.options);
        const { value: flag, revision } = await session.client.callAt<SetFlag>("PATCH", url, patch, headers);
        // Whoever named a revision needs the next one.
        const end = "If-Match" in headers ? ` (revision ${revision})` : "";
        await reportFlag(session, place, flag, end);
      }),
    );

  flags
    .command("get")
    .argument("[flag]", "slug of the flag")
    .description("show a flag as its readers see it")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(fieldOption())
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        const environment = await session.environment(project);
        const { value: flag, revision } = await findFlag(session, { project, environment, flag: slug });
        await session.print(flag, describeFlag(flag, revision));
      }),
    );

  addListCommand(flags, io);
  addSwitchCommands(flags, io);

  flags
    .command("delete")
    .argument("[flag]", "slug of the flag")
    .description("delete a flag from every environment of its project")
    .addOption(projectOption())
    .addOption(revisionOption())
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        await session.confirmDelete("flag", slug, ` from every environment of project ${project}`);
        const url = path`/projects/${project}/flags/${slug}`;
        await session.client.call("DELETE", url, undefined, ifRevision(session.options));
        await session.report(
          { slug, result: "deleted" },
          shown`deleted flag ${slug} of project ${project}\n`,
        );
      }),
    );

  addStaleCommand(flags, io);
  addRefsCommands(flags, io);
  addEvaluateCommand(flags, io);
  addFlagdCommands(flags, io);
  addHistoryCommand(flags, io, "flag");
  addRollbackCommand(flags, io);
  addPromoteCommand(flags, io);
  addScheduleCommands(flags, io);
}

type SetOptions = {
  on?: true;
  off?: true;
  payload?: string;
  expires?: string;
  description?: string;
  at?: string;
};

function describeFlag(flag: FlagDetail, revision: number): string {
  const about = details([
    ["flag", flag.slug],
    ["state", stateOf(flag)],
    ...variantLines(flag),
    ["payload", payloadOf(flag)],
    ["expires", flag.expiredAt ?? "never"],
    ["description", flag.description],
    ["created", flag.createdAt],
    ["updated", flag.updatedAt],
    ["revision", String(revision)],
  ]);
  return flag.targeting ? `${about}\nrule\n${indentedJson(flag.targeting)}` : about;
}

/** One line a variant, with what the default is. */
function variantLines({ variants, defaultVariant, metadata }: FlagDetail): [name: string, value: string][] {
  if (variants === undefined) return [];
  const values = Object.entries(variants).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    ...values.map((value, index): [string, string] => [index === 0 ? "variants" : "", value]),
    ["default", defaultVariant ?? "none"],
    ...(metadata ? [["metadata", JSON.stringify(metadata)] as [string, string]] : []),
  ];
}
