import type { ServeConfig } from "./config.ts";

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
