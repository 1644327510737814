import type { Answer } from "../../src/maintenance/doctor/surroundings.ts";
import { type Listen, localHost } from "../serve/address.ts";
import type { ServeConfig } from "../serve/config.ts";
import { chunksOf, failureOf, isLoopbackUrl, readAtMost } from "./connection.ts";

/** The origin of each service of a server on this machine, without a trailing slash; null if its port is 0. */
export type Origins = Record<"forms" | "flags" | "admin" | "metrics", string | null>;

/** The origins by the options of `serve`, as a program on this machine reaches them: without the base path. */
export function originsOf(config: ServeConfig): Origins {
  const { listen, formsListen, flagsListen, adminListen, metricsListen, tls, domain } = config;
  const originOf = ({ hostname, port }: Listen) => {
    return port === 0 ? null : `${(tls ?? domain) ? "https" : "http"}://${localHost(hostname)}:${port}`;
  };
  return {
    forms: originOf(formsListen ?? listen),
    flags: originOf(flagsListen ?? listen),
    admin: originOf(adminListen ?? listen),
    metrics: originOf(metricsListen ?? adminListen ?? listen),
  };
}

/** How long a server may take to answer, in milliseconds, and with how many bytes. */
const PATIENCE = 5000;
const MAX_ANSWER = 4 * 1024 * 1024;

/**
 * Sends a request without following redirects, and waits 5 seconds at most. The certificate of a server on this machine
 * is not verified, because it names another host; `ca` are the certificates to trust for others, in place of the usual ones.
 */
export async function probe(
  url: string,
  { isOurs = isLoopbackUrl(url), ca = null as string | null } = {},
): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
      tls: { rejectUnauthorized: !isOurs, ...(ca !== null && { ca }) },
      // A server on this machine is reached directly, even with HTTP_PROXY.
      ...(isOurs ? { proxy: false } : {}),
    });
    const bytes = await readAtMost(chunksOf(answer.body), MAX_ANSWER);
    if (bytes === null)
      return { status: null, failure: "answers without an end", refused: false, distrusted: false };
    return { status: answer.status, text: new TextDecoder().decode(bytes), headers: answer.headers };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code, text, isCertificate } = failureOf(error);
    const failure = error.name === "TimeoutError" ? "did not answer within 5 seconds" : text;
    return { status: null, failure, refused: code === "ECONNREFUSED", distrusted: isCertificate };
  }
}
/** A link with the address of the server that made it, where that knows no address of its own. */
export function withServer(url: string, server: string | null): string {
  return url.startsWith("/") && server !== null ? `${new URL(server).origin}${url}` : url;
}
