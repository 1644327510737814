import { readJson } from "./request.ts";
import { createSendPolicy } from "./route.ts";

/**
 * Reads JSON of the internet for a server, such as the document of a client: of at most `bytes`, in `ms` milliseconds, from
 * addresses that targets may have too, without redirects.
 */
export function createReader(targetNetworks: readonly string[], now: () => number, version: string) {
  const policy = createSendPolicy(targetNetworks, now);
  const headers = {
    Accept: "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": `formflag/${version}`,
  };
  return (url: string, limits: { bytes: number; ms: number }) => readJson(policy, url, headers, limits);
}
