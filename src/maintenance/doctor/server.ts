import { NAMES } from "../../storage.ts";
import { join } from "node:path";
import { AppError } from "../../base/errors.ts";
import { isLoopback } from "../../http/address.ts";
import { FORWARDED } from "../../http/operation/health.ts";
import { HEALTH_PATH, METRICS_PATH } from "../../http/paths.ts";
import { isLocked } from "../../store/sqlite/lock.ts";
import { isLoopbackHost } from "../../base/network.ts";
import { type Answer, type Server, type Surroundings, isHealthy } from "./surroundings.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";

/**
 * Checks whether a server runs on the data directory, if that is `usable`, what answers at its addresses, and its
 * proxy.
 */
export async function checkServer(config: Server, usable: boolean, by: Surroundings): Promise<Finding[]> {
  const { isServed, findings } = usable ? checkLock(config.data) : { isServed: false, findings: [] };
  return [...findings, ...(await checkReached(config, isServed, by))];
}

/** Checks what answers at the addresses of a server, and asks it whether it trusts its proxy. */
export function checkReached(config: Server, isServed: boolean | null, by: Surroundings): Promise<Finding[]> {
  const { metrics } = by.origins;
  const countIgnored = async () => (metrics === null ? 0 : countIgnoredAt(metrics, by));
  return checkAddresses(config, isServed, countIgnored, by);
}

/**
 * Checks what answers at the addresses of a server and at its public URL. `isServed` is null if it is not known whether a
 * server runs; `countIgnored` is as of {@link checkForwarded}.
 */
export async function checkAddresses(
  config: Server,
  isServed: boolean | null,
  countIgnored: () => Promise<number>,
  by: Surroundings,
): Promise<Finding[]> {
  const { forms, flags, admin } = by.origins;
  const publicAnswer = config.publicUrl === null ? null : await probePublic(config.publicUrl, by);
  const addresses = [...new Set([forms, flags, admin])];
  return [
    ...(await Promise.all(addresses.map((origin) => checkAddress(origin, isServed, by)))),
    ...(publicAnswer ? [describePublic(publicAnswer, by)] : []),
    await checkProxy(config, publicAnswer, countIgnored, by),
  ];
}

function checkLock(data: string): { isServed: boolean; findings: Finding[] } {
  const check = "server";
  try {
    const isServed = isLocked(join(data, NAMES.serveLock));
    return { isServed, findings: [ok(check, `${isServed ? "one" : "none"} runs on this data directory`)] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = error.hint ?? "check the permissions of the data directory";
    return { isServed: false, findings: [problem(check, error.message, hint)] };
  }
}

async function checkAddress(
  origin: string | null,
  isServed: boolean | null,
  by: Surroundings,
): Promise<Finding> {
  if (origin === null) return ok("address", "port 0 is a free one each time");
  const check = "address";
  const answer = await by.probe(`${origin}${HEALTH_PATH}`, { isOurs: true });
  if (answer.status === null && answer.refused) {
    if (!isServed) return ok(check, `${origin} is free`);
    const hint = "give this command the options and variables that the server has";
    return warning(check, `nothing answers at ${origin}, though a server runs`, hint);
  }
  if (answer.status === null)
    return problem(
      check,
      `${origin} ${answer.failure}`,
      `another program has the port: see ${by.option("listen")}`,
    );
  if (isHealthy(answer)) {
    if (isServed !== false) return ok(check, `formflag answers at ${origin}`);
    const hint = `stop that one, or choose another address with ${by.option("listen")}`;
    return warning(check, `a formflag on another data directory answers at ${origin}`, hint);
  }
  if (isServed && answer.status >= 500)
    return problem(check, `formflag at ${origin} is not healthy: ${answer.text}`, "see its log");
  const hint = `stop it, or choose another address with ${by.option("listen")}`;
  return problem(check, `another program answers at ${origin} (${answer.status})`, hint);
}

/** `distrust` says why a server that answers is not trusted. */
type PublicAnswer = { url: string; answer: Answer; distrust: string | null };

async function probePublic(publicUrl: string, { probe }: Surroundings): Promise<PublicAnswer> {
  const url = `${publicUrl.replace(/\/+$/, "")}${HEALTH_PATH}`;
  const answer = await probe(url);
  if (answer.status !== null || !answer.distrusted) return { url, answer, distrust: null };
  return { url, answer: await probe(url, { isOurs: true }), distrust: answer.failure };
}

function describePublic({ url, answer, distrust }: PublicAnswer, by: Surroundings): Finding {
  const check = "public URL";
  if (distrust !== null) {
    const what = isHealthy(answer) ? "is answered by formflag, but" : "is answered, but";
    const hint =
      by.certificate()?.kept === null
        ? "the check of the certificate says why it has none that is trusted"
        : `browsers refuse it too, unless they trust its authority: ${by.option("ca-file")} names the root certificate of one of your own for this check`;
    return warning(check, `${url} ${what} ${distrust}`, hint);
  }
  if (answer.status === null)
    return warning(
      check,
      `${url} ${answer.failure}`,
      by.certificate() === null
        ? "is the proxy running? a home router may hide it from here"
        : "does the name lead to this machine, and is its port open?",
    );
  if (isHealthy(answer)) return ok(check, `${url} is answered by formflag`);
  const location = answer.headers.get("location");
  if (location !== null) {
    const hint = `let ${by.option("public-url")} be where that leads, or let the proxy pass it on`;
    return warning(check, `${url} redirects to ${location}`, hint);
  }
  if (answer.status >= 502 && answer.status <= 504)
    return problem(
      check,
      `${url} answers ${answer.status}`,
      "does formflag run, and does the proxy reach it?",
    );
  return warning(
    check,
    `${url} answers ${answer.status}, and not as formflag does`,
    "let the proxy pass it on",
  );
}

const trust = ({ option }: Surroundings) => `give the server its address: ${option("trusted-proxy")} <cidr>`;

/**
 * Checks that the server knows the addresses of senders: behind a proxy that is not trusted, all have the proxy's
 * address. The server reports that in its answer at the public URL, and counts such requests in its metrics.
 */
async function checkProxy(
  { publicUrl, trustedProxies, formsListen, listen }: Server,
  publicAnswer: PublicAnswer | null,
  countIgnored: () => Promise<number>,
  by: Surroundings,
): Promise<Finding> {
  const check = "proxy";
  const trusted = trustedProxies.length > 0 ? `trusts ${trustedProxies.join(", ")}` : "none is trusted";
  const isAnswered = publicAnswer !== null && isHealthy(publicAnswer.answer);
  const forwarded = isAnswered ? headerOf(publicAnswer.answer, FORWARDED) : null;
  if (forwarded === "trusted") return ok(check, `${trusted}; ${publicUrl} leads through one of them`);
  if (forwarded === "ignored")
    return warning(
      check,
      `${publicUrl} leads through a proxy that is not trusted: each sender looks like that proxy`,
      trust(by),
    );
  const known = checkForwarded(trustedProxies, await countIgnored(), by);
  if (known.status !== "ok") return known;
  if (publicUrl === null)
    return ok(check, `${trusted}; whether one is in front is not known before a request comes through it`);
  // A server with domains serves HTTPS itself.
  if (by.certificate() !== null) return known;
  if (!isAnswered)
    return warning(
      check,
      `${trusted}; whether one is in front is not known: ${publicUrl} does not lead to the server from here`,
      "run doctor again where it does, beside the running server",
    );
  if (isLoopback((formsListen ?? listen).hostname) && !isLoopbackHost(new URL(publicUrl).hostname))
    return warning(
      check,
      `${publicUrl} leads through a proxy that does not name senders: each looks like that proxy`,
      `let it send X-Forwarded-For, and ${trust(by)}`,
    );
  return ok(check, `${trusted}; a request to ${publicUrl} came without X-Forwarded-For`);
}

/** Checks the proxy by the requests so far: of `ignored`, the `X-Forwarded-For` came from an address that is not trusted. */
export function checkForwarded(
  trustedProxies: readonly string[],
  ignored: number,
  by: Surroundings,
): Finding {
  const check = "proxy";
  if (ignored === 0)
    return ok(check, trustedProxies.length > 0 ? `trusts ${trustedProxies.join(", ")}` : "none is trusted");
  return warning(
    check,
    `requests come through a proxy that is not trusted (${ignored} so far): each sender looks like that proxy`,
    trust(by),
  );
}

/** The number of requests whose X-Forwarded-For was ignored; 0 if this machine may not read the metrics. */
async function countIgnoredAt(origin: string, { probe }: Surroundings): Promise<number> {
  const metrics = await probe(`${origin}${METRICS_PATH}`, { isOurs: true });
  if (metrics.status !== 200) return 0;
  const count = /^formflag_forwarded_ignored_total(?:\{.*\})? (\d+)/m.exec(metrics.text)?.[1];
  return Number(count ?? 0);
}

function headerOf(answer: Answer, name: string): string | null {
  return answer.status === null ? null : answer.headers.get(name);
}
