import type { Outgoing } from "../delivery/outgoing.ts";
import type { CommitMinute } from "../maintenance/commit-latency.ts";
import { NO_BACKUPS, type ServerFacts } from "../maintenance/status.ts";
import type { Deployment, Download } from "../operations/deployment.ts";
import { feedUrl, formUrl } from "./forms/links.ts";
import { dashboardLink, pageLink } from "./paths.ts";

export type DeploymentOptions = {
  version: string;
  publicUrl?: string | null;
  basePath?: string;
  /** URL of the dashboard for browsers, with the base path; null if unknown. */
  dashboardUrl?: string | null;
  /** Opens connections to targets and the mail server, on demand. */
  outgoing: () => Promise<Outgoing>;
  /** How long the commits of a server took: see `createCommitLatency`. */
  commitMinutes?: () => readonly CommitMinute[];
  /** Facts of the server; none for an API without a server around it. */
  status?: () => ServerFacts;
  findings?: Deployment["findings"];
  /** Begins a backup that is downloaded. */
  backup?: () => Promise<Download>;
};

/** The server as the operations know it that are called over HTTP. */
export function createDeployment({
  version,
  publicUrl = null,
  basePath = "",
  dashboardUrl,
  outgoing,
  commitMinutes = () => [],
  status = () => factsWithout(version),
  findings = async () => [],
  backup,
}: DeploymentOptions): Deployment {
  return {
    outgoing,
    sendsMail: async () => (await outgoing()).mail !== null,
    knowsUrl: async () => publicUrl !== null,
    formUrl: (key) => formUrl(publicUrl, basePath, key),
    feedUrl: (token, format) => feedUrl(publicUrl, basePath, token, format),
    signInUrl: (secret) => dashboardLink(dashboardUrl ?? basePath, secret),
    pageUrl: (path) => pageLink(dashboardUrl ?? basePath, path),
    commitMinutes,
    status,
    findings,
    backup,
  };
}

function factsWithout(version: string): ServerFacts {
  const nowhere = { startedAt: null, address: null, dashboard: null, data: null };
  return { version, ...nowhere, database: { kind: "sqlite", name: "" }, backup: NO_BACKUPS };
}
