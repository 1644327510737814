import type { AppError } from "../../base/errors.ts";
import type { Finding } from "../finding.ts";
import type { Backups } from "../status.ts";
import type { MailConfig } from "../../send/mail/service.ts";

/** Facts that only the caller of doctor knows: the options, the environment and the addresses of a server. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  /** The origin of each service, without a trailing slash; null if its port is 0. */
  origins: Record<"forms" | "flags" | "admin" | "metrics", string | null>;
  /** Sends a request without following redirects; `isOurs` is true for a server of this machine, whose certificate is not verified. */
  probe: (url: string, options?: { isOurs: boolean }) => Promise<Answer>;
  /** Throws what a server refuses to start with. */
  loadMail: () => Promise<MailConfig | null>;
  /** The issuer of an OpenID provider, whose metadata `read` gets; null for none. */
  oidc: { issuer: string; read: () => Promise<unknown> } | null;
  /** Throws `forbidden` for a data directory whose data has been moved. */
  refuseMoved: (data: string) => void;
  /** Throws `unsupported` for a data directory with a part missing. */
  refuseIncomplete: (data: string) => void;
  /** How many threads serve. */
  threads: () => number;
  /** The certificate that the server gets itself; null for a server without domains. */
  certificate: () => KnownCertificate | null;
  /** Throws why no certificate can be ordered from the authority of the server. */
  checkAuthority: () => Promise<void>;
  nameOfUser: (uid: number) => string | undefined;
  /** The option of a setting, for hints. */
  option: (setting: string) => string;
  hintFor: (error: AppError) => string | null;
  /** Advice after a mail server did not take a message. */
  adviceOn: (failure: string) => string;
  /** The backups that are known. */
  backups: Backups;
  /** Checks the bucket of backups by what its storage answers; empty without one. Throws what a server refuses to start with. */
  probeBackups: () => Promise<Finding[]>;
};

/** The certificate of a server that gets it itself: times in milliseconds since 1970. */
export type KnownCertificate = {
  names: readonly string[];
  /** The kept certificate; null for none. */
  kept: { names: readonly string[]; from: number; until: number } | null;
  /** Why the last order failed; null if it did not. */
  failure: { message: string; hint: string | null; next: number } | null;
};

/** The settings of a server that doctor checks. */
export type Server = {
  data: string;
  listen: { hostname: string };
  formsListen: { hostname: string } | null;
  publicUrl: string | null;
  trustedProxies: readonly string[];
  outgoing: { targetNetworks: string[] };
};

/** The answer of a server; `refused` is true if nothing listens at the address, `distrusted` if its certificate is not trusted. */
export type Answer =
  | { status: number; text: string; headers: Headers }
  | { status: null; failure: string; refused: boolean; distrusted: boolean };

/** Whether an answer is a 200 of formflag, not of another program. */
export function isHealthy(answer: Answer): boolean {
  return answer.status === 200 && typeof jsonOf(answer)["status"] === "string";
}

/** The JSON object of an answer; empty if it holds none. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.status === null ? "" : answer.text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
