import type { SMTPTransportOptions, Transporter } from "nodemailer";
import { AppError } from "../base/errors.ts";
import type { Mailbox } from "../delivery/message.ts";
import { type SmtpServer, isThisMachine } from "./smtp-url.ts";
import type { Socket } from "node:net";
import { clock } from "../base/clock.ts";

/** A mail server, how to log in to it, and how messages are signed. */
export type SmtpConfig = SmtpServer & {
  password: string | null;
  /** Certificates in PEM that replace the built-in ones, or null. */
  ca: string | null;
  from: Mailbox;
  /** A name server, as an address and a port, in place of the system's; null without. */
  nameServer: string | null;
  /** The name with which the server is greeted (RFC 5321, 4.1.1.1); null for the address of this machine, as the library has it. */
  helo: string | null;
  /** `key` is an RSA private key in PEM. */
  dkim: { domain: string; selector: string; key: string } | null;
};

/** Milliseconds: to connect and be greeted, and without a byte from the server. */
export type Timeouts = { connect: number; silent: number };

/** The library for one connection to a server. */
export type Transport = {
  transporter: Transporter;
  /** The last command that was sent, such as `AUTH PLAIN`, without what it says; null before the first. */
  command: () => string | null;
};

/** Opens the library, which is loaded here, so that a server starts sooner. */
export async function openTransport(config: SmtpConfig, timeouts: Timeouts): Promise<Transport> {
  const { createTransport } = await import("nodemailer");
  let command: string | null = null;
  const debug = ({ tnx }: { tnx?: string }, text: string) => {
    if (tnx === "client") command = COMMAND.exec(text)?.[0].toUpperCase() ?? command;
  };
  const others = Object.fromEntries(
    ["trace", "info", "warn", "error", "fatal"].map((level) => [level, () => {}]),
  );
  const options = transportOptions(config, timeouts);
  const transporter = createTransport({ ...options, transactionLog: true, logger: { ...others, debug } });
  return { transporter, command: () => command };
}

/** The parts of a login after its first line are no commands. */
const COMMAND = /^(?:EHLO|HELO|STARTTLS|AUTH [\w-]+|MAIL FROM|RCPT TO|DATA|QUIT)\b/i;

function transportOptions(config: SmtpConfig, timeouts: Timeouts): SMTPTransportOptions {
  const { host, port, secure, starttls, user, password, ca, dkim, helo } = config;
  // Between programs of one machine a certificate proves nothing, and local relays come with one for another name.
  const isUnchecked = starttls === "optional" && ca === null && isThisMachine(host);
  return {
    host,
    port,
    secure,
    ...(helo === null ? {} : { name: helo }),
    getSocket: (_options, callback) => connectTo(config, timeouts.connect, callback),
    requireTLS: starttls === "required",
    ignoreTLS: starttls === "off",
    opportunisticTLS: starttls === "optional",
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: !isUnchecked, ...(ca === null ? {} : { ca }) },
    ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
    ...(dkim === null
      ? {}
      : { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.key } }),
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    socketTimeout: timeouts.silent,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The password in the forms in which a login sends it, and a server may repeat it. */
export function secretsOf({ user, password }: SmtpConfig): string[] {
  if (!password) return [];
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return [base64(`\0${user}\0${password}`), base64(password), password];
}

/** Throws `invalid` for a user without a password, and for a certificate or a DKIM key that cannot be read. */
export function checkMailConfig({ user, password, ca, dkim }: SmtpConfig): void {
  const { X509Certificate, createPrivateKey } = process.getBuiltinModule("node:crypto");
  if (user !== null && !password) {
    throw new AppError("invalid", `the SMTP user "${user}" has no password`, {
      reason: "smtp-password-missing",
    });
  }
  if (ca !== null) {
    check(
      () => new X509Certificate(ca),
      "smtp-ca-invalid",
      "the certificate of the SMTP server's authority is not a certificate in PEM",
    );
  }
  if (dkim !== null) {
    const isRsa = check(
      () => createPrivateKey(dkim.key).asymmetricKeyType === "rsa",
      "dkim-key-invalid",
      DKIM_KEY,
    );
    if (!isRsa) throw new AppError("invalid", DKIM_KEY, { reason: "dkim-key-invalid" });
  }
}

const DKIM_KEY = "the DKIM key is not an RSA private key in PEM without a passphrase";

function check<T>(read: () => T, reason: string, message: string): T {
  try {
    return read();
  } catch (cause) {
    throw new AppError("invalid", message, { reason, cause });
  }
}

/**
 * Connects to a server within so many milliseconds, at the first of its addresses that answers. Names are those of the system, also
 * of its hosts file: the library asks name servers alone, and writes to the terminal where a machine has only its loopback
 * interface. `done` gets an error as the library has them, or the connection.
 */
function connectTo(
  { host, port }: { host: string; port: number },
  timeout: number,
  done: (error: Error | null, opened: { connection: Socket } | undefined) => void,
): void {
  const { connect } = process.getBuiltinModule("node:net");
  const connection = connect({ host, port, autoSelectFamily: true });
  const fail = (code: string, message: string, cause?: Error) => {
    timer.close();
    connection.destroy();
    done(Object.assign(new Error(message, { cause }), { code, command: "CONN" }), undefined);
  };
  const timer = clock.after(timeout, () => fail("ETIMEDOUT", "Connection timeout"));
  const onError = (error: Error & { syscall?: string }) => {
    // With several addresses, each has an error of its own.
    const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
    fail(error.syscall === "getaddrinfo" ? "EDNS" : "ESOCKET", first.message, error);
  };
  connection.once("error", onError);
  connection.once("connect", () => {
    timer.close();
    connection.off("error", onError);
    done(null, { connection });
  });
}
