import { disposableEmailBlocklistSet } from "disposable-email-domains-js";

/**
 * Domains of disposable mail services: 9,000 of them in 3 MB of memory. Import this file on demand, so that only a
 * server that uses the list loads it.
 */
const DOMAINS = disposableEmailBlocklistSet();

/** Whether a domain in lower case, or one that it is a subdomain of, belongs to a disposable mail service. */
export function isDisposable(domain: string): boolean {
  for (let start = 0; ;) {
    if (DOMAINS.has(domain.slice(start))) return true;
    const dot = domain.indexOf(".", start);
    if (dot === -1) return false;
    start = dot + 1;
  }
}
