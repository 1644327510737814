import { existsSync, readFileSync } from "node:fs";
import { Option } from "commander";
import { asciiDomain } from "../../../src/base/address-spelling.ts";
import { isMailAddress } from "../../../src/delivery/address.ts";
import { listOption } from "../../session/command-line.ts";
import { usage } from "../../session/usage.ts";
import { type Listen, listenValue } from "../address.ts";

/** The directory of Let's Encrypt. */
const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/** Names of a certificate, as Let's Encrypt limits them. */
const MOST_NAMES = 100;

/** The domains of a server that gets its certificate itself. Files are named and not yet read. */
export type DomainSettings = {
  /** In ASCII and small letters, the first one that of links. */
  names: string[];
  /** The address of plain HTTP, for the authority and browsers without HTTPS. */
  http: Listen;
  /** URL of the directory of the authority. */
  directory: string;
  caFile: string | null;
  /** The file with the key of an account with the authority. */
  bindingFile: string | null;
  email: string | null;
};

/** The options of HTTPS with a certificate that the server gets by itself (ACME). */
export function domainOptions(): Option[] {
  return [
    listOption(
      "--domain <name...>",
      "serve HTTPS for this domain on ports 443 and 80, with a certificate that the server gets and renews itself",
    ).env("FORMFLAG_DOMAIN"),
    new Option(
      "--http-listen <address>",
      "address of plain HTTP with --domain, which redirects to HTTPS; port 80 of the domain has to lead to it (default: port 80)",
    ).env("FORMFLAG_HTTP_LISTEN"),
    new Option("--acme-email <address>", "address that the authority of the certificate may write to").env(
      "FORMFLAG_ACME_EMAIL",
    ),
    new Option("--acme-url <url>", "directory of another authority than Let's Encrypt").env(
      "FORMFLAG_ACME_URL",
    ),
    new Option("--acme-ca <file>", "certificates in PEM to trust for that authority").env("FORMFLAG_ACME_CA"),
    new Option(
      "--acme-eab <file>",
      "file with the id and the key of an account with that authority, one on each line",
    ).env("FORMFLAG_ACME_EAB"),
  ];
}

type Given = {
  domain?: string[];
  httpListen?: string;
  acmeEmail?: string;
  acmeUrl?: string;
  acmeCa?: string;
  acmeEab?: string;
};

/** The settings of `domainOptions`; null without a domain. Throws `invalid`. */
export function readDomain(options: Record<string, unknown>): DomainSettings | null {
  const given = options as Given;
  if (given.domain === undefined) {
    const alone = (["httpListen", "acmeEmail", "acmeUrl", "acmeCa", "acmeEab"] as const).find(
      (name) => given[name] !== undefined,
    );
    if (alone === undefined) return null;
    const option = domainOptions().find((each) => each.attributeName() === alone)!.long!;
    throw usage(`${option} needs --domain`, "name the domain whose certificate the server gets");
  }
  const names = [...new Set(given.domain.map(nameOf))];
  if (names.length > MOST_NAMES) throw usage(`--domain names at most ${MOST_NAMES} domains`);
  const directory = given.acmeUrl ?? LETS_ENCRYPT;
  if (URL.parse(directory)?.protocol !== "https:")
    throw usage(`--acme-url ${directory} is not the address of an authority`, "it begins with https://");
  if (/^https:\/\/[^/]*@/i.test(directory))
    throw usage(
      "the address of --acme-url holds a user or a password",
      "leave them out: an account is named with --acme-eab",
    );
  const email = given.acmeEmail ?? null;
  if (email !== null && !isMailAddress(email))
    throw usage(`--acme-email ${email} is not an address`, "it looks like ann@example.com");
  return {
    names,
    http: listenValue(given.httpListen ?? everyAddress(80), "--http-listen"),
    directory,
    caFile: given.acmeCa ?? null,
    bindingFile: given.acmeEab ?? null,
    email,
  };
}

/** The text of a port of all addresses of this machine. */
export function everyAddress(port: number): string {
  return `${hasIPv6() ? "[::]" : "0.0.0.0"}:${port}`;
}

const TABLE = "/proc/self/net/if_inet6";

/** Whether this machine has IPv6. On Linux, a file says so: the unit of a service closes the socket that lists addresses. */
function hasIPv6(): boolean {
  if (process.platform === "linux") return existsSync(TABLE) && readFileSync(TABLE, "utf8") !== "";
  const all = Object.values(process.getBuiltinModule("node:os").networkInterfaces()).flat();
  return all.some((each) => each?.family === "IPv6");
}

const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`);

function nameOf(text: string): string {
  const hint = "it looks like forms.example.com";
  if (/^https?:\/\//.test(text))
    throw usage(
      `--domain ${text} is a URL`,
      `write the name alone: --domain ${URL.parse(text)?.hostname || "forms.example.com"}`,
    );
  if (text.startsWith("*."))
    throw usage(
      `--domain ${text} stands for many names, which need a proof in DNS`,
      "name each domain, or pass a certificate of your own with --tls-cert and --tls-key",
    );
  const alone = /^([^:]*[a-z][^:]*?)(?::\d+|\.)$/i.exec(text)?.[1];
  if (alone !== undefined)
    throw usage(`--domain ${text} is more than a name`, `write the name alone: --domain ${alone}`);
  const name = asciiDomain(text);
  if (/^[\d.]+$|:/.test(text))
    throw usage(`--domain ${text} is an address, and certificates are for names`, hint);
  if (name.length > 253 || !DOMAIN.test(name))
    throw usage(`--domain ${text.slice(0, 260)} is not the name of a domain`, hint);
  return name;
}
