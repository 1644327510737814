import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import { HEALTH_PATH, METRICS_PATH } from "../../src/http/paths.ts";
import { isLocked } from "../../src/store/sqlite/lock.ts";
import { ask, isHealthy, originsOf } from "../addresses.ts";
import type { ServeConfig } from "../serve-config.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** Whether a server runs on the data directory, where that is `usable`, who answers at its addresses, and what is in front of it. */
export async function checkServer(config: ServeConfig, usable: boolean): Promise<Finding[]> {
  const { isServed, findings } = usable ? checkLock(config.data) : { isServed: false, findings: [] };
  const origins = originsOf(config);
  const addresses = [...new Set([origins.forms, origins.flags, origins.admin])];
  return [
    ...findings,
    ...(await Promise.all(addresses.map((origin) => checkAddress(origin, isServed)))),
    ...(config.publicUrl === null ? [] : [await checkPublicUrl(config.publicUrl)]),
    await checkProxy(config, origins.metrics),
  ];
}

function checkLock(data: string): { isServed: boolean; findings: Finding[] } {
  const check = "server";
  try {
    const isServed = isLocked(join(data, "serve.lock"));
    return { isServed, findings: [ok(check, `${isServed ? "one" : "none"} runs on this data directory`)] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = error.hint ?? "look at the permissions of the data directory";
    return { isServed: false, findings: [problem(check, error.message, hint)] };
  }
}

async function checkAddress(origin: string | null, isServed: boolean): Promise<Finding> {
  if (origin === null) return ok("address", "port 0 is a free one each time");
  const check = "address";
  const answer = await ask(`${origin}${HEALTH_PATH}`, { isOurs: true });
  if (answer.status === null && answer.refused) {
    if (!isServed) return ok(check, `${origin} is free`);
    const hint = "give this command the options and variables that the server has";
    return warning(check, `nothing answers at ${origin}, though a server runs`, hint);
  }
  if (answer.status === null)
    return problem(check, `${origin} ${answer.failure}`, "another program has the port: see --listen");
  if (isHealthy(answer)) {
    if (isServed) return ok(check, `formflag answers at ${origin}`);
    const hint = "stop that one, or choose another address with --listen";
    return warning(check, `a formflag on another data directory answers at ${origin}`, hint);
  }
  if (isServed && answer.status >= 500)
    return problem(check, `formflag at ${origin} is not healthy: ${answer.text}`, "see its log");
  const hint = "stop it, or choose another address with --listen";
  return problem(check, `another program answers at ${origin} (${answer.status})`, hint);
}

async function checkPublicUrl(publicUrl: string): Promise<Finding> {
  const check = "public URL";
  const url = `${publicUrl.replace(/\/+$/, "")}${HEALTH_PATH}`;
  const answer = await ask(url);
  if (answer.status === null)
    return warning(
      check,
      `${url} ${answer.failure}`,
      "is the proxy running? a home router may hide it from here",
    );
  if (isHealthy(answer)) return ok(check, `${url} is answered by formflag`);
  if (answer.location !== null) {
    const hint = "let --public-url be where that leads, or let the proxy pass it on";
    return warning(check, `${url} redirects to ${answer.location}`, hint);
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

/** Whether the addresses of senders are known: behind a proxy that is not trusted, all have the proxy's. */
async function checkProxy(
  { publicUrl, trustedProxies, tls }: ServeConfig,
  origin: string | null,
): Promise<Finding> {
  const check = "proxy";
  const metrics = origin === null ? undefined : await ask(`${origin}${METRICS_PATH}`, { isOurs: true });
  const ignored =
    metrics?.status === 200 ? /^formflag_forwarded_ignored_total(?:\{.*\})? (\d+)/m.exec(metrics.text) : null;
  if (Number(ignored?.[1] ?? 0) > 0) {
    return warning(
      check,
      `requests come through a proxy that is not trusted (${ignored![1]} so far): each sender looks like that proxy`,
      "tell the server its address: --trusted-proxy <cidr>",
    );
  }
  if (trustedProxies.length > 0) return ok(check, `trusts ${trustedProxies.join(", ")}`);
  if (!ignored && publicUrl?.startsWith("https:") && !tls) {
    const hint = "if a proxy stands in front, tell the server its address: --trusted-proxy <cidr>";
    return warning(check, "--public-url is https, but no proxy is trusted", hint);
  }
  return ok(check, "none is trusted");
}
