import { createAddressList } from "../../src/base/network.ts";
import type { RequestRecord } from "../../src/http/request-record.ts";
import type { Services } from "../../src/http/services.ts";
import { type SiteOptions, createSite } from "../../src/http/site.ts";
import { openServices, openTestApp, siteOptions } from "./app.ts";

export const BASE = "http://site.test";
export const PEER = "198.51.100.7";

/** An app with its services, and sites that place some of them at one address. */
export function openSites() {
  const app = openTestApp();
  const services = openServices(app);
  function openSite(placed: Services, trusted: string[] = [], options: Partial<SiteOptions> = {}) {
    const records: RequestRecord[] = [];
    const site = createSite(placed, {
      ...siteOptions(app),
      isTrustedProxy: createAddressList(trusted),
      log: (record) => void records.push(record),
      report: services.report,
      ...options,
    });
    const ask = async (path: string, init?: RequestInit, peer = PEER) =>
      site.fetch(new Request(`${BASE}${path}`, init), () => peer);
    /** The same request through the paths that a server routes by itself. */
    const askHot = async (route: string, parameter: string, path: string, init?: RequestInit, peer = PEER) =>
      site.hot
        .find((each) => each.path === route && each.method === (init?.method ?? "GET"))!
        .handle(
          new Request(`${BASE}${path}`, init),
          parameter,
          () => peer,
          (answer) => answer,
        );
    return { records, ask, askHot, site };
  }
  return { app, services, openSite };
}
