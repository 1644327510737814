import { resolve } from "node:path";
import type { Command, Option } from "commander";
import type { Io } from "../../output/terminal.ts";
import { readServeConfig } from "../../serve/config.ts";
import { serveOptions } from "../../serve/options.ts";
import { readConfig } from "../../session/config.ts";
import { usage } from "../../session/values.ts";
import { type Service, UNIT_NAME, installSteps, unitText } from "./systemd.ts";

export function addServiceCommands(service: Command, io: Io): void {
  const install = service
    .command("install")
    .description("print a systemd unit that runs the server in a sandbox")
    .option("--print", "print the unit; nothing is ever installed")
    .option("--user", "a service of your own user, without root");
  const options = serveOptions();
  for (const option of options) install.addOption(option);
  install
    .addHelpText(
      "after",
      `
The unit runs this executable with the options given here, on --data or on /var/lib/formflag (with --user
~/.local/share/formflag). Without --print it shows the commands that put the unit in its place.

Examples:
  formflag service install
  formflag service install --print | sudo tee /etc/systemd/system/${UNIT_NAME}
  formflag service install --print --user > ~/.config/systemd/user/${UNIT_NAME}
  formflag service install --print --public-url https://forms.example.com --trusted-proxy 127.0.0.1
`,
    )
    .action(async function (this: Command) {
      const { json } = readConfig(this);
      const given = this.optsWithGlobals<Record<string, unknown>>();
      const config = readServeConfig(given);
      const scope = given["user"] === true ? "user" : "system";
      if (given["print"] !== true) {
        if (!json) io.err(`${installSteps(scope, process.execPath)}\n`);
        throw usage(
          "nothing was installed: service install only prints",
          "type the commands above, or add --print",
        );
      }
      const isGiven = (option: Option) => {
        const source = this.getOptionValueSourceWithGlobals(option.attributeName());
        return source === "cli" || source === "env";
      };
      const own = options.filter(isGiven);
      const isFile = (option: Option) => /<file>/.test(option.flags);
      const valuesOf = (option: Option) => {
        const values = [given[option.attributeName()]].flat().map(String);
        return isFile(option) ? values.map((value) => resolve(value)) : values;
      };
      const { listen, formsListen, flagsListen, adminListen, metricsListen } = config;
      const listens = [listen, formsListen, flagsListen, adminListen, metricsListen];
      const unit = unitText({
        executable: process.execPath,
        args: own.flatMap((option) => valuesOf(option).flatMap((value) => [option.long!, value])),
        data: this.getOptionValueSourceWithGlobals("data") === "default" ? null : resolve(config.data),
        files: own.filter(isFile).flatMap(valuesOf),
        scope,
        usesLowPort: listens.some((listen) => listen !== null && listen.port > 0 && listen.port < 1024),
      } satisfies Service);
      await io.out(json ? `${JSON.stringify({ name: UNIT_NAME, unit }, null, 2)}\n` : unit);
    });
}
