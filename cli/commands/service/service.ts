import type { Command, Option } from "commander";
import { dirname, resolve } from "node:path";
import { createPrinter } from "../../output/printer.ts";
import type { Io } from "../../output/terminal.ts";
import { type ServeConfig, lowPortsOf, readServeConfig } from "../../serve/config.ts";
import { serveOptions } from "../../serve/options.ts";
import { isFile } from "../../serve/settings.ts";
import { localAction } from "../../session/action.ts";
import { type Config, globalOptions, readConfig } from "../../session/config.ts";
import { mayHoldPassword } from "../../session/storage.ts";
import { VARIABLES } from "../../session/kept/unit.ts";
import { usage } from "../../session/usage.ts";
import { EXECUTABLE, NAME, type Service, UNIT_NAME, unitText } from "./systemd.ts";
import { heard } from "../../session/command-line.ts";

export function addServiceCommands(service: Command, io: Io): void {
  heard(service)`
[formflag] systemd: service install
[formflag] uninstall: formflag service uninstall removes the service; the data directory stays
start stop restart status enable disable logs: systemctl start, stop and status formflag act on the service
remove delete: service uninstall
print show: type formflag service install --print
`;
  const install = service
    .command("install")
    .description(
      "run the server as a systemd service, in a sandbox, from now on and after each start of the machine",
    )
    .option("--print", "print the unit, and install nothing")
    .option("--user", USER);
  install.withOptions(...serveOptions());
  install
    .after(`
Writes the unit, starts the service and enables it. A system service needs root. It runs as the user formflag, which is
created if necessary. An executable in a home directory is copied to ${EXECUTABLE}. To change the service, run the
command again with other options or a newer executable. If it does not start with them, the former unit runs again.

The unit runs this executable with the options given here, on --data or on /var/lib/formflag (with --user:
~/.local/share/formflag). Files with passwords may belong to root alone: systemd passes them on. Secrets that only a variable
can hold, such as FORMFLAG_DATABASE_URL, belong into ${VARIABLES}, one NAME=value a line.

Examples:
  sudo formflag service install --public-url https://forms.example.com --trusted-proxy 127.0.0.1
  formflag service install --user
  formflag service install --print > ${UNIT_NAME}
`)
    .action(localAction(io, parse, run));
  service
    .command("uninstall")
    .description("stop the systemd service and remove its unit; the data stays")
    .option("--user", USER)
    .after(`
Examples:
  sudo formflag service uninstall
  formflag service uninstall --user
`)
    .action(localAction(io, parseUninstall, uninstall));
}

const USER = "a service of your own user, without root";

type Values = { config: Config; print: boolean; service: Service; backups: ServeConfig["backups"] };

function parse(command: Command): Values {
  const cli = readConfig(command);
  const options = command.optsWithGlobals<Record<string, unknown>>();
  const config = readServeConfig(options);
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name);
  const given = [...globalOptions().filter(isOfStorage), ...serveOptions()].filter((option) =>
    /^(cli|env)$/.test(sourceOf(option.attributeName()) ?? ""),
  );
  const valuesOf = (option: Option) => {
    const values = [options[option.attributeName()]].flat().map(String);
    return isFile(option) ? values.map((value) => resolve(value)) : values;
  };
  if (typeof options["database"] === "string" && mayHoldPassword(options["database"]))
    throw usage(
      "the URL of the database holds a password, which everyone could read in the unit",
      `unset FORMFLAG_DATABASE_URL here, and write it into ${VARIABLES}, which only root reads`,
    );
  const service: Service = {
    executable: process.execPath,
    args: given.flatMap((option) =>
      option.required ? valuesOf(option).flatMap((value) => [option.long!, value]) : [option.long!],
    ),
    data: sourceOf("data") === "default" ? null : resolve(config.data),
    files: given
      .filter((option) => isFile(option) && !isFolder(option) && !isWritten(option) && !isSecret(option))
      .flatMap(valuesOf),
    secrets: Object.fromEntries(
      given
        .filter(isSecret)
        .flatMap((option) => valuesOf(option).map((path) => [path, option.long!.slice(2)])),
    ),
    folders: [
      ...given.filter(isFolder).flatMap(valuesOf),
      ...given.filter(isWritten).flatMap(valuesOf).map(dirname),
    ],
    scope: options["user"] === true ? "user" : "system",
    usesLowPort: lowPortsOf(config).length > 0,
    hasTls: config.tls !== null,
    usesTemporary: config.backups !== null && config.backups.bucket !== null,
  };
  return { config: cli, print: options["print"] === true, service, backups: config.backups };
}

function isFolder(option: Option): boolean {
  return option.flags.includes("<dir>");
}

/** Whether an option names a file that the server writes, and may have to create. */
function isWritten(option: Option): boolean {
  return option.attributeName() === "auditFile";
}

/** Whether an option names a file with a secret that is read once, at the start. */
function isSecret(option: Option): boolean {
  return /(?:Password|Secret|Key)File$/.test(option.attributeName());
}

/** Options of every command that say where a server has its data, apart from its directory. */
function isOfStorage(option: Option): boolean {
  return ["database", "blobs", "migrate"].includes(option.attributeName());
}

async function run(io: Io, { config, print, service, backups }: Values): Promise<void> {
  if (backups !== null) (await import("../../serve/backups/require-places.ts")).checkPlaces(backups);
  const { json } = config;
  if (print) {
    const unit = unitText(service);
    // Not wrapped as by a printer: systemd reads the unit.
    return io.out(json ? `${JSON.stringify({ name: UNIT_NAME, unit }, null, 2)}\n` : unit);
  }
  const printer = createPrinter(io, config);
  const [{ THIS_MACHINE }, { installService }] = await Promise.all([
    import("./machine.ts"),
    import("./install.ts"),
  ]);
  const unit = await installService(service, THIS_MACHINE, (text) => printer.note(`${text}\n`));
  const isUser = service.scope === "user";
  await printer.report({ name: UNIT_NAME, unit }, `installed the service ${NAME}\n`);
  const sudo = isUser ? "" : "sudo ";
  printer.suggest(`Its log: journalctl ${isUser ? "--user " : ""}-u ${NAME}. Its settings: repeat this command with other options.
Next, with the data of the service:
  ${sudo}formflag forms create contact
  ${sudo}formflag users link
  ${sudo}formflag status`);
}

type Uninstall = { config: Config; scope: Service["scope"] };

function parseUninstall(command: Command): Uninstall {
  const { user } = command.opts<{ user?: true }>();
  return { config: readConfig(command), scope: user ? "user" : "system" };
}

async function uninstall(io: Io, { config, scope }: Uninstall): Promise<void> {
  const [{ THIS_MACHINE }, { uninstallService }] = await Promise.all([
    import("./machine.ts"),
    import("./install.ts"),
  ]);
  const unit = await uninstallService(scope, THIS_MACHINE);
  await createPrinter(io, config).report(
    { name: UNIT_NAME, unit },
    `stopped the service ${NAME} and removed ${unit}; its data is still there\n`,
  );
}
