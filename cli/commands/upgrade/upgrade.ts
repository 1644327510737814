import type { Command } from "commander";
import { serviceDifference } from "../../data/executables.ts";
import { createPrinter } from "../../output/printer.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readConfig } from "../../session/config.ts";
import { usage } from "../../session/usage.ts";
import { RELEASE, VERSION } from "../../version.ts";
import { VERSION_NUMBER } from "./version-number.ts";

export function addUpgradeCommand(command: Command, io: Io): void {
  command
    .option("--check", "only report whether there is a newer version")
    .option("--version <version>", "version to install; an older one needs --force (default: the newest)")
    .option("--from <url>", "address of SHA256SUMS and the archives (default: that of this release)")
    .option("--force", "install even if the version is installed already or older")
    .after(`
Replaces this executable with that of a release. The list of checksums must be signed by the key that is built into this
executable, the archive must have its checksum, and the new executable must run; otherwise nothing changes. The previous
executable stays beside it as formflag.old; installing the same version again leaves that as it is. A running server
continues with the old version until you restart it, which migrates the data.

An executable that npm or Homebrew installed, or one without a key, is not replaced: the error says how to upgrade it.

Examples:
  formflag upgrade --check
  formflag upgrade
  formflag upgrade --version 0.2.0 --from https://downloads.example.com/formflag
`)
    .action(localAction(io, parse, run));
}

type Values = { config: Config; check: boolean; version: string | null; from: string; force: boolean };

function parse(command: Command): Values {
  const config = readConfig(command);
  if (command.getOptionValueSourceWithGlobals("server") === "cli")
    throw usage("--server does not go with upgrade", "run it on the machine of the server");
  type Options = { check?: true; version?: string; from?: string; force?: true };
  const { check = false, version = null, from, force = false } = command.opts<Options>();
  if (version !== null && !VERSION_NUMBER.test(version))
    throw usage(`--version ${version} is not a version`, "it is a number such as 0.2.0");
  if (check && force) throw usage("--check does not go with --force", "--check installs nothing");
  return { config, check, version: version?.replace(/^v/, "") ?? null, from: folderOf(from), force };
}

/** The address of the folder of a release, or empty. */
function folderOf(from: string | undefined): string {
  if (from === undefined) return RELEASE.download;
  const url = URL.parse(from);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw usage(
      `--from ${from} is not a web address`,
      "it looks like https://downloads.example.com/formflag",
    );
  return from.replace(/\/+$/, "");
}

async function run(io: Io, { config, ...values }: Values): Promise<void> {
  const { report, progress } = createPrinter(io, config);
  const { findUpgrade, install } = await import("./install.ts");
  const found = await findUpgrade(values);
  const { version, isNewer, isInstalled } = found;
  const service = serviceDifference(null);
  const ofService = service === null ? "" : shown`${service.message}: ${service.hint}\n`;
  const about = { installed: VERSION, version, newer: isNewer };
  if (values.check) {
    const text = isNewer
      ? shown`formflag ${version} is there, this is ${VERSION}: formflag upgrade installs it\n`
      : shown`formflag ${VERSION} is the newest version\n`;
    return await report(about, text + ofService);
  }
  if (isInstalled && !values.force) {
    const text = shown`formflag ${VERSION} is installed already: --force installs it again\n`;
    return await report({ ...about, upgraded: false }, text + ofService);
  }
  const { executable, old } = await install(found, values, progress());
  await report(
    { ...about, upgraded: true, executable, old },
    shown`formflag ${version} is installed as ${executable}${old === null ? "" : `; ${VERSION} stays as ${old}`}\n` +
      (ofService || "start a running server again, which migrates its data: systemctl restart formflag\n"),
  );
}
