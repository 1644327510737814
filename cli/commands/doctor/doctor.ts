import type { Command } from "commander";
import { Failed, type Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { readServeConfig } from "../../serve/config.ts";
import { serveOptions } from "../../serve/options.ts";
import { readConfig } from "../../session/config.ts";
import { usage } from "../../session/values.ts";
import { checkDatabase } from "./database.ts";
import { checkDirectory } from "./directory.ts";
import { checkDisks } from "./disk.ts";
import type { Finding } from "./finding.ts";
import { checkClock, checkOpenFiles, checkRuntime } from "./machine.ts";
import { checkServer } from "./server.ts";

export function addDoctorCommand(doctor: Command, io: Io): void {
  for (const option of serveOptions()) doctor.addOption(option);
  doctor
    .addHelpText(
      "after",
      `
Checks the data directory, its disk, the machine, the addresses and the proxy, and prints what to do about each
problem. Changes nothing. Give it the options and variables of the server, and run it as the user of the server.

Exit code: 0 when nothing is broken, 1 when there are problems.

Examples:
  formflag doctor
  sudo -u formflag formflag doctor --data /var/lib/formflag --public-url https://forms.example.com
`,
    )
    .action(async function (this: Command) {
      const { data, json } = readConfig(this);
      if (this.getOptionValueSourceWithGlobals("server") === "cli")
        throw usage("doctor looks at a data directory of this machine", "name it with --data");
      const options = this.optsWithGlobals<Record<string, unknown>>();
      const config = readServeConfig(options);
      const { usable, findings } = checkDirectory(data);
      let newest = 0;
      if (usable) {
        const database = checkDatabase(data);
        newest = database.newest;
        findings.push(...(await checkDisks(data)), ...database.findings);
      }
      findings.push(...checkOpenFiles(), checkClock(newest), checkRuntime(process.env));
      findings.push(...(await checkServer(config, usable)));
      const hasColors = io.outIsTerminal && options["color"] !== false && !process.env["NO_COLOR"];
      const text = () => describe(findings, io.outIsTerminal, hasColors);
      await (json ? io.out(`${JSON.stringify(findings, null, 2)}\n`) : io.show(text()));
      if (findings.some(({ status }) => status === "problem")) throw new Failed();
    });
}

const SIGNS = { ok: "✓", warning: "!", problem: "✗" };
const COLORS = { ok: 32, warning: 33, problem: 31 };

function describe(findings: Finding[], forTerminal: boolean, hasColors: boolean): string {
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
    return hasColors && status
      ? line.replace(/^\S+/, (sign) => `\x1b[${COLORS[status]}m${sign}\x1b[39m`)
      : line;
  });
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const summary = problems + warnings === 0 ? "all is well" : `problems: ${problems}, warnings: ${warnings}`;
  return `${[head, ...colored].join("\n")}\n${summary}\n`;
}
