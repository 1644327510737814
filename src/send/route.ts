import { clock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { parseHttpUrl, type Target } from "../delivery/target.ts";
import { createAddressPolicy } from "./networks.ts";

/** Milliseconds in which a request has to be answered. */
export const SEND_TIMEOUT_MS = 15_000;

/** The rules for outgoing connections. */
export type SendPolicy = {
  /** Whether a connection to an address is allowed. */
  isAllowed: (address: string) => boolean;
  /** The addresses of a host name, at least one. */
  resolve: (host: string) => Promise<string[]>;
  /** Milliseconds since 1970. */
  now: () => number;
  /** PEM certificates to trust instead of those of the system; for tests. */
  ca?: string;
};

/** The policy of a server: global addresses and the networks that its operator permits, names as the system resolves them. */
export function createSendPolicy(permitted: readonly string[], now: () => number): SendPolicy {
  return { isAllowed: createAddressPolicy(permitted), resolve: resolveName, now };
}

async function resolveName(host: string): Promise<string[]> {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(host, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}

/**
 * Resolves the host of a URL once and returns its addresses. A connection goes to one of these and never to the name,
 * which may have other addresses a moment later. Throws `invalid` with the reason `target-unresolved` for an unknown
 * name, and with `target-not-public` unless every address is allowed; rejects with the reason of the signal.
 */
export async function findAddresses(
  { isAllowed, resolve }: SendPolicy,
  url: URL,
  signal: AbortSignal,
): Promise<string[]> {
  const host = url.hostname;
  const literal = literalAddress(host);
  const addresses = literal ?? (await untilAborted(lookUp(resolve, host), signal));
  if (addresses.every(isAllowed)) return addresses;
  const what = literal ? "is" : "has an address that is";
  throw new AppError(
    "invalid",
    `${host} ${what} neither public nor permitted by the operator of this server`,
    {
      reason: "target-not-public",
    },
  );
}

/**
 * Checks that a request can be sent to a target, as every attempt does. Throws the errors of {@link findAddresses}, and
 * `invalid` after 15 seconds without an answer of the name service.
 */
export async function checkTarget(
  policy: SendPolicy,
  target: Target,
  timeoutMs = SEND_TIMEOUT_MS,
): Promise<void> {
  // The mail server is the operator's.
  if (target.kind === "mail") return;
  const url = parseHttpUrl(target.url);
  const timeout = new AbortController();
  const timer = clock.after(timeoutMs, () => timeout.abort(unresolved(url.hostname, "no answer")));
  try {
    await findAddresses(policy, url, timeout.signal);
  } finally {
    timer.close();
  }
}

/** The address in a URL's host; undefined for a name. The URL parser has written numbers such as `0x7f.1` as an address. */
function literalAddress(host: string): string[] | undefined {
  if (host.startsWith("[")) return [host.slice(1, -1)];
  return process.getBuiltinModule("node:net").isIPv4(host) ? [host] : undefined;
}

async function lookUp(resolve: SendPolicy["resolve"], host: string): Promise<string[]> {
  let addresses: string[];
  try {
    addresses = await resolve(host);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // Errors of the name service have a code; any other is a bug.
    if (typeof code !== "string") throw error;
    throw unresolved(host, code);
  }
  if (addresses.length === 0) throw unresolved(host, "no address");
  return addresses;
}

function unresolved(host: string, why: string): AppError {
  return new AppError("invalid", `the name ${host} cannot be resolved (${why}): check its spelling`, {
    reason: "target-unresolved",
  });
}

/** Settles as the promise does, or rejects with the reason of the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
