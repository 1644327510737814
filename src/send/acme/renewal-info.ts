import { AuthorityKeyIdentifierExtension, X509Certificate } from "@peculiar/x509";
import { isObject } from "../../base/json.ts";
import { type Authority, read } from "./authority.ts";

/**
 * The time in milliseconds since 1970 from which an authority suggests to renew a certificate (RFC 9773), somewhere in its window
 * by `fraction`, from 0 to 1; null if it suggests none.
 */
export async function suggestedRenewal(
  authority: Authority,
  cert: string,
  fraction: number,
): Promise<number | null> {
  const directory = await read(authority.directory, authority);
  const base = isObject(directory) ? directory["renewalInfo"] : undefined;
  if (typeof base !== "string") return null;
  const certificate = new X509Certificate(cert);
  const issuer = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (issuer === undefined) return null;
  const id = [issuer, certificate.serialNumber]
    .map((hex) => Buffer.from(hex, "hex").toString("base64url"))
    .join(".");
  const info = await read(`${base}/${id}`, authority);
  const window = isObject(info) ? info["suggestedWindow"] : undefined;
  if (!isObject(window)) return null;
  const [start, end] = [window["start"], window["end"]].map((time) => Date.parse(String(time)));
  return Number.isFinite(start! + end!) ? start! + fraction * Math.max(0, end! - start!) : null;
}
