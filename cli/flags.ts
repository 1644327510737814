import { Option, type Command } from "commander";
import type { Flag, SetResult } from "../src/flags.ts";
import { path } from "./client.ts";
import { environmentOption, projectOption, revisionOption } from "./config.ts";
import { fieldOption } from "./field.ts";
import { addEvaluateCommand } from "./flags/evaluate.ts";
import { rulesPatch, rulesSummary, withRules, type FlagDetail } from "./flags/rules.ts";
import { addFlagdCommands } from "./flags/flagd.ts";
import { addPromoteCommand } from "./flags/promote.ts";
import { addRollbackCommand } from "./flags/rollback.ts";
import { addScheduleCommands, schedule } from "./flags/schedule.ts";
import { addHistoryCommand } from "./history.ts";
import type { Io } from "./io.ts";
import { addRefsCommands } from "./flags/refs.ts";
import { addStaleCommand } from "./flags/stale.ts";
import { action } from "./session.ts";
import { details, indentedJson, shorten, shown, table } from "./text.ts";
import { expiryValue, ifRevision, jsonValue } from "./values.ts";

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
    .description("create or change a flag in an environment; what is not named stays as it is")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(new Option("--on", "turn it on").conflicts("off"))
    .addOption(new Option("--off", "turn it off").conflicts("on"))
    .option("--payload <json>", "data for readers: JSON, @FILE, or - for standard input")
    .option("--expires <time>", "off from then on: ISO 8601, a span such as 30d, or never")
    .option("--description <text>", "what it is for, in every environment")
    .option("--at <time>", "make the change then, of a flag that is there: ISO 8601, or a span such as 2h")
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
        const url = path`/projects/${project}/environments/${environment}/flags/${slug}`;
        const patch = {
          ...(await rulesPatch(session, url)),
          ...(on || off ? { enabled: on === true } : {}),
          ...(payload === undefined ? {} : { payload: await jsonValue(payload, "--payload", io) }),
          ...(expires === undefined ? {} : { expiredAt: expiryValue(expires, "--expires", Date.now()) }),
          ...(description === undefined ? {} : { description }),
        };
        if (at !== undefined) return schedule(session, { project, environment, flag: slug }, patch, at);
        const headers = ifRevision(session.options);
        type SetFlag = FlagDetail & { result: SetResult };
        const { value: flag, revision } = await session.client.callAt<SetFlag>("PATCH", url, patch, headers);
        const about = [stateOf(flag), rulesSummary(flag)].filter(Boolean).join(", ");
        // Whoever named a revision needs the next one.
        const end = "If-Match" in headers ? ` (revision ${revision})` : "";
        await session.report(
          flag,
          shown`${flag.result} ${slug} in ${project}/${environment}: ${about}${end}\n`,
        );
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
        const url = path`/projects/${project}/environments/${environment}/flags/${slug}`;
        const { value: flag, revision } = await session.client.callAt<FlagDetail>("GET", url);
        await session.print(flag, describeFlag(flag, revision));
      }),
    );

  flags
    .command("list")
    .alias("ls")
    .description("list the flags of an environment by name")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(fieldOption())
    .action(
      action(io, async (session) => {
        const project = await session.project();
        const environment = await session.environment(project);
        const url = path`/projects/${project}/environments/${environment}/flags`;
        const { flags: all } = await session.client.call<{ flags: FlagDetail[] }>("GET", url);
        const haveRules = all.some(({ variants }) => variants !== undefined);
        const rows = all.map((flag) => [
          flag.slug,
          stateOf(flag),
          ...(haveRules ? [rulesSummary(flag)] : []),
          shorten(payloadOf(flag), 40),
          flag.expiredAt ?? "never",
          shorten(flag.description, 50),
        ]);
        await session.print(
          all,
          table(
            ["FLAG", "STATE", ...(haveRules ? ["VARIANTS"] : []), "PAYLOAD", "EXPIRES", "DESCRIPTION"],
            rows,
          ),
        );
        if (all.length === 0) {
          session.suggest(
            shown`No flags yet. Next: formflag flags set <flag> -p ${project} -e ${environment} --on`,
          );
        }
      }),
    );

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

function stateOf(flag: Flag): string {
  if (flag.enabled) return "on";
  return flag.expiredAt !== null && Date.parse(flag.expiredAt) <= Date.now() ? "off, expired" : "off";
}

function payloadOf(flag: Flag): string {
  return JSON.stringify(flag.payload);
}
