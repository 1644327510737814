import type { Form } from "../../forms/form.ts";
import { ERROR_PATH, FEED_PATH, PAGE_PATH, SUBMIT_PATH, THANKS_PATH } from "../paths.ts";

/** Addresses in answers: under the public URL, or paths under the base path without one. `Host` is never used. */
export type Links = {
  /** Prefix of links: the public URL without a trailing slash, or the base path. */
  base: string;
  /** The page after a submission that was stored. */
  thanks: (form: Form) => string;
  /** The built-in error page, which answers with this status and shows this message and the details, one a line. */
  error: (status: number, message: string, details?: string[]) => string;
  /**
   * The error page in the language of a form. It has its texts from the form, so that the address carries only what they
   * depend on: what is wrong, and for fields a detail each.
   */
  formError: (form: Form, status: number, problem: string, details: string[]) => string;
  /** Whether a process with the same secret signed what the query of an error page shows. */
  isOurs: (shown: ShownError, signature: string) => boolean;
  /** The origin of the public URL; null without one. */
  publicOrigin: string | null;
};

/** The content of an error page in its query. One for a form has the key of that, and a problem in place of a message. */
type ShownError = { form?: string; code: string; message?: string; problem?: string; details: string[] };

/** Links to the error page are signed: it would otherwise show any text that a link carries, in the name of this server. */
export function createLinks(publicUrl: string | null, basePath: string, secret: string): Links {
  const base = linkBase(publicUrl, basePath);
  // With the names, so that no address stands for one of another kind.
  const sign = (shown: ShownError) =>
    new Bun.CryptoHasher("sha256", secret)
      .update(JSON.stringify(pairsOf(shown)))
      .digest("base64url")
      .slice(0, 22);
  const signed = (shown: ShownError) => {
    const query = new URLSearchParams(pairsOf(shown));
    query.set("signature", sign(shown));
    return `${base}${ERROR_PATH}?${query.toString()}`;
  };
  return {
    base,
    thanks: (form) => `${base}${THANKS_PATH}${hasOwnPages(form) ? `?form=${form.key}` : ""}`,
    error: (status, message, details = []) => signed({ code: String(status), message, details }),
    formError: ({ key }, status, problem, details) =>
      signed({ form: key, code: String(status), problem, details }),
    isOurs(shown, signature) {
      const expected = Buffer.from(sign(shown));
      const given = Buffer.from(signature);
      return given.length === expected.length && crypto.timingSafeEqual(given, expected);
    },
    publicOrigin: publicUrl === null ? null : new URL(publicUrl).origin,
  };
}

function pairsOf({ details, ...shown }: ShownError): [name: string, value: string][] {
  return [...Object.entries(shown), ...details.map((detail): [string, string] => ["detail", detail])];
}

/** Whether the built-in pages of a form depend on its settings, so that their addresses carry its key. */
export function hasOwnPages({ language, successMessage, schema, page, optIn, ofProject }: Form): boolean {
  const hasTexts = language !== null || successMessage !== null || optIn !== null;
  const hasSettings = hasTexts || schema !== null || page;
  return hasSettings || ofProject?.accent != null;
}

/** The address that submissions of a form are posted to. */
export function formUrl(publicUrl: string | null, basePath: string, key: string): string {
  return linkBase(publicUrl, basePath) + SUBMIT_PATH.replace(":form_key", key);
}

/** The address of a feed, by the token and the format in it. */
export function feedUrl(publicUrl: string | null, basePath: string, token: string, format: string): string {
  return linkBase(publicUrl, basePath) + FEED_PATH.replace(":file", `${token}.${format}`);
}

/** The address of the page of a form, given the address that submissions are posted to. */
export function pageUrl(formUrl: string): string {
  const key = formUrl.slice(formUrl.lastIndexOf("/") + 1);
  const base = formUrl.slice(0, -SUBMIT_PATH.replace(":form_key", key).length);
  return base + PAGE_PATH.replace(":form_key", key);
}

/** Prefix of links: the public URL without a trailing slash, or the base path. */
export function linkBase(publicUrl: string | null, basePath: string): string {
  return publicUrl?.replace(/\/+$/, "") ?? basePath;
}

/** The address of a form's own error page, with the status and message in its query. */
export function withError(errorUrl: string, status: number, message: string): string {
  const url = new URL(errorUrl);
  url.searchParams.set("code", String(status));
  url.searchParams.set("message", message);
  return url.href;
}
