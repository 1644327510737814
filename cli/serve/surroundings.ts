import { clock } from "../../src/base/clock.ts";
import type { Finding } from "../../src/maintenance/finding.ts";
import type { KnownCertificate, Surroundings } from "../../src/maintenance/doctor/surroundings.ts";
import type { Backups } from "../../src/maintenance/status.ts";
import { adviceOn } from "../commands/mail.ts";
import { refuseMoved } from "../data/moved.ts";
import { refuseIncomplete } from "../data/open.ts";
import { certificateFiles } from "../data/certificates.ts";
import { originsOf, probe } from "../session/addresses.ts";
import { env } from "../session/env.ts";
import { hintFor } from "../session/hints.ts";
import { nameOfUser } from "../session/user.ts";
import type { ServeConfig } from "./config.ts";
import type { DomainSettings } from "./domain/domain-options.ts";
import { loadOutgoing, requireSecret } from "./outgoing-config.ts";
import { threadCount } from "./threads/count.ts";

/**
 * Facts for the doctor about this machine and a server with that configuration, which runs beside this process or does not; `ca`
 * are the certificates to trust at its public URL.
 */
export function surroundingsOf(
  config: ServeConfig,
  backups: Backups,
  { isRunning = false, ca = null as string | null } = {},
): Surroundings {
  return {
    env,
    origins: originsOf(config),
    probe: (url, options) => probe(url, { ...options, ca }),
    async loadMail() {
      const { mail } = await loadOutgoing(config.outgoing, env);
      return isRunning ? requireSecret(mail) : mail;
    },
    oidc: config.oidc && {
      issuer: config.oidc.client.issuer,
      read: async () => (await import("../../src/send/oidc.ts")).discover(config.oidc!.client),
    },
    refuseMoved,
    refuseIncomplete,
    threads: () => threadCount(config),
    certificate: () => config.domain && knownCertificate(config.domain, config.data),
    async checkAuthority() {
      const [{ readAuthority }, { checkAuthority }] = await Promise.all([
        import("./domain/domain.ts"),
        import("../../src/send/acme/authority.ts"),
      ]);
      await checkAuthority(await readAuthority(config.domain!));
    },
    nameOfUser,
    option: (setting) => `--${setting}`,
    hintFor: (error) => hintFor(error, undefined),
    adviceOn,
    backups,
    async probeBackups() {
      if (config.backups === null || config.backups.bucket === null) return [];
      const [{ requirePlaces }, { probeArchives }] = await Promise.all([
        import("./backups/require-places.ts"),
        import("../../src/blobs/s3/probe.ts"),
      ]);
      const findings = await probeArchives(requirePlaces(config.backups)!);
      const isUsable = findings.every(({ status }) => status !== "problem");
      // Servers of a shared database without a folder record on no disk what arrived.
      return backups.arrived === undefined && isUsable
        ? [...findings, await checkNewest(config.backups.bucket, config.backups.every)]
        : findings;
    },
  };
}

/** Checks the age of the newest backup of a server in a bucket. */
async function checkNewest(place: string, every: number): Promise<Finding> {
  const [{ automaticIn }, { checkArrived }] = await Promise.all([
    import("./backups/making.ts"),
    import("../../src/maintenance/doctor/backups.ts"),
  ]);
  const now = clock.now();
  const [newest = null] = await automaticIn(place, now);
  return checkArrived(newest, { place, every }, now);
}

/** The certificate of these domains in a data directory, and how its last order went. */
export function knownCertificate({ names, directory }: DomainSettings, data: string): KnownCertificate {
  const files = certificateFiles(data, directory);
  return { names, kept: files.certificate(), failure: files.attempts().failure };
}
