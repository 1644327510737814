import { X509Certificate } from "node:crypto";
import acme, { type Authorization, type Order } from "acme-client";
import { clock, isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Authority, adapterOf, problemIn, refused } from "./authority.ts";

/** The answers to challenges by their token, served as `/.well-known/acme-challenge/TOKEN` on port 80 (RFC 8555, 8.3). */
export type Challenges = Map<string, string>;

/** How often, and at what distance in milliseconds, the authority is asked whether it is done. */
const POLLING = { backoffAttempts: 20, backoffMin: 500, backoffMax: 5000 };

/**
 * Orders a certificate for these names, with a new key of P-256. `accountKey` is in PEM; an account is created for it with the
 * first order. Throws `unavailable` with the reason and what to do, and with `retryAfter` in seconds if the authority names it.
 */
export async function obtainCertificate(
  authority: Authority,
  accountKey: string,
  names: readonly string[],
  challenges: Challenges,
  version: string,
): Promise<{ cert: string; key: string }> {
  acme.axios.defaults.adapter = adapterOf(authority, names.join(", "), version);
  const { directory: directoryUrl, binding, email } = authority;
  const client = new acme.Client({
    directoryUrl,
    accountKey,
    ...(binding && { externalAccountBinding: { kid: binding.id, hmacKey: binding.key } }),
    ...POLLING,
  });
  return settled(async () => {
    await openAccount(client, email);
    const order = await client.createOrder({ identifiers: names.map((value) => ({ type: "dns", value })) });
    const proofs = [order.authorizations].flat().length;
    if (proofs > names.length)
      throw refused({ type: "", detail: `it wants ${proofs} proofs for ${names.length} names` }, "");
    for (const authorization of await client.getAuthorizations(order))
      if (authorization.status !== "valid") await prove(client, order, authorization, names, challenges);
    const key = await acme.crypto.createPrivateEcdsaKey();
    const [, csr] = await acme.crypto.createCsr({ altNames: [...names] }, key);
    const cert = await client.getCertificate(await client.finalizeOrder(order, csr));
    const issued = { cert, key: key.toString() };
    const problem = problemOf(issued, names);
    if (problem === null) return issued;
    throw refused({ type: "", detail: problem }, "");
  }, names);
}

/** Why what an authority has issued cannot be served; null if it can. */
function problemOf({ cert, key }: { cert: string; key: string }, names: readonly string[]): string | null {
  const begin = "-----BEGIN CERTIFICATE-----";
  let certificate: X509Certificate | undefined;
  try {
    [certificate] = cert
      .split(begin)
      .slice(1)
      .map((each) => new X509Certificate(begin + each));
  } catch {
    certificate = undefined;
  }
  if (certificate === undefined) return "what it sent is not a chain of certificates";
  try {
    process.getBuiltinModule("node:tls").createSecureContext({ cert, key });
  } catch {
    return "the certificate that it sent is for another key";
  }
  const listed = (certificate.subjectAltName ?? "").toLowerCase().split(", ");
  const other = names.find((name) => !listed.includes(`dns:${name}`));
  if (other !== undefined) return `the certificate that it sent is not for ${other}`;
  const until = Date.parse(certificate.validTo);
  return until > clock.now()
    ? null
    : `the certificate that it sent ended at ${isoTime(until)}, unless the clock of this machine is wrong`;
}

/** Creates the account of the key, or finds it. */
async function openAccount(client: acme.Client, email: string | null): Promise<void> {
  const contact = email === null ? {} : { contact: [`mailto:${email}`] };
  try {
    await client.createAccount({ termsOfServiceAgreed: true, ...contact });
  } catch (error) {
    // The library updates an account that exists, and authorities refuse an update that changes nothing.
    if (URL.canParse(accountUrl(client))) return;
    throw error;
  }
}

/** Empty for a client without an account. */
function accountUrl(client: acme.Client): string {
  try {
    return client.getAccountUrl();
  } catch {
    return "";
  }
}

/** Creates a private key of P-256 in PEM, for an account. */
export async function accountKey(): Promise<string> {
  return (await acme.crypto.createPrivateEcdsaKey()).toString();
}

/** Proves that a name leads to this machine. */
async function prove(
  client: acme.Client,
  order: Order,
  authorization: Authorization,
  names: readonly string[],
  challenges: Challenges,
): Promise<void> {
  const name = authorization.identifier.value;
  if (!names.includes(name)) throw refused({ type: "", detail: `it wants a proof for ${name}` }, "");
  const challenge = authorization.challenges.find(({ type }) => type === "http-01");
  if (!challenge) throw refused({ type: "unsupported", detail: "it offers no challenge over HTTP" }, name);
  challenges.set(challenge.token, await client.getChallengeKeyAuthorization(challenge));
  try {
    await client.completeChallenge(challenge);
    await settled(
      () => client.waitForValidStatus(challenge),
      [name],
      async () => {
        const now = await client.getAuthorizations(order);
        const same = now.find(({ identifier }) => identifier.value === name);
        return same?.challenges.find(({ type }) => type === "http-01")?.error;
      },
    );
  } finally {
    challenges.delete(challenge.token);
  }
}

/** Waits for the authority. The library throws problems without their type, which `why` reads. */
async function settled<T>(
  wait: () => Promise<T>,
  names: readonly string[],
  why: () => Promise<unknown> = async () => undefined,
): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const problem = problemIn(await why());
    throw refused(
      problem ?? { type: "", detail: error instanceof Error ? error.message : "" },
      names.join(", "),
    );
  }
}
