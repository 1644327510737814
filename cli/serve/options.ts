import { type Command, Option } from "commander";
import { DEFAULT_MAX_CONCURRENT } from "../../src/http/limits.ts";
import type { Io } from "../output/terminal.ts";
import { table } from "../output/text.ts";
import { environmentOption, globalOptions, projectOption, readConfig } from "../session/config.ts";
import { collect, usage } from "../session/values.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log.ts";

export function serveOptions(): Option[] {
  return [
    new Option("--listen <address>", "address of all services")
      .env("FORMFLAG_LISTEN")
      .default("127.0.0.1:8787"),
    new Option("--forms-listen <address>", "another address for form submissions").env(
      "FORMFLAG_FORMS_LISTEN",
    ),
    new Option("--flags-listen <address>", "another address for flag reads").env("FORMFLAG_FLAGS_LISTEN"),
    new Option("--admin-listen <address>", "another address for the admin API").env("FORMFLAG_ADMIN_LISTEN"),
    new Option("--public-url <url>", "where senders reach the forms; links are built from it").env(
      "FORMFLAG_PUBLIC_URL",
    ),
    new Option("--trusted-proxy <cidr>", "proxy whose X-Forwarded-For counts; may be repeated")
      .env("FORMFLAG_TRUSTED_PROXY")
      .argParser(collect),
    new Option("--base-path <path>", "prefix of every path, such as /formflag").env("FORMFLAG_BASE_PATH"),
    new Option("--tls-cert <file>", "serve HTTPS with this certificate chain, in PEM").env(
      "FORMFLAG_TLS_CERT",
    ),
    new Option("--tls-key <file>", "and its private key; SIGHUP reads both again").env("FORMFLAG_TLS_KEY"),
    new Option(
      "--hsts <seconds>",
      "for how long browsers use HTTPS only, or off; by default a year where --public-url is https",
    ).env("FORMFLAG_HSTS"),
    new Option("--max-concurrent <n>", "requests of one address under way at a time")
      .env("FORMFLAG_MAX_CONCURRENT")
      .default(String(DEFAULT_MAX_CONCURRENT)),
    new Option("--max-rate <rate>", "requests of one address over time, such as 600/m")
      .env("FORMFLAG_MAX_RATE")
      .default("off"),
    new Option("--metrics-listen <address>", "an another address for /metrics, where no token is needed").env(
      "FORMFLAG_METRICS_LISTEN",
    ),
    new Option("--log-format <format>", "text, or JSON lines; by default text on a terminal only")
      .env("FORMFLAG_LOG_FORMAT")
      .choices(LOG_FORMATS),
    new Option("--log-level <level>", "lowest level that is logged")
      .env("FORMFLAG_LOG_LEVEL")
      .choices(LOG_LEVELS)
      .default("info"),
  ];
}

export function addServeOptions(command: Command, io: Io): void {
  for (const option of serveOptions()) command.addOption(option);
  command
    .addHelpText(
      "after",
      `
Addresses are HOST:PORT; port 0 picks a free one. SIGTERM and SIGINT finish what is under way, for 10 s at most.

Examples:
  formflag serve
  formflag serve --listen 0.0.0.0:8787 --admin-listen 127.0.0.1:8788
  formflag serve --public-url https://forms.example.com --trusted-proxy 127.0.0.1/32
  formflag serve --listen 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem
`,
    )
    .action(async function (this: Command) {
      const [{ readServeConfig }, { serve }] = await Promise.all([
        import("./config.ts"),
        import("./serve.ts"),
      ]);
      if (this.getOptionValueSourceWithGlobals("server") === "cli") {
        throw usage(
          "--server does not go with serve",
          "it serves a data directory of this machine: see --data",
        );
      }
      await serve(readServeConfig(this.optsWithGlobals<Record<string, unknown>>()), io);
    });
}

export function addConfigCommands(config: Command, io: Io): void {
  const show = config
    .command("show")
    .description("show each setting, its value and where the value comes from");
  const own = [projectOption(), environmentOption(), ...serveOptions()];
  for (const option of own) show.addOption(option.hideHelp());
  show.action(async function (this: Command) {
    const { json } = readConfig(this);
    const options = this.optsWithGlobals<Record<string, unknown>>();
    const settings = [...globalOptions(), ...own].map((option) => {
      const name = option.attributeName();
      const source = this.getOptionValueSourceWithGlobals(name) ?? "unset";
      return {
        setting: option.name(),
        value: option.negate ? options[name] === false : (options[name] ?? null),
        source,
        environment: option.envVar ?? null,
      };
    });
    const isSet = Boolean(process.env["FORMFLAG_TOKEN"]);
    const token = { value: isSet ? "(hidden)" : null, source: isSet ? "env" : "unset" };
    const all = [...settings, { setting: "token", ...token, environment: "FORMFLAG_TOKEN" }];
    const rows = all.map(({ setting, value, source, environment }) => [
      setting,
      value === null ? "" : typeof value === "string" ? value : JSON.stringify(value),
      source,
      environment ?? "",
    ]);
    const text = table(["SETTING", "VALUE", "FROM", "ENVIRONMENT"], rows);
    await (json ? io.out(`${JSON.stringify(all, null, 2)}\n`) : io.show(text));
  });
}
