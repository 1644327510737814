import { X509Certificate, createPrivateKey } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceDurably } from "../../src/base/directory.ts";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { isObject } from "../../src/base/json.ts";
import { NAMES } from "../../src/storage.ts";

/** A certificate chain and its private key in PEM, and what the certificate says of itself: times in milliseconds since 1970. */
export type KeptCertificate = {
  cert: string;
  key: string;
  names: string[];
  from: number;
  until: number;
};

/** How the last orders of certificates went. */
export type Attempts = {
  /** When orders began, the last few of the last hour, in milliseconds since 1970. */
  at: number[];
  /** Why the last one failed; null if it did not, or is under way. */
  failure: { message: string; hint: string | null; at: number; next: number } | null;
};

const NO_ATTEMPTS: Attempts = { at: [], failure: null };

/**
 * The certificate, the key of the account and the attempts of a data directory with one authority, in files that only their
 * owner reads. Each is replaced as a whole, so that a crash leaves the old one or the new one. Throws `forbidden` for one that
 * cannot be read, `unavailable` for one that cannot be written.
 */
export function certificateFiles(data: string, directory: string) {
  const host = new URL(directory).hostname;
  const folder = join(data, NAMES.certificates, `${host}-${Bun.hash(directory).toString(16).slice(0, 8)}`);
  const pathOf = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceDurably(pathOf(name), text);
    } catch (cause) {
      throw new AppError("unavailable", `the file ${pathOf(name)} cannot be written: ${systemCode(cause)}`, {
        hint: "the disk needs free space, and the folder has to belong to the user of this server",
        cause,
      });
    }
  };
  return {
    certificate(): KeptCertificate | null {
      const text = readIfThere(pathOf("certificate.pem"));
      return text === null ? null : parseCertificate(text);
    },
    keep: ({ cert, key }: { cert: string; key: string }) =>
      write("certificate.pem", `${key.trim()}\n${cert.trim()}\n`),
    accountKey(): string | null {
      const text = readIfThere(pathOf("account.pem"));
      return text !== null && isPrivateKey(text) ? text : null;
    },
    keepAccountKey: (key: string) => write("account.pem", key),
    attempts(): Attempts {
      const text = readIfThere(pathOf("attempts.json"));
      return text === null ? NO_ATTEMPTS : parseAttempts(text);
    },
    noteAttempts: (attempts: Attempts) => write("attempts.json", `${JSON.stringify(attempts)}\n`),
  };
}

/** A certificate with its key that can be served, as `keep` writes it; null for anything else. */
function parseCertificate(text: string): KeptCertificate | null {
  const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----\n/.exec(text)?.[0];
  if (key === undefined) return null;
  const cert = text.replace(key, "");
  try {
    process.getBuiltinModule("node:tls").createSecureContext({ cert, key });
    return { cert, key, ...factsOf(cert) };
  } catch {
    // A file that the user wrote, or a disk has damaged: another certificate is ordered.
    return null;
  }
}

/** The names of a certificate in PEM, and when it is valid. Throws if it is none. */
export function factsOf(cert: string): Pick<KeptCertificate, "names" | "from" | "until"> {
  const { subjectAltName = "", validFrom, validTo } = new X509Certificate(cert);
  const names = [...subjectAltName.matchAll(/DNS:([^\s,]+)/g)].map((match) => match[1]!.toLowerCase());
  return { names, from: Date.parse(validFrom), until: Date.parse(validTo) };
}

/** A key that is damaged is of no use any more: another account is created. */
function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).type === "private";
  } catch {
    return false;
  }
}

function parseAttempts(text: string): Attempts {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Array.isArray(value["at"]) && isFailure(value["failure"])
      ? (value as Attempts)
      : NO_ATTEMPTS;
  } catch {
    return NO_ATTEMPTS;
  }
}

function isFailure(value: unknown): boolean {
  if (value === null) return true;
  const isText = (each: unknown) => typeof each === "string";
  return (
    isObject(value) &&
    isText(value["message"]) &&
    (value["hint"] === null || isText(value["hint"])) &&
    typeof value["next"] === "number" &&
    !Number.isNaN(new Date(value["next"]).getTime())
  );
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return null;
    throw new AppError("forbidden", `the file ${path} cannot be read: ${systemCode(cause)}`, {
      hint: "it has to belong to the user of this server",
      cause,
    });
  }
}
