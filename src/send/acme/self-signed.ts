import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { clock } from "../../base/clock.ts";

const A_YEAR = 31_536_000_000;

/** A certificate for these names that nothing but its own key has signed. */
export async function selfSigned(names: readonly string[]): Promise<{ cert: string; key: string }> {
  const signing = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(signing, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=formflag has no certificate yet",
    notBefore: new Date(clock.now()),
    notAfter: new Date(clock.now() + A_YEAR),
    signingAlgorithm: signing,
    keys,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value })))],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const lines = key.match(/.{1,64}/g)!.join("\n");
  return {
    cert: certificate.toString("pem"),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
