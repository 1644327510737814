import { clock } from "../../src/base/clock.ts";
import type { Command } from "commander";
import { AppError } from "../../src/base/errors.ts";
import { HEALTH_PATH, READY_PATH } from "../../src/http/paths.ts";
import { isHealthy, jsonOf } from "../../src/maintenance/doctor/surroundings.ts";
import { createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { type ServeConfig, readServeConfig } from "../serve/config.ts";
import { serveOptions } from "../serve/options.ts";
import { localAction } from "../session/action.ts";
import { originsOf, probe } from "../session/addresses.ts";
import { type Config, readConfig } from "../session/config.ts";
import { usage } from "../session/usage.ts";
import { heard } from "../session/command-line.ts";

export function addHealthcheckCommand(command: Command, io: Io): void {
  heard(command)`
[formflag] health ping ready: healthcheck
--timeout --retries --interval: it waits 5 seconds at most: timeout 2 formflag healthcheck ends it sooner
*: the address is an option: --url <url>
`;
  command
    .option("--url <url>", "address of the server (default: that of --listen)")
    .option("--ready", "check that it accepts submissions, not only that it is running");
  // The options of serve name its address; only one of them is worth a line of help.
  for (const option of serveOptions())
    command.addOption(option.long === "--listen" ? option : option.hideHelp());
  command
    .after(`
For schedulers and containers. Accepts the options and variables of serve, and waits at most 5 seconds.

Exit code: 0 if the server is healthy, 6 if it is not or cannot be reached, 1 if something else answers.

Examples:
  formflag healthcheck
  formflag healthcheck --listen 0.0.0.0:9000 --quiet
  formflag healthcheck --url https://forms.example.com --ready
`)
    .action(localAction(io, parse, run));
}

type Values = {
  config: Config;
  url: string;
  /** Whether the options of serve name the address. */
  isOurs: boolean;
};

function parse(command: Command): Values {
  const config = readConfig(command);
  if (command.getOptionValueSourceWithGlobals("server") === "cli")
    throw usage("--server does not go with healthcheck", "name the server with --url");
  const options = command.optsWithGlobals<Record<string, unknown> & { url?: string; ready?: true }>();
  const origin = options.url === undefined ? addressOf(readServeConfig(options)) : checkedUrl(options.url);
  const path = options.ready ? READY_PATH : HEALTH_PATH;
  return { config, url: origin + path, isOurs: options.url === undefined };
}

async function run(io: Io, { config, url, isOurs }: Values): Promise<void> {
  const start = clock.steady();
  const answer = await probe(url, isOurs ? { isOurs } : {});
  if (answer.status === null) {
    throw new AppError("unavailable", `${url} ${answer.failure}`, {
      hint: "is the server running, and is this its address? name another with --url",
    });
  }
  if (!isHealthy(answer)) {
    const { error, message } = jsonOf(answer);
    if (answer.status >= 500 && error === true)
      throw new AppError("unavailable", `${url} answered ${answer.status}: ${String(message)}`);
    throw new AppError("unsupported", `${url} answered ${answer.status}, but not as formflag does`, {
      hint: "something else listens there: name the server with --url",
    });
  }
  const ms = Math.round(clock.steady() - start);
  await createPrinter(io, config).report({ status: "ok", url, ms }, "ok\n");
}

/**
 * The address of the forms, or another with a fixed port: health checks are answered at each. Throws `invalid` if none
 * has one.
 */
function addressOf(config: ServeConfig): string {
  const { forms, flags, admin } = originsOf(config);
  const address = forms ?? flags ?? admin;
  if (address === null) throw usage("port 0 is another port each time", "name the server with --url");
  return address;
}

function checkedUrl(text: string): string {
  if (!(URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)))
    throw usage(`--url ${text} is not a web address`, "it looks like http://127.0.0.1:8787");
  return text.replace(/\/+$/, "");
}
