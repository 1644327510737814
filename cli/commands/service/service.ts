import type { Command, Option } from "commander";
import { resolve } from "node:path";
import type { Io } from "../../output/terminal.ts";
import { type ServeConfig, readServeConfig } from "../../serve/config.ts";
import { serveOptions } from "../../serve/options.ts";
import { isFile } from "../../serve/settings.ts";
import { localAction } from "../../session/action.ts";
import { globalOptions, readConfig } from "../../session/config.ts";
import { mayHoldPassword } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { UNIT_NAME, type Service, installSteps, unitText } from "./systemd.ts";

export function addServiceCommands(service: Command, io: Io): void {
  const install = service
    .command("install")
    .description("print a systemd unit that runs the server in a sandbox")
    .option("--print", "print the unit; nothing is ever installed")
    .option("--user", "a service of your own user, without root");
  for (const option of serveOptions()) install.addOption(option);
  install
    .addHelpText(
      "after",
      `
The unit runs this executable with the options given here, on --data or on /var/lib/formflag (with --user
~/.local/share/formflag). Passwords and the credentials of a bucket are not in it: the service gets them by
EnvironmentFile=. Without --print it shows the commands that put the unit in its place.

Examples:
  formflag service install
  formflag service install --print | sudo tee /etc/systemd/system/${UNIT_NAME}
  formflag service install --print --user > ~/.config/systemd/user/${UNIT_NAME}
  formflag service install --print --public-url https://forms.example.com --trusted-proxy 127.0.0.1
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { json: boolean; print: boolean; service: Service };

function parse(command: Command): Values {
  const { json } = readConfig(command);
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
      "the URL of the database holds a password, which everybody could read in the unit",
      "unset FORMFLAG_DATABASE_URL here, and give it to the service by EnvironmentFile= in systemctl edit formflag",
    );
  const service: Service = {
    executable: process.execPath,
    args: given.flatMap((option) =>
      option.required ? valuesOf(option).flatMap((value) => [option.long!, value]) : [option.long!],
    ),
    data: sourceOf("data") === "default" ? null : resolve(config.data),
    files: given.filter(isFile).flatMap(valuesOf),
    scope: options["user"] === true ? "user" : "system",
    usesLowPort: usesLowPort(config),
    hasTls: config.tls !== null,
  };
  return { json, print: options["print"] === true, service };
}

/** Options of every command that say where a server has its data, apart from its directory. */
function isOfStorage(option: Option): boolean {
  return ["database", "blobs", "migrate"].includes(option.attributeName());
}

function usesLowPort(config: ServeConfig): boolean {
  const { listen, formsListen, flagsListen, adminListen, metricsListen } = config;
  const listens = [listen, formsListen, flagsListen, adminListen, metricsListen];
  return listens.some((each) => each !== null && each.port > 0 && each.port < 1024);
}

async function run(io: Io, { json, print, service }: Values): Promise<void> {
  if (!print) {
    if (!json) io.err(`${installSteps(service)}\n`);
    throw usage(
      "nothing was installed: service install only prints",
      "type the commands above, or add --print",
    );
  }
  const unit = unitText(service);
  // Not wrapped as by a printer: systemd reads the unit.
  await io.out(json ? `${JSON.stringify({ name: UNIT_NAME, unit }, null, 2)}\n` : unit);
}
