import type { Command } from "commander";
import { own } from "../../src/base/shapes/own.ts";
import { createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { table } from "../output/text.ts";
import { serveOptions } from "../serve/options.ts";
import { runningSettings } from "../data/serving.ts";
import { localAction } from "../session/action.ts";
import {
  type Config,
  environmentOption,
  globalOptions,
  projectOption,
  readConfig,
} from "../session/config.ts";
import { env } from "../session/env.ts";
import { mayHoldPassword } from "../session/storage.ts";
import { heard } from "../session/command-line.ts";

export function addConfigCommands(noun: Command, io: Io): void {
  heard(noun)`
[formflag config] set settings options configure variable variables vars edit unset config-file env-file dotenv default defaults environment-variables: formflag config show lists the settings; each is an option of formflag serve and a variable
get list: config show
use-context set-context: formflag use <project>/<environment> keeps both for later commands, formflag login --server <url> the server
get-contexts current-context context: formflag use shows what is kept, formflag projects list lists the projects; formflag login --server <url> signs in to a server
*: it shows every setting; grep finds one
`;
  const show = noun.command("show").description("show each setting, its value and where the value comes from")
    .after(`
Beside a running server, the values of its options that are not given here are those of the server.

Examples:
  formflag config show
  formflag config show --json
`);
  for (const option of ownOptions()) show.addOption(option.hideHelp());
  show.action(localAction(io, parse, run));
}

/** Options of other commands, which this one reads as they would. */
function ownOptions() {
  return [projectOption(), environmentOption(), ...serveOptions()];
}

type Setting = { value: unknown; source: string; environment: string | null };
type Values = { config: Config; settings: [name: string, setting: Setting][] };

function parse(command: Command): Values {
  const config = readConfig(command);
  const given = command.optsWithGlobals<Record<string, unknown>>();
  const isHere = config.server === null && config.storage.database === null;
  const running = (isHere && runningSettings(config.data)) || {};
  const settings = [...globalOptions(), ...ownOptions()].map((option): [string, Setting] => {
    const name = option.attributeName();
    const ownSource = command.getOptionValueSourceWithGlobals(name) ?? "unset";
    // An option that is given here wins for a command; doctor says where the server differs.
    const its = own(running, name);
    const isOfServer =
      its !== undefined &&
      !/^(?:cli|env)$/.test(ownSource) &&
      JSON.stringify(its) !== JSON.stringify(given[name]);
    const [options, source] = isOfServer ? [running, "server"] : [given, ownSource];
    const value = option.negate ? options[name] === false : (options[name] ?? null);
    if (name === "database" && value !== null && config.storage.database === null)
      return [option.name(), { value: NOT_USED, source, environment: option.envVar ?? null }];
    const isHidden =
      ((name === "smtpUrl" || name === "mailUrl") && typeof value === "string" && mayHoldPassword(value)) ||
      (name === "database" && value !== null);
    return [option.name(), { value: isHidden ? HIDDEN : value, source, environment: option.envVar ?? null }];
  });
  const urlFile = env["FORMFLAG_DATABASE_URL_FILE"] ?? null;
  const others: [string, Setting][] = [
    [
      "database-file",
      {
        value: urlFile,
        source: urlFile === null ? "unset" : "env",
        environment: "FORMFLAG_DATABASE_URL_FILE",
      },
    ],
    secretIn("token", "FORMFLAG_TOKEN"),
    secretIn("smtp-password", "FORMFLAG_SMTP_PASSWORD"),
    secretIn("mail-key", "FORMFLAG_MAIL_KEY"),
    secretIn("aws-access-key-id", "AWS_ACCESS_KEY_ID"),
    secretIn("aws-secret-access-key", "AWS_SECRET_ACCESS_KEY"),
    secretIn("aws-session-token", "AWS_SESSION_TOKEN"),
  ];
  return { config, settings: [...settings, ...others] };
}

const HIDDEN = "(hidden)";
/** In place of a database if `--data` wins over it. */
const NOT_USED = "(not used: --data is given)";

/** A setting without an option, whose value is a secret. */
function secretIn(name: string, environment: string): [string, Setting] {
  const isSet = Boolean(env[environment]);
  return [name, { value: isSet ? HIDDEN : null, source: isSet ? "env" : "unset", environment }];
}

async function run(io: Io, { config, settings }: Values): Promise<void> {
  const rows = settings.map(([name, { value, source, environment }]) => [
    name,
    value === null ? "" : typeof value === "string" ? value : JSON.stringify(value),
    source,
    environment ?? "",
  ]);
  const text = table(["SETTING", "VALUE", "FROM", "ENVIRONMENT"], rows);
  await createPrinter(io, config).print(Object.fromEntries(settings), text);
}
