import { resolve } from "node:path";
import { isoTime } from "../../src/base/clock.ts";
import { formatBytes } from "../../src/base/bytes.ts";
import { durationInWords } from "../../src/base/units.ts";
import type { Backups, Status } from "../../src/maintenance/status.ts";
import { server as operations } from "../../src/operations/server.ts";
import { serverDifference } from "../data/executables.ts";
import { runningSettings } from "../data/serving.ts";
import { readDomain } from "../serve/domain/domain-options.ts";
import { EXIT, Failed } from "../exit.ts";
import { details } from "../output/text.ts";
import { type RelayStatus, readRelayStatus } from "../serve/relay/relay-status.ts";
import { lone } from "../session/verb.ts";

export const addStatusCommand = lone({
  guesses: String.raw`
[formflag] info ps about watch tail monitor metrics prometheus top: formflag status shows the server, formflag doctor checks its machine and settings, formflag stats counts; /metrics is for Prometheus: formflag docs monitoring
*: another server is an option: --server <url>
`,
  options: ["field"],
  help: `
Shows the server that is running on the data directory, or with --server another one: its version, its addresses, the
place of its data, waiting and failed deliveries, and the last backup. On a shared database it shows the newest server,
and lists all servers.

Exit code: 0 if the server is running, 6 if none is or it cannot be reached, 1 if it is running and its last backup
failed.

Examples:
  formflag status
  formflag status --json
  formflag status --server https://forms.example.com --token-file admin.token
`,
  parse: () => null,
  run: async ({ client, config, print }) => {
    const followed = config.server === null ? await readRelayStatus(config.data) : null;
    if (followed) {
      await print(followed, describeRelay(followed));
      if (followed.startedAt === null) throw new Failed(EXIT.unavailable);
      return;
    }
    const status = await client.call(operations.status);
    // The address that a server has on its own machine is of no use elsewhere.
    const address = config.server ?? status.address;
    const dashboard = status.dashboard === null ? null : `${status.dashboard}/dashboard`;
    const isHere = config.server === null && config.storage.database === null;
    const certificate = isHere ? await certificateOn(config.data) : null;
    const shown = { ...status, address, dashboard, certificate };
    const executable = isHere ? serverDifference(resolve(config.data)) : null;
    await print(shown, describe(shown, executable && `${executable.message}: ${executable.hint}`));
    if (shown.startedAt === null) throw new Failed(EXIT.unavailable);
    if (shown.backup.failure !== null) throw new Failed();
  },
});

/** The certificate that the server of a data directory gets itself; null for none, and without a server. */
async function certificateOn(data: string): Promise<Certificate | null> {
  const settings = runningSettings(data);
  const domain = settings ? readDomain(settings) : null;
  if (domain === null) return null;
  const { knownCertificate } = await import("../serve/surroundings.ts");
  const { names, kept, failure } = knownCertificate(domain, data);
  return { names, until: kept && isoTime(kept.until), failure: failure && failure.message };
}

type Certificate = { names: readonly string[]; until: string | null; failure: string | null };

function certificateInWords({ names, until, failure }: Certificate): string {
  const what = `${until === null ? "none yet " : ""}for ${names.join(", ")}`;
  const end = until === null ? "" : `, valid until ${until}`;
  return `${what}${end}${failure === null ? "" : `; no new one: ${failure}: see formflag doctor`}`;
}

function describe(status: Status & { certificate: Certificate | null }, executable: string | null): string {
  const { version, startedAt, address, servers, dashboard, data, database, queue, backup, sendsMail } =
    status;
  const { certificate } = status;
  const { waiting, failed } = queue;
  const kind = database.kind === "sqlite" ? "SQLite" : "PostgreSQL";
  return details([
    ["version", version],
    [
      "server",
      startedAt === null ? "none runs here: formflag serve starts one" : `running since ${startedAt}`,
    ],
    ["executable", executable],
    ["address", startedAt && (address ?? "unknown")],
    ["dashboard", startedAt && (dashboard ?? "none")],
    ["certificate", certificate && certificateInWords(certificate)],
    ["servers", servers !== null && servers.length > 1 ? servers.map(inWords).join(", ") : null],
    ["data", data],
    ["database", `${kind}, ${database.name}, ${formatBytes(database.bytes)}`],
    ["queue", `deliveries waiting: ${waiting}, failed: ${failed}`],
    [
      "mail",
      sendsMail === false ? "no mail server, so mail waits: see serve --smtp-url and --mail-url" : null,
    ],
    ["last backup", lastBackup(backup)],
    ["arrived", arrival(backup)],
    ["backups", schedule(backup)],
  ]);
}

function describeRelay({ version, startedAt, address, following, behind }: RelayStatus): string {
  if (startedAt === null) return "a server that follows another one has its state here; none runs\n";
  return details([
    ["version", version],
    ["server", `running since ${startedAt}`],
    ["address", address],
    ["follows", behind === 0 ? following : `${following}, heard ${behind} s ago`],
  ]);
}

function inWords({ host, address, version }: NonNullable<Status["servers"]>[number]): string {
  return `${address} on ${host} (${version})`;
}

function lastBackup({ last, failure }: Backups): string {
  if (failure !== null) return `failed at ${failure.at}: ${failure.error}`;
  if (last === null) return "none is known";
  const { at, file, bytes } = last;
  return `${at}, ${formatBytes(bytes)}${file === null ? "" : `, ${file}`}`;
}

/** The newest backup in the bucket; null for a server without one. */
function arrival({ bucket, arrived }: Backups): string | null {
  if (bucket == null) return null;
  if (arrived === undefined) return "not recorded here: formflag backup list shows them";
  return arrived ? `${arrived.at}, ${formatBytes(arrived.bytes)}, ${arrived.file}` : `none in ${bucket} yet`;
}

function schedule({ directory, bucket, every, keep, encrypted, next }: Backups): string {
  if (every === null) return "not scheduled: see serve --backup-dir and --backup-to";
  const then = next === null ? "" : `, next at ${next}`;
  const places = [directory, bucket].filter((each) => each != null).join(" and ");
  return `every ${durationInWords(every)} into ${places}, ${encrypted ? "encrypted, " : ""}${keep} kept${then}`;
}
