import type { Context } from "hono";
import type { Caller } from "../../access/caller.ts";
import type { SignedIn } from "../../access/sign-in.ts";
import type { OidcProvider } from "../../access/oidc/provider.ts";
import type { OidcRules } from "../../access/oidc/settings.ts";
import type { Role } from "../../access/role.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import type { CommitMinute } from "../../maintenance/commit-latency.ts";
import type { Finding } from "../../maintenance/finding.ts";
import type { ServerFacts } from "../../maintenance/status.ts";
import type { ReadDocument } from "../../access/oauth/clients.ts";
import type { Client } from "../address.ts";
import type { Sites } from "../mcp/oauth/site.ts";
import type { Report } from "../errors.ts";
import type { Guard } from "../rate-limit.ts";

export type DashboardEnv = {
  Bindings: { client: Client; peer: (request: Request) => string };
  Variables: {
    /** Session of the signed-in user; missing on pages that need no sign-in. */
    session?: { signedIn: SignedIn; secret: string };
    /** The same of a user who has to set up a second factor before anything else; `session` is then missing. */
    unready?: { signedIn: SignedIn; secret: string };
    caller: Caller;
    /** The fingerprint for the page's stream of events. */
    since?: string;
  };
};

export type DashboardContext = Context<DashboardEnv>;

export type DashboardOptions = {
  version: string;
  report: Report;
  /** Prefix of every path, or empty. */
  basePath: string;
  publicUrl: string | null;
  /** URL of the dashboard; null if unknown. */
  dashboardUrl: string | null;
  guard: Guard;
  outgoing: () => Promise<Outgoing>;
  /** The commit of the source that the executable was built from. */
  commit: string;
  /** Checks the server and its machine as the doctor does; with `connects` also what it connects to, for some seconds. */
  findings: (connects: boolean) => Promise<readonly Finding[]>;
  /** Facts of the server, of which the pages use the backups. */
  status?: () => ServerFacts;
  /** How long the commits of the last 24 hours took, oldest first. */
  commitMinutes: () => readonly CommitMinute[];
  /** Registers what ends the open streams when the server stops. */
  onStop: (close: () => void) => void;
  /** How people sign assistants in; null if none are served. `read` gets the documents of clients. */
  assistants: (Sites & { registers: boolean; read: ReadDocument }) | null;
  /** The weakest role that needs a second factor beside a password or a link; null for none. */
  secondFactor: Role | null;
  /** The header in which trusted proxies name the user, and the role of users they name first; null for none. */
  /** Whether passwords sign in. */
  passwords: boolean;
  /** The OpenID provider where people sign in; null for none. It needs the URL of the dashboard. */
  oidc: { rules: OidcRules; provider: () => Promise<OidcProvider> } | null;
  proxy: { header: string; isTrusted: (address: string) => boolean; createAs: Role | null } | null;
};
