import { hostname } from "node:os";
import type { Option } from "commander";
import { AppError } from "../../src/base/errors.ts";
import { isAddressRange } from "../../src/base/network.ts";
import { parseMailbox } from "../../src/delivery/address.ts";
import { MAX_RETRY_DELAY, MAX_RETRY_DELAYS } from "../../src/delivery/limits.ts";
import type { Mailbox } from "../../src/delivery/message.ts";
import type { OutgoingConfig } from "../../src/send/outgoing.ts";
import { type SmtpServer, parseSmtpUrl } from "../../src/send/smtp-url.ts";
import { readText } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { durationValue, isUnset } from "../session/values.ts";
import { outgoingOptions } from "./outgoing-options.ts";

/** The settings of outgoing connections, checked. Files are named and not yet read. */
export type OutgoingSettings = {
  targetNetworks: string[];
  mail: MailSettings | null;
};

type MailSettings = {
  server: SmtpServer;
  from: Mailbox;
  helo: string | null;
  passwordFile: string | null;
  caFile: string | null;
  dkim: { domain: string; selector: string; keyFile: string } | null;
};

/** As commander leaves them in `outgoingOptions`, `deliveryOptions` and, for the public URL, the options of `serve`. */
type Given = {
  publicUrl?: string;
  smtpUrl?: string;
  smtpPasswordFile?: string;
  smtpCa?: string;
  mailFrom?: string;
  mailHelo?: string;
  dkimDomain?: string;
  dkimSelector?: string;
  dkimKeyFile?: string;
  targetNetwork?: string[];
  alertMail?: string;
  retryDelays?: string;
};

/** How a setting is called in messages: `--smtp-url` or `FORMFLAG_SMTP_URL`. */
type NameOf = (option: `--${string}`) => string;

const asOption: NameOf = (option) => option;
const asVariable: NameOf = (option) => `FORMFLAG_${option.slice(2).toUpperCase().replaceAll("-", "_")}`;

/** The settings of outgoing connections by the options of `serve`. Throws `invalid`. */
export function readOutgoing(options: Record<string, unknown>, nameOf = asOption): OutgoingSettings {
  const given = options as Given;
  const targetNetworks = given.targetNetwork ?? [];
  for (const range of targetNetworks) {
    if (!isAddressRange(range))
      throw usage(`${nameOf("--target-network")} ${range} is not an address range`, "write 192.168.0.0/16");
  }
  return { targetNetworks, mail: mailOf(given, nameOf) };
}

/** The address that gets mail about failed deliveries; null for none. Throws `invalid`, also without a mail server. */
export function readAlertMail(options: Record<string, unknown>): string | null {
  const { alertMail, smtpUrl } = options as Given;
  if (alertMail === undefined) return null;
  if (smtpUrl === undefined) throw needsServer("--alert-mail", asOption);
  return within("--alert-mail", () => parseMailbox(alertMail)).address;
}

/** Seconds to wait after each failed try; empty for one try. Throws `invalid`. */
export function readRetryDelays(options: Record<string, unknown>): number[] {
  const option = "--retry-delays";
  const text = (options as Given).retryDelays ?? "";
  const words = isUnset(text) ? [] : text.split(/[\s,]+/).filter(Boolean);
  const delays = words.map((word) => durationValue(word, option));
  if (delays.length > MAX_RETRY_DELAYS)
    throw usage(`${option} has ${delays.length} times, and at most ${MAX_RETRY_DELAYS} count`);
  const long = words.find((_, index) => delays[index]! > MAX_RETRY_DELAY);
  if (long !== undefined) throw usage(`${option}: a delivery waits at most 30d, not ${long}`);
  return delays;
}

/**
 * Reads the credentials and certificates of outgoing connections from their files. `password` comes from the environment
 * and is used if no file is named. Throws `invalid` for a file that cannot be read, and for a password without a user.
 */
export async function loadOutgoing(
  { targetNetworks, mail }: OutgoingSettings,
  password: string | undefined,
  nameOf = asOption,
): Promise<OutgoingConfig> {
  if (mail === null) return { targetNetworks, mail: null };
  const { server, from, helo, passwordFile, caFile, dkim } = mail;
  const read = (file: string, option: `--${string}`) => readText(file, nameOf(option));
  const stored = passwordFile === null ? password : await read(passwordFile, "--smtp-password-file");
  if (stored !== undefined && server.user === null) {
    throw usage(
      `there is a password for the mail server, and ${nameOf("--smtp-url")} names no user`,
      "write smtp://user@host:port, with %40 for an @ in the user",
    );
  }
  return {
    targetNetworks,
    mail: {
      ...server,
      from,
      helo,
      // Editors end a file with a line break.
      password: stored?.replace(/\r?\n$/, "") ?? null,
      ca: caFile === null ? null : await read(caFile, "--smtp-ca"),
      dkim: dkim && {
        domain: dkim.domain,
        selector: dkim.selector,
        key: await read(dkim.keyFile, "--dkim-key-file"),
      },
    },
  };
}

/** The same by the variables of an environment, for commands that act without a server. Throws `invalid`. */
export async function outgoingFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Promise<OutgoingConfig> {
  const valueOf = (option: Option) => {
    const value = env[option.envVar!];
    return value === undefined || !option.parseArg ? value : option.parseArg<unknown>(value, undefined);
  };
  const given = outgoingOptions().map((option) => [option.attributeName(), valueOf(option)]);
  const publicUrl = env["FORMFLAG_PUBLIC_URL"];
  const settings = readOutgoing({ ...Object.fromEntries(given), publicUrl }, asVariable);
  return loadOutgoing(settings, env["FORMFLAG_SMTP_PASSWORD"], asVariable);
}

/**
 * The mail server of a running server with these settings, for a command beside it. A `password` replaces that of the server.
 * Throws `invalid` for files that cannot be read here, and where only the server has the password.
 */
export async function mailOfServer(
  { smtpPasswordFile, ...settings }: Record<string, unknown>,
  password: string | undefined,
): Promise<OutgoingConfig["mail"]> {
  const file = password === undefined ? smtpPasswordFile : undefined;
  return requirePassword(
    (await loadOutgoing(readOutgoing({ ...settings, smtpPasswordFile: file }), password)).mail,
  );
}

/** The mail server of a running server. Throws `invalid` if a login needs a password that this process does not have. */
export function requirePassword(mail: OutgoingConfig["mail"]): OutgoingConfig["mail"] {
  if (!mail?.user || mail.password) return mail;
  throw new AppError(
    "invalid",
    `the password of the SMTP user "${mail.user}" is in the environment of the running server`,
    { reason: "smtp-password-elsewhere" },
  );
}

function mailOf(given: Given, nameOf: NameOf): MailSettings | null {
  const { smtpUrl, mailFrom, smtpPasswordFile, smtpCa } = given;
  if (smtpUrl === undefined) {
    const alone = MAIL.find(([name]) => given[name] !== undefined);
    if (alone) throw needsServer(alone[1], nameOf);
    return null;
  }
  const server = within(nameOf("--smtp-url"), () => parseSmtpUrl(smtpUrl));
  if (mailFrom === undefined) {
    throw usage(
      `${nameOf("--smtp-url")} needs ${nameOf("--mail-from")}, the address that mail comes from`,
      'write "Shop <shop@example.com>"',
    );
  }
  const from = within(nameOf("--mail-from"), () => parseMailbox(mailFrom));
  return {
    server,
    from,
    helo: heloOf(given, from, nameOf),
    passwordFile: smtpPasswordFile ?? null,
    caFile: smtpCa ?? null,
    dkim: dkimOf(given, nameOf),
  };
}

/** A domain, or an address in brackets (RFC 5321, 4.1.3). */
const HELO = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-z.:]+\])$/i;
/** An address in place of a name, as the host of a URL. */
const ADDRESS = /^[\d.]+$|^\[/;
/** Domains of private networks. */
const PRIVATE = /\.(?:localdomain|local|internal|home\.arpa)$/;

/**
 * The name that mail servers are greeted with. Many refuse one without a dot, which most machines and every container have:
 * then it is that of the site or of the sender. Null if these have none either.
 */
function heloOf({ mailHelo, publicUrl }: Given, { address }: Mailbox, nameOf: NameOf): string | null {
  if (mailHelo !== undefined) {
    if (mailHelo.length <= 255 && HELO.test(mailHelo)) return mailHelo;
    throw usage(
      `${nameOf("--mail-helo")} ${mailHelo} is not a host name`,
      "it looks like mail.example.com, or [192.0.2.1] for an address",
    );
  }
  const urls = [`http://${hostname()}`, publicUrl ?? "", `http://${address.split("@").at(-1)}`];
  const names = urls.map((url) => (URL.canParse(url) ? new URL(url).hostname : ""));
  return (
    names.find(
      (name) => name.includes(".") && HELO.test(name) && !ADDRESS.test(name) && !PRIVATE.test(name),
    ) ?? null
  );
}

const DKIM = [
  ["dkimDomain", "--dkim-domain"],
  ["dkimSelector", "--dkim-selector"],
  ["dkimKeyFile", "--dkim-key-file"],
] as const;

/** The settings that mean nothing without a mail server. */
const MAIL = [
  ["mailFrom", "--mail-from"],
  ["mailHelo", "--mail-helo"],
  ["smtpPasswordFile", "--smtp-password-file"],
  ["smtpCa", "--smtp-ca"],
  ...DKIM,
] as const;

function dkimOf(given: Given, nameOf: NameOf): MailSettings["dkim"] {
  const { dkimDomain: domain, dkimSelector: selector, dkimKeyFile: keyFile } = given;
  const names = DKIM.map(([, option]) => nameOf(option));
  if (domain === undefined && selector === undefined && keyFile === undefined) return null;
  if (domain === undefined || selector === undefined || keyFile === undefined)
    throw usage(`${names.join(", ")} go together`, "give all three, or none");
  const isName = (text: string) => /^[\w-]+(\.[\w-]+)*$/.test(text);
  if (!isName(domain)) throw usage(`${names[0]} ${domain} is not a domain`, "it looks like example.com");
  if (!isName(selector)) throw usage(`${names[1]} ${selector} is not a selector`, "it looks like mail2027");
  return { domain, selector, keyFile };
}

function needsServer(option: `--${string}`, nameOf: NameOf): AppError {
  return usage(
    `${nameOf(option)} needs ${nameOf("--smtp-url")}, the mail server`,
    "it looks like smtp://user@mail.example.com:587",
  );
}

/** Runs what reads a setting, and puts its name in front of what is wrong with it. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${name}: ${error.message}`, { reason: error.reason ?? undefined });
  }
}
