import type { Random } from "../../base/ids.ts";
import { ERROR_PATH, SUBMIT_PATH, THANKS_PATH } from "../paths.ts";

/** Addresses in answers: under the public URL, or paths under the base path without one. `Host` is never used. */
export type Links = {
  thanks: () => string;
  /** The built-in error page, which answers with this status and shows this message and the details, one a line. */
  error: (status: number, message: string, details?: string[]) => string;
  /** Whether status, message and details in the query of the error page were signed by this process. */
  isOurs: (status: string, message: string, details: string[], signature: string) => boolean;
};

/** Links to the error page are signed: it would otherwise show any text that a link carries, in the name of this server. */
export function createLinks(publicUrl: string | null, basePath: string, random: Random): Links {
  const base = baseOf(publicUrl, basePath);
  const secret = random(32);
  const sign = (...shown: string[]) =>
    new Bun.CryptoHasher("sha256", secret).update(JSON.stringify(shown)).digest("base64url").slice(0, 22);
  return {
    thanks: () => `${base}${THANKS_PATH}`,
    error(status, message, details = []) {
      const query = new URLSearchParams({ code: String(status), message });
      for (const detail of details) query.append("detail", detail);
      query.set("signature", sign(String(status), message, ...details));
      return `${base}${ERROR_PATH}?${query.toString()}`;
    },
    isOurs(status, message, details, signature) {
      const expected = Buffer.from(sign(status, message, ...details));
      const given = Buffer.from(signature);
      return given.length === expected.length && crypto.timingSafeEqual(given, expected);
    },
  };
}

/** The address that submissions of a form are posted to. */
export function formUrl(publicUrl: string | null, basePath: string, key: string): string {
  return baseOf(publicUrl, basePath) + SUBMIT_PATH.replace(":form_key", key);
}

function baseOf(publicUrl: string | null, basePath: string): string {
  return publicUrl?.replace(/\/+$/, "") ?? basePath;
}

/** The address of a form's own error page, with the status and message in its query. */
export function withError(errorUrl: string, status: number, message: string): string {
  const url = new URL(errorUrl);
  url.searchParams.set("code", String(status));
  url.searchParams.set("message", message);
  return url.href;
}
