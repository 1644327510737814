import type { Command } from "commander";
import { Failed } from "../exit.ts";
import type { Paint } from "../output/color.ts";
import { createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { table } from "../output/text.ts";
import { type ServeConfig, readServeConfig } from "../serve/config.ts";
import { serveOptions } from "../serve/options.ts";
import { type Settings, compareSettings } from "../serve/settings.ts";
import { readServing } from "../data/serving.ts";
import { localAction } from "../session/action.ts";
import { type Config, readConfig } from "../session/config.ts";
import { loadStorage } from "../session/storage.ts";
import { usage } from "../session/usage.ts";
import { recordedBackups } from "../serve/facts.ts";
import { surroundingsOf } from "../serve/surroundings.ts";
import { checkAll } from "../../src/maintenance/doctor/checks.ts";
import type { Finding } from "../../src/maintenance/finding.ts";

export function addDoctorCommand(doctor: Command, io: Io): void {
  for (const option of serveOptions()) doctor.addOption(option);
  doctor
    .addHelpText(
      "after",
      `
Checks the data directory, its disk, the machine, the addresses, the proxy and the mail server, and prints what to do
about each problem. Of a PostgreSQL database it checks the version, the clock and the connections, and of a bucket the
rights, with an object that it removes again. Changes and sends nothing else. Run it as the user of the server. Options that are
not given are those of the server that runs on the data directory; given options are compared with it. Without a running
server, give it the options and variables that the server will have.

Exit code: 0 when nothing is broken, 1 when there are problems.

Examples:
  formflag doctor
  sudo -u formflag formflag doctor --data /var/lib/formflag --public-url https://forms.example.com
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { config: Config; serve: ServeConfig; compared: Finding[] };

function parse(command: Command): Values {
  const config = readConfig(command);
  if (command.getOptionValueSourceWithGlobals("server") === "cli")
    throw usage("doctor checks the data itself, not a server", "name it with --data or --database");
  const options = command.optsWithGlobals<Record<string, unknown>>();
  const isGiven = (name: string) => /^(cli|env)$/.test(command.getOptionValueSourceWithGlobals(name) ?? "");
  const running = config.storage.database === null ? readRunning(config.data) : undefined;
  if (running === undefined) return { config, serve: readServeConfig(options), compared: [] };
  const { options: merged, finding } = compareSettings(options, running, isGiven);
  return { config, serve: readServeConfig(merged), compared: [finding] };
}

/** The options of the server that runs on a data directory; undefined if none is known. */
function readRunning(data: string): Settings | undefined {
  try {
    return readServing(data)?.settings;
  } catch {
    // The checks of the data directory report why its lock cannot be read.
    return undefined;
  }
}

async function run(io: Io, { config, serve, compared }: Values): Promise<void> {
  const printer = createPrinter(io, config);
  const storage = await loadStorage(config.storage);
  const by = surroundingsOf(serve, recordedBackups(storage, serve.backups));
  const checked = await checkAll(storage, serve, by);
  const findings = [...checked, ...compared];
  await printer.print(findings, describe(findings, io.outIsTerminal, printer.paint));
  if (findings.some(({ status }) => status === "problem")) throw new Failed();
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
