import { afterAll, expect, test } from "bun:test";
import { formflag } from "../support/commands.ts";
import { read } from "../../src/send/acme/authority.ts";

/** A server with a certificate that it signed itself and that is valid between two times. */
async function serverBetween(from: string, until: string) {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=localhost",
    keys,
    notBefore: new Date(from),
    notAfter: new Date(until),
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const cert = certificate.toString("pem");
  const server = Bun.serve({
    port: 0,
    tls: { cert, key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` },
    fetch: () => new Response("{}"),
  });
  afterAll(() => server.stop(true));
  return { cert, url: `https://localhost:${server.port}` };
}

test.each([
  ["is not valid yet", "2098-01-01", "2099-01-01"],
  ["has expired", "2001-01-01", "2002-01-01"],
])("a certificate that %s is said to be so by the clock, not to be untrusted", async (what, from, until) => {
  const { cert, url } = await serverBetween(from, until);
  const directory = `${url}/directory`;
  expect(read(directory, { directory, ca: cert } as Parameters<typeof read>[1])).rejects.toMatchObject({
    message: `by the clock of this machine, the certificate of the authority at ${directory} ${what}`,
    hint: expect.stringMatching(/^the clock says 2\d{3}-/),
  });
  const { stderr } = await formflag(["projects", "list", "--server", url], {
    env: { FORMFLAG_TOKEN: "ff_x" },
  });
  expect(stderr).toContain(`hint: is the clock of this machine right? it says 2`);
});
