import type { ServeConfig } from "./config.ts";
import { linkBaseOf } from "./dashboard-config.ts";

/** The addresses of the admin API that a request of a page, or to a name, may have. */
export function ownAddresses(config: ServeConfig): { urls: string[]; isLocal: boolean } {
  const { publicUrl, dashboardUrl, trustedProxies, adminListen, listen } = config;
  const { hostname } = adminListen ?? listen;
  const isLoopback = /^(localhost|127\.[\d.]+|::1)$/.test(hostname);
  return {
    urls: [publicUrl, dashboardUrl].filter((url) => url !== null),
    isLocal: isLoopback && publicUrl === null && trustedProxies.length === 0,
  };
}

/** URL of the dashboard for browsers, by default on this machine; null if none is served. */
export function dashboardOf(
  config: ServeConfig,
  places: { hasDashboard: boolean }[],
  listeners: { localOrigin: string }[],
): string | null {
  const listener = listeners[places.findIndex(({ hasDashboard }) => hasDashboard)];
  return listener ? (linkBaseOf(config) ?? `${listener.localOrigin}${config.basePath}`) : null;
}
