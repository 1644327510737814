import { isLoopbackHost } from "../../../base/network.ts";
import { MCP_PATH } from "../../paths.ts";

/** The addresses of a server, as far as it knows them. */
export type Sites = {
  /** URLs of the admin API for browsers, the usual one first. */
  urls: readonly string[];
  basePath: string;
};

/**
 * The address of the server that a request has come to, without a slash at its end. Of a server that does not know its URL,
 * it is that of the request, if this names an address or this machine: any other name could be anyone's. Null then.
 */
export function siteOf(request: Request, { urls, basePath }: Sites): string | null {
  const header = request.headers.get("host") ?? "";
  const host = /[/@\\?#\s]/.test(header) ? null : URL.parse(`http://${header}`);
  const known = urls.find((url) => new URL(url).host === host?.host) ?? urls[0];
  if (known !== undefined) return new URL(known).origin + basePath;
  if (host === null) return null;
  const isAddress = /^(\[.+\]|\d+\.\d+\.\d+\.\d+)$/.test(host.hostname) || isLoopbackHost(host.hostname);
  const { protocol } = new URL(request.url, "http://localhost");
  return isAddress ? `${protocol}//${host.host}${basePath}` : null;
}

/** The sites at which a request to the dashboard may let an assistant sign in. */
export function sitesOf(request: Request, sites: Sites): string[] {
  const here = siteOf(request, sites);
  const known = sites.urls.map((url) => new URL(url).origin + sites.basePath);
  return [...new Set([...(here === null ? [] : [here]), ...known])];
}

/** The resource that tokens are for (RFC 8707). */
export function resourceOf(site: string): string {
  return `${site}${MCP_PATH}`;
}
