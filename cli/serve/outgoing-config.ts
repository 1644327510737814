import type { Option } from "commander";
import { AppError } from "../../src/base/errors.ts";
import { isAddressRange } from "../../src/base/network.ts";
import { parseMailbox } from "../../src/delivery/address.ts";
import { MAX_RETRY_DELAY, MAX_RETRY_DELAYS } from "../../src/delivery/limits.ts";
import type { Mailbox } from "../../src/delivery/message.ts";
import type * as MailUrl from "../../src/send/mail/mail-url.ts";
import type { MailConfig } from "../../src/send/mail/service.ts";
import type { OutgoingConfig } from "../../src/send/outgoing.ts";
import { parseSmtpUrl } from "../../src/send/smtp-url.ts";
import { readText } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { durationValue, isUnset } from "../session/values.ts";
import { heloOf, nameServerOf } from "./mail-names.ts";
import { outgoingOptions } from "./outgoing-options.ts";

/** The settings of outgoing connections, checked. Files are named and not yet read. */
export type OutgoingSettings = {
  targetNetworks: string[];
  mail: MailSettings | null;
};

type MailSettings = {
  place: MailUrl.MailPlace;
  from: Mailbox;
  helo: string | null;
  /** With the password of the mail server or the key of the mail service. */
  secretFile: { file: string; option: `--${string}` } | null;
  caFile: string | null;
  dkim: { domain: string; selector: string; keyFile: string } | null;
};

/** As commander leaves them in `outgoingOptions`, `deliveryOptions` and, for the public URL, the options of `serve`. */
type Given = {
  publicUrl?: string;
  smtpUrl?: string;
  mailUrl?: string;
  mailKeyFile?: string;
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
  const { alertMail, smtpUrl, mailUrl } = options as Given;
  if (alertMail === undefined) return null;
  if (smtpUrl === undefined && mailUrl === undefined) throw needsServer("--alert-mail", asOption);
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

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the credentials and certificates of outgoing connections from their files, and credentials from the environment if no
 * file is named. Throws `invalid` for a file that cannot be read, and for a password without a user.
 */
export async function loadOutgoing(
  { targetNetworks, mail }: OutgoingSettings,
  variables: Variables,
  nameOf = asOption,
): Promise<OutgoingConfig> {
  return { targetNetworks, mail: mail && (await loadMail(mail, variables, nameOf)) };
}

async function loadMail(
  { place, from, helo, secretFile, caFile, dkim }: MailSettings,
  variables: Variables,
  nameOf: NameOf,
): Promise<MailConfig> {
  const read = (file: string, option: `--${string}`) => readText(file, nameOf(option));
  const inFile = secretFile && (await read(secretFile.file, secretFile.option));
  // Editors end a file with a line break.
  const stored = (...names: string[]) =>
    (inFile ?? names.map((name) => variables[name]).find(Boolean))?.replace(/\r?\n$/, "") ?? null;
  const ca = caFile === null ? null : await read(caFile, "--smtp-ca");
  const nameServer = nameServerOf(variables["FORMFLAG_DNS"]);
  if ("service" in place) {
    const { service } = place;
    const own = stored("FORMFLAG_MAIL_KEY");
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = variables;
    const isOfAws = own === null && service.service === "ses" && id && secret;
    const key = isOfAws ? `${id}:${secret}` : own;
    if (service.service === "ses" && key !== null && !/^[^:\s]+:\S+$/.test(key))
      throw usage("the key of ses is not an id and its secret", "write them as ID:SECRET");
    return { ...service, key, sessionToken: (isOfAws && token) || null, ca, from, nameServer };
  }
  const { smtp } = place;
  const password = stored("FORMFLAG_SMTP_PASSWORD", "FORMFLAG_MAIL_KEY");
  if (password !== null && smtp.user === null) {
    throw usage(
      `there is a password for the mail server, and ${nameOf("--smtp-url")} names no user`,
      "write smtp://user@host:port, with %40 for an @ in the user",
    );
  }
  return {
    ...smtp,
    from,
    helo,
    password,
    ca,
    nameServer,
    dkim: dkim && {
      domain: dkim.domain,
      selector: dkim.selector,
      key: await read(dkim.keyFile, "--dkim-key-file"),
    },
  };
}

/** The same by the variables of an environment, for commands that act without a server. Throws `invalid`. */
export async function outgoingFromEnvironment(env: Variables): Promise<OutgoingConfig> {
  const valueOf = (option: Option) => {
    const value = env[option.envVar!];
    return value === undefined || !option.parseArg ? value : option.parseArg<unknown>(value, undefined);
  };
  const given = outgoingOptions().map((option) => [option.attributeName(), valueOf(option)]);
  const publicUrl = env["FORMFLAG_PUBLIC_URL"];
  const settings = readOutgoing({ ...Object.fromEntries(given), publicUrl }, asVariable);
  return loadOutgoing(settings, env, asVariable);
}

/**
 * The mail server or service of a running server with these settings, for a command beside it. Credentials in the environment replace
 * those of the server. Throws `invalid` for files that cannot be read here, and where only the server has the credentials.
 */
export async function mailOfServer(
  { smtpPasswordFile, mailKeyFile, ...settings }: Record<string, unknown>,
  variables: Variables,
): Promise<MailConfig | null> {
  const isHere = Boolean(variables["FORMFLAG_SMTP_PASSWORD"] ?? variables["FORMFLAG_MAIL_KEY"]);
  const files = isHere ? {} : { smtpPasswordFile, mailKeyFile };
  return requireSecret((await loadOutgoing(readOutgoing({ ...settings, ...files }), variables)).mail);
}

/** The mail server or service of a running server. Throws `invalid` if it needs a password or a key that this process does not have. */
export function requireSecret(mail: MailConfig | null): MailConfig | null {
  if (mail === null) return null;
  const isService = "service" in mail;
  if (isService ? mail.key : !mail.user || mail.password) return mail;
  const whose = isService ? `the key of ${mail.service}` : `the password of the SMTP user "${mail.user}"`;
  throw new AppError("invalid", `${whose} is in the environment of the running server`, {
    reason: isService ? "mail-key-elsewhere" : "smtp-password-elsewhere",
  });
}

/** Most servers name no mail URL. */
function placeOf(mailUrl: string): MailUrl.MailPlace {
  const { parseMailUrl } = require("../../src/send/mail/mail-url.ts") as typeof MailUrl;
  return parseMailUrl(mailUrl);
}

function mailOf(given: Given, nameOf: NameOf): MailSettings | null {
  const { smtpUrl, mailUrl, mailFrom, smtpPasswordFile, mailKeyFile, smtpCa } = given;
  if (smtpUrl === undefined && mailUrl === undefined) {
    const alone = MAIL.find(([name]) => given[name] !== undefined);
    if (alone) throw needsServer(alone[1], nameOf);
    return null;
  }
  if (smtpUrl !== undefined && mailUrl !== undefined)
    throw usage(`${nameOf("--smtp-url")} and ${nameOf("--mail-url")} both name what takes mail`, "give one");
  const url = nameOf(mailUrl === undefined ? "--smtp-url" : "--mail-url");
  const place = within(url, () =>
    mailUrl === undefined ? { smtp: parseSmtpUrl(smtpUrl!) } : placeOf(mailUrl),
  );
  if (mailFrom === undefined) {
    throw usage(
      `${url} needs ${nameOf("--mail-from")}, the address that mail comes from`,
      'write "Shop <shop@example.com>"',
    );
  }
  const useless = "service" in place && OF_SERVERS.find(([name]) => given[name] !== undefined);
  if (useless)
    throw usage(
      `${nameOf(useless[1])} is for a mail server, and ${url} names a mail service`,
      "leave it out",
    );
  const from = within(nameOf("--mail-from"), () => parseMailbox(mailFrom));
  return {
    place,
    from,
    helo: heloOf(given, from, nameOf("--mail-helo")),
    secretFile:
      mailKeyFile !== undefined
        ? { file: mailKeyFile, option: "--mail-key-file" }
        : smtpPasswordFile !== undefined
          ? { file: smtpPasswordFile, option: "--smtp-password-file" }
          : null,
    caFile: smtpCa ?? null,
    dkim: dkimOf(given, nameOf),
  };
}

const DKIM = [
  ["dkimDomain", "--dkim-domain"],
  ["dkimSelector", "--dkim-selector"],
  ["dkimKeyFile", "--dkim-key-file"],
] as const;

/** The settings that a mail service has no use for. */
const OF_SERVERS = [
  ["mailHelo", "--mail-helo"],
  ["smtpPasswordFile", "--smtp-password-file"],
  ...DKIM,
] as const;

/** The settings that mean nothing without a mail server or service. */
const MAIL = [
  ["mailFrom", "--mail-from"],
  ["mailKeyFile", "--mail-key-file"],
  ["smtpCa", "--smtp-ca"],
  ...OF_SERVERS,
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
    `${nameOf(option)} needs ${nameOf("--smtp-url")} or ${nameOf("--mail-url")}, which takes the mail`,
    "it looks like smtp://user@mail.example.com:587, or postmark://",
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
