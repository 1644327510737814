import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import { Failed } from "../exit.ts";
import type { Paint } from "../output/color.ts";
import { createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { table } from "../output/text.ts";
import { type ServeConfig, readServeConfig } from "../serve/config.ts";
import { serveOptions } from "../serve/options.ts";
import { type Settings, compareSettings } from "../serve/settings.ts";
import { serverDifference } from "../data/executables.ts";
import { runningSettings } from "../data/serving.ts";
import { checkRelay } from "../serve/relay/relay-status.ts";
import { localAction } from "../session/action.ts";
import { type Config, readCertificates, readConfig, readLocalConfig } from "../session/config.ts";
import { loadStorage } from "../session/storage.ts";
import { recordedBackups } from "../serve/backups/local-facts.ts";
import { surroundingsOf } from "../serve/surroundings.ts";
import { checkAll } from "../../src/maintenance/doctor/checks.ts";
import { type Finding, ok, warning } from "../../src/maintenance/finding.ts";
import { nearestServer, parseServers } from "../../src/maintenance/running-servers.ts";
import type { SharedStorage, Storage } from "../../src/storage.ts";
import { heard } from "../session/command-line.ts";
import { VERSION } from "../version.ts";

export function addDoctorCommand(doctor: Command, io: Io): void {
  heard(doctor)`
--fix --repair: it only reads: formflag backup restore brings back what was lost
`;
  doctor.withOptions(...serveOptions());
  doctor
    .after(`
Checks the data directory, its disk, the machine, the addresses, the proxy and the mail server, and prints how to fix
each problem. For a PostgreSQL database it checks the version, the clock and the connections. For a bucket it checks the
rights, with an object that it removes again. It changes and sends nothing else. Run it as the user of the server. If a
server is running, doctor uses the options of that server, and reports options that you give differently. Before the
first start, give it the options and variables that the server will have. --ca-file names the certificates to trust at
the public URL.

Exit code: 0 if nothing is broken, 1 if there are problems.

Examples:
  formflag doctor
  sudo -u formflag formflag doctor --data /var/lib/formflag --public-url https://forms.example.com
`)
    .action(localAction(io, parse, run));
}

type Values = { config: Config; options: Record<string, unknown>; isGiven: (name: string) => boolean };

function parse(command: Command): Values {
  const isServerNamed = /^(cli|config)$/.test(command.getOptionValueSourceWithGlobals("server") ?? "");
  const config = (isServerNamed ? readLocalConfig : readConfig)(command);
  const options = command.optsWithGlobals<Record<string, unknown>>();
  const isGiven = (name: string) => /^(cli|env)$/.test(command.getOptionValueSourceWithGlobals(name) ?? "");
  // Refused before anything is contacted.
  readServeConfig(options);
  return { config, options, isGiven };
}

/** The configuration of the server that runs on the data, or the one it will have, and what differs from the options. */
async function readServer(
  { config, options, isGiven }: Values,
  { shared }: Storage,
): Promise<{ serve: ServeConfig; compared: Finding[]; isRunning: boolean }> {
  const { running, findings } =
    shared === null ? { running: runningSettings(config.data), findings: [] } : await readShared(shared);
  if (running === undefined) return { serve: readServeConfig(options), compared: findings, isRunning: false };
  const { options: merged, finding } = compareSettings(options, running, isGiven);
  return { serve: readServeConfig(merged), compared: [...findings, finding], isRunning: true };
}

/** The options of a server on a shared database: of this machine if there is one, else of the newest; and what runs there. */
async function readShared({ database }: SharedStorage): Promise<{ running?: Settings; findings: Finding[] }> {
  const { serversOn } = await import("../../src/store/postgres/inspect.ts");
  const servers = parseServers(await serversOn(database));
  const server = nearestServer(servers, hostname());
  if (server === null) return { findings: [ok("servers", "none uses this database")] };
  const list = servers.map(({ address, host, version }) => `${address} on ${host} (${version})`).join(", ");
  return { running: server.settings, findings: [ok("servers", list)] };
}

async function run(io: Io, values: Values): Promise<void> {
  const { config } = values;
  const printer = createPrinter(io, config);
  const storage = await loadStorage(config.storage);
  const { caFile } = values.options as { caFile?: string };
  const ca = caFile === undefined ? null : await readCertificates(caFile);
  const { serve, compared, isRunning } = await readServer(values, storage);
  const by = surroundingsOf(serve, recordedBackups(storage, serve.backups), { isRunning, ca });
  const checked = serve.follow
    ? await checkRelay(config.data, serve.follow)
    : await checkAll(storage, serve, by);
  const findings = [
    ...checked,
    ...compared,
    ...(storage.shared === null ? [checkExecutable(config.data)] : []),
  ];
  await printer.print(findings, describe(findings, io.outIsTerminal, printer.paint));
  if (findings.some(({ status }) => status === "problem")) throw new Failed();
}

/** Checks that the server runs this executable, which a command beside it may have to be. */
function checkExecutable(data: string): Finding {
  const check = "executable";
  const found = serverDifference(resolve(data));
  if (found === null) return ok(check, `${process.execPath}, formflag ${VERSION}`);
  return found.isOther ? warning(check, found.message, found.hint) : ok(check, found.message);
}

const SIGNS = { ok: "✓", warning: "!", problem: "✗" };
const COLORS = { ok: "green", warning: "yellow", problem: "red" } as const;

function describe(findings: Finding[], forTerminal: boolean, paint: Paint): string {
  const rows = findings.flatMap(({ check, status, message, hint }) => [
    { status, cells: [forTerminal ? SIGNS[status] : status, check, message] },
    ...(hint === null ? [] : [{ status: null, cells: ["", "", `→ ${hint}`] }]),
  ]);
  const [head, ...lines] = table(
    ["", "CHECK", "FOUND"],
    rows.map(({ cells }) => cells),
  ).split("\n");
  const colored = lines.map((line, index) => {
    const status = rows[index]?.status;
    return status ? line.replace(/^\S+/, (sign) => paint(sign, COLORS[status])) : line;
  });
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const summary = problems + warnings === 0 ? "all is well" : `problems: ${problems}, warnings: ${warnings}`;
  return `${[head, ...colored].join("\n")}\n${summary}\n`;
}
