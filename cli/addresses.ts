import type { ServeConfig } from "./serve-config.ts";
import type { Listen } from "./values.ts";

/** Where each service of a server on this machine answers, without a slash at the end; null where its port is 0. */
export type Origins = Record<"forms" | "flags" | "admin" | "metrics", string | null>;

/** From what `serve` is told, as a program of this machine reaches it: that needs no base path. */
export function originsOf(config: ServeConfig): Origins {
  const { listen, formsListen, flagsListen, adminListen, metricsListen, tls } = config;
  const originOf = ({ hostname, port }: Listen) => {
    const host = ANY[hostname] ?? hostname;
    return port === 0
      ? null
      : `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  };
  return {
    forms: originOf(formsListen ?? listen),
    flags: originOf(flagsListen ?? listen),
    admin: originOf(adminListen ?? listen),
    metrics: originOf(metricsListen ?? adminListen ?? listen),
  };
}

/** Addresses that stand for every one of this machine can be listened on, not connected to. */
const ANY: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** How long a server may take to answer, in milliseconds. */
const PATIENCE = 5000;

/** What came back from a server; `refused` where nothing listens there. */
export type Answer =
  | { status: number; text: string; location: string | null }
  | { status: null; failure: string; refused: boolean };

/**
 * Asks a server, following nothing, for 5 seconds at most. The certificate of a server of ours, on this machine, is
 * not verified: it is made for another name.
 */
export async function ask(url: string, { isOurs = isLoopbackUrl(url) } = {}): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
      tls: { rejectUnauthorized: !isOurs },
      // Where HTTP_PROXY is set, a server of this machine is still asked directly.
      ...(isOurs ? { proxy: false } : {}),
    });
    const location = answer.headers.get("location");
    return { status: answer.status, text: await answer.text(), location };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = "code" in error ? String(error.code) : "";
    const known = error.name === "TimeoutError" ? "did not answer within 5 seconds" : FAILURES[code];
    return {
      status: null,
      failure: known ?? `cannot be reached (${code})`,
      refused: code === "ECONNREFUSED",
    };
  }
}

const FAILURES: Record<string, string> = {
  ECONNREFUSED: "cannot be reached: nothing listens there",
  ENOTFOUND: "cannot be reached: its name is not known",
  ECONNRESET: "closed the connection",
  EPROTO: "does not speak TLS",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a certificate that it signed itself",
  SELF_SIGNED_CERT_IN_CHAIN: "has a certificate of an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "has a certificate of an unknown authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name",
  CERT_HAS_EXPIRED: "has a certificate that has expired",
};

/** Whether an answer of 200 is one of formflag's, and not of whatever else listens there. */
export function isHealthy(answer: Answer): boolean {
  return answer.status === 200 && typeof jsonOf(answer)["status"] === "string";
}

/** The object that an answer holds; an empty one where it holds none. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.status === null ? "" : answer.text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isLoopbackUrl(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
