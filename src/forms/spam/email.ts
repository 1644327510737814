/** The longest local part, `@` and the longest domain (RFC 5321, 4.5.3.1). */
const MAX_LENGTH = 64 + 1 + 255;

/**
 * The address in lower case, without the dot at the end of a fully qualified domain, of a text that is one address with
 * nothing but spaces around it; null for any other text. It accepts more than mail servers do: a name and a domain around
 * one `@`.
 */
export function addressIn(text: string): string | null {
  // Longer texts are no address, whatever spaces surround it.
  if (!text.includes("@") || text.length > 2 * MAX_LENGTH) return null;
  const trimmed = text.trim().toLowerCase();
  const address = trimmed.endsWith(".") ? trimmed.slice(0, -1) : trimmed;
  const at = address.indexOf("@");
  const isOne = at > 0 && at < address.length - 1 && at === address.lastIndexOf("@");
  return isOne && address.length <= MAX_LENGTH && !/[\s,;<>]/.test(address) ? address : null;
}
