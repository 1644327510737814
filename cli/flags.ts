import { Option, type Command } from "commander";
import type { Flag, SetResult } from "../src/flags.ts";
import { path } from "./client.ts";
import { environmentOption, projectOption } from "./config.ts";
import type { Io } from "./io.ts";
import { addRefsCommands } from "./flags/refs.ts";
import { addStaleCommand } from "./flags/stale.ts";
import { action } from "./session.ts";
import { details, shorten, table } from "./text.ts";
import { expiryValue, jsonValue } from "./values.ts";

export function addFlagCommands(flags: Command, io: Io): void {
  flags.addHelpText(
    "after",
    `\nExamples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags get new-checkout -p shop -e production
  formflag flags list -p shop -e production
`,
  );

  flags
    .command("set")
    .argument("[flag]", "slug of the flag")
    .description("create or change a flag in an environment; what is not named stays as it is")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(new Option("--on", "turn it on").conflicts("off"))
    .addOption(new Option("--off", "turn it off").conflicts("on"))
    .option("--payload <json>", "data for readers: JSON, @FILE, or - for standard input")
    .option("--expires <time>", "off from then on: ISO 8601, a span such as 30d, or never")
    .option("--description <text>", "what it is for, in every environment")
    .addHelpText(
      "after",
      `
A new flag is off, here and in the project's other environments, unless --on is given.

Examples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags set banner -p shop -e develop --on --payload '{"text":"Hello"}'
  formflag flags set banner -p shop -e develop --payload @banner.json
  formflag flags set sale -p shop -e production --on --expires 2027-01-31T23:00:00Z
`,
    )
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        const environment = await session.environment(project);
        const { on, off, payload, expires, description } = session.options as SetOptions;
        const patch = {
          ...(on || off ? { enabled: on === true } : {}),
          ...(payload === undefined ? {} : { payload: await jsonValue(payload, "--payload", io) }),
          ...(expires === undefined ? {} : { expiredAt: expiryValue(expires, "--expires", Date.now()) }),
          ...(description === undefined ? {} : { description }),
        };
        const url = path`/projects/${project}/environments/${environment}/flags/${slug}`;
        const flag = await session.client.call<Flag & { result: SetResult }>("PATCH", url, patch);
        await session.report(flag, `${flag.result} ${slug} in ${project}/${environment}: ${stateOf(flag)}\n`);
      }),
    );

  flags
    .command("get")
    .argument("[flag]", "slug of the flag")
    .description("show a flag as its readers see it")
    .addOption(projectOption())
    .addOption(environmentOption())
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        const environment = await session.environment(project);
        const url = path`/projects/${project}/environments/${environment}/flags/${slug}`;
        const flag = await session.client.call<Flag>("GET", url);
        await session.print(flag, describeFlag(flag));
      }),
    );

  flags
    .command("list")
    .alias("ls")
    .description("list the flags of an environment by name")
    .addOption(projectOption())
    .addOption(environmentOption())
    .action(
      action(io, async (session) => {
        const project = await session.project();
        const environment = await session.environment(project);
        const url = path`/projects/${project}/environments/${environment}/flags`;
        const { flags: all } = await session.client.call<{ flags: Flag[] }>("GET", url);
        const rows = all.map((flag) => [
          flag.slug,
          stateOf(flag),
          shorten(payloadOf(flag), 40),
          flag.expiredAt ?? "never",
          shorten(flag.description, 50),
        ]);
        await session.print(all, table(["FLAG", "STATE", "PAYLOAD", "EXPIRES", "DESCRIPTION"], rows));
        if (all.length === 0) {
          session.suggest(
            `No flags yet. Next: formflag flags set <flag> -p ${project} -e ${environment} --on`,
          );
        }
      }),
    );

  flags
    .command("delete")
    .argument("[flag]", "slug of the flag")
    .description("delete a flag from every environment of its project")
    .addOption(projectOption())
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "flag");
        const project = await session.project();
        await session.confirmDelete(`flag ${slug} from every environment of project ${project}`);
        await session.client.call("DELETE", path`/projects/${project}/flags/${slug}`);
        await session.report({ slug, result: "deleted" }, `deleted flag ${slug} of project ${project}\n`);
      }),
    );

  addStaleCommand(flags, io);
  addRefsCommands(flags, io);
}

type SetOptions = { on?: true; off?: true; payload?: string; expires?: string; description?: string };

function describeFlag(flag: Flag): string {
  return details([
    ["flag", flag.slug],
    ["state", stateOf(flag)],
    ["payload", payloadOf(flag)],
    ["expires", flag.expiredAt ?? "never"],
    ["description", flag.description],
    ["created", flag.createdAt],
    ["updated", flag.updatedAt],
  ]);
}

function stateOf(flag: Flag): string {
  if (flag.enabled) return "on";
  return flag.expiredAt !== null && Date.parse(flag.expiredAt) <= Date.now() ? "off, expired" : "off";
}

function payloadOf(flag: Flag): string {
  return JSON.stringify(flag.payload);
}
