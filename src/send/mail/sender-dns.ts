import type { SenderDns, SenderRecord } from "../../delivery/mail-test-schema.ts";
import { isThisMachine } from "../smtp-url.ts";
import { type MailConfig, SERVICES } from "./service.ts";

/** Milliseconds for an answer of a name server. */
const TIMEOUT = 2000;

/** Characters of a record that are read. */
const MAX_RECORD = 4096;

/** Domains that have no records (RFC 2606, RFC 6762). */
const RESERVED = /(?:^|\.)(?:example(?:\.com|\.net|\.org)?|test|invalid|localhost|local)$/;

/** Looks up the texts or the hosts at a name: empty for none, null where no name server answered. */
type LookUp = (type: "TXT" | "MX", name: string) => Promise<string[] | null>;

/**
 * Looks up in DNS what a receiver checks mail of the sender's domain by: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and
 * MX. Domains without records, such as `shop.example`, are looked up only at a name server of the operator's: null without.
 */
export async function inspectSender(mail: MailConfig): Promise<SenderDns | null> {
  const domain = mail.from.address.split("@").at(-1)!.toLowerCase();
  const server = mail.nameServer;
  if (server === null && RESERVED.test(domain)) return null;
  const lookUp = resolverOf(server);
  const [spf, dkim, dmarc, mx] = await Promise.all([
    spfOf(mail, domain, lookUp),
    dkimOf(mail, lookUp),
    dmarcOf(domain, lookUp),
    mxOf(domain, lookUp),
  ]);
  return { domain, records: [spf, dkim, dmarc.record, mx], verdict: verdictOf(domain, spf, dkim, dmarc) };
}

function resolverOf(server: string | null): LookUp {
  const { Resolver } = process.getBuiltinModule("node:dns/promises");
  const resolver = new Resolver({ timeout: TIMEOUT, tries: 1 });
  if (server !== null) resolver.setServers([server]);
  return async (type, name) => {
    try {
      if (type === "MX") return (await resolver.resolveMx(name)).map(({ exchange }) => exchange);
      return wholeTexts((await resolver.resolveTxt(name)).flat()).map((text) => text.slice(0, MAX_RECORD));
    } catch (error) {
      const { code } = error as { code?: string };
      return code === "ENOTFOUND" || code === "ENODATA" ? [] : null;
    }
  };
}

/** Texts of their parts: the runtime gives each part as a record of its own. A part that another one follows has 255 bytes. */
function wholeTexts(parts: readonly string[]): string[] {
  const texts: string[] = [];
  let isOpen = false;
  for (const part of parts) {
    if (isOpen) texts.push(texts.pop() + part);
    else texts.push(part);
    isOpen = Buffer.byteLength(part) === 255;
  }
  return texts;
}

async function spfOf(mail: MailConfig, domain: string, lookUp: LookUp): Promise<SenderRecord> {
  const found = (await lookUp("TXT", domain))?.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (found === undefined) return unknown("SPF");
  const service = "service" in mail ? mail.service : null;
  const mechanism = service === null ? null : SERVICES[service].spf;
  const [record, ...others] = found;
  if (record === undefined) {
    if (service !== null && mechanism === null)
      return ok("SPF", `no record is needed: ${service} has a return address of its own`);
    const host = "host" in mail && !isThisMachine(mail.host) ? `a:${mail.host}` : "a";
    const wanted = `v=spf1 ${mechanism ?? `mx ${host}`} ~all`;
    return missing("SPF", "no record names the servers that send for the domain", recordOf(domain, wanted));
  }
  if (others.length > 0)
    return wrong("SPF", "there are several records, which count as none: keep one", null);
  if (/\s\+?all$/i.test(record))
    return wrong("SPF", "the record lets every server send: end it with ~all", null);
  if (mechanism === null || record.toLowerCase().includes(mechanism) || /\bredirect=/i.test(record))
    return ok("SPF", record);
  const [, all = ""] = / ([-~?]all)$/i.exec(record) ?? [];
  const rest = record.slice(0, record.length - all.length).trimEnd();
  const more = recordOf(domain, `${rest} ${mechanism} ${all || "~all"}`);
  return wrong("SPF", `the record does not name ${service}: replace it`, more);
}

async function dkimOf(mail: MailConfig, lookUp: LookUp): Promise<SenderRecord> {
  if ("service" in mail)
    return unknown("DKIM", `${mail.service} signs, and lists the records of your domain`);
  if (mail.dkim === null)
    return unknown("DKIM", "the mail server may sign: a key of your own signs here if it does not");
  const { createPublicKey } = process.getBuiltinModule("node:crypto");
  const { domain, selector, key } = mail.dkim;
  const name = `${selector}._domainkey.${domain}`;
  const own = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  const texts = await lookUp("TXT", name);
  if (texts === null) return unknown("DKIM");
  const keys = texts.map((text) => tagsOf(text).get("p")?.replaceAll(/\s/g, ""));
  if (keys.includes(own)) return ok("DKIM", `${name} has the key that signs`);
  const add = recordOf(name, `v=DKIM1; k=rsa; p=${own}`);
  return texts.length === 0
    ? missing("DKIM", `${name} has no record, so that signatures cannot be checked`, add)
    : wrong("DKIM", `${name} has another key: replace it`, add);
}

type Dmarc = { record: SenderRecord; policy: string | null };

/** The policy of the domain, or of the nearest domain above it. */
async function dmarcOf(domain: string, lookUp: LookUp): Promise<Dmarc> {
  const labels = domain.split(".");
  for (let above = 0; above === 0 || (above < 4 && labels.length - above >= 2); above += 1) {
    const texts = await lookUp("TXT", `_dmarc.${labels.slice(above).join(".")}`);
    if (texts === null) return { record: unknown("DMARC"), policy: null };
    const text = texts.find((each) => /^v=DMARC1(?:;|\s|$)/i.test(each));
    if (text === undefined) continue;
    const tags = tagsOf(text);
    const policy = ((above > 0 && tags.get("sp")) || tags.get("p"))?.toLowerCase() ?? null;
    return policy === null
      ? { record: wrong("DMARC", `the record has no policy (p=): ${text}`, null), policy }
      : { record: ok("DMARC", text), policy };
  }
  const add = recordOf(`_dmarc.${domain}`, `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`);
  return { record: missing("DMARC", "no record, which large providers want", add), policy: null };
}

/** The tags of a record of DKIM or DMARC, such as `p=none`. */
function tagsOf(text: string): Map<string, string> {
  return new Map(
    text.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim().toLowerCase(), value.join("=").trim()];
    }),
  );
}

async function mxOf(domain: string, lookUp: LookUp): Promise<SenderRecord> {
  const hosts = await lookUp("MX", domain);
  if (hosts === null) return unknown("MX");
  // A host without a name takes no mail (RFC 7505).
  const named = hosts.filter((host) => host !== "" && host !== ".");
  if (named.length > 0) return ok("MX", named.toSorted().join(", "));
  return missing("MX", "no server takes mail for the domain, so that replies and bounces get lost", null);
}

/** The fate of mail from the domain at a receiver that checks it, in a sentence. */
function verdictOf(domain: string, spf: SenderRecord, dkim: SenderRecord, { record, policy }: Dmarc): string {
  if (spf.state === "ok" || dkim.state === "ok") {
    const also = record.state === "missing" ? "; large providers want a DMARC record too" : "";
    return `receivers can check that mail comes from ${domain}${also}`;
  }
  if ([spf, dkim].some(({ message }) => message === NO_ANSWER)) return "name servers did not answer";
  if (dkim.state === "unknown") return "receivers can check mail only if it is signed on its way";
  if (policy === "reject")
    return `receivers refuse mail from ${domain}: nothing proves that it comes from there`;
  if (policy === "quarantine")
    return `receivers take mail from ${domain} for spam: nothing proves that it comes from there`;
  return `many receivers refuse mail from ${domain} or take it for spam: nothing proves that it comes from there`;
}

const NO_ANSWER = "name servers did not answer";

function ok(name: SenderRecord["name"], message: string): SenderRecord {
  return { name, state: "ok", message, add: null };
}

function unknown(name: SenderRecord["name"], message = NO_ANSWER): SenderRecord {
  return { name, state: "unknown", message, add: null };
}

function missing(name: SenderRecord["name"], message: string, add: string | null): SenderRecord {
  return { name, state: "missing", message, add };
}

function wrong(name: SenderRecord["name"], message: string, add: string | null): SenderRecord {
  return { name, state: "wrong", message, add };
}

/** A line of a zone file. A text has parts of at most 255 bytes (RFC 1035, 3.3). */
function recordOf(name: string, text: string): string {
  const parts = text.match(/.{1,255}/g) ?? [];
  return `${name}. TXT ${parts.map((part) => `"${part}"`).join(" ")}`;
}
