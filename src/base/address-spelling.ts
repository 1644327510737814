/** Imported on demand, so that a server starts sooner. */
const url = () => process.getBuiltinModule("node:url");

/** Characters of a text that may be an address, with spaces around it: converting a domain takes quadratic time. */
const LONGEST = 640;

/** A domain in ASCII and in lower case (RFC 5891); empty for a text of more than 640 characters, and one that is no domain. */
export function asciiDomain(text: string): string {
  if (text.length > LONGEST) return "";
  if (/^[\x21-\x7e]+$/.test(text)) return text.toLowerCase();
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? url().domainToASCII(text) : "";
}

/** A text with the labels of its domains in Unicode in place of `xn--…` (RFC 5890, 2.3.1), each of at most 63 characters. */
export function withUnicodeLabels(text: string): string {
  if (!/xn--/i.test(text)) return text;
  return text.replaceAll(/\bxn--[a-z0-9-]{1,59}/gi, (label) => url().domainToUnicode(label) || label);
}

/**
 * The spellings of a mail address, with its domain in ASCII and then in Unicode (RFC 5890), in lower case:
 * `ann@xn--bcher-kva.example` and `ann@bücher.example`. One where both are the same, none for a text that is not one address
 * with nothing but spaces around it.
 */
export function addressSpellings(text: string): string[] {
  if (text.length > LONGEST || !text.includes("@")) return [];
  const address = text.trim().toLowerCase();
  const at = address.lastIndexOf("@");
  if (at < 1 || at === address.length - 1 || /[\s,;<>]/.test(address)) return [];
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (/^[\x00-\x7f]*$/.test(domain) && !domain.includes("xn--")) return [address];
  const ascii = asciiDomain(domain);
  if (ascii === "") return [address];
  return [...new Set([ascii, url().domainToUnicode(ascii)])].map((each) => `${local}@${each}`);
}
