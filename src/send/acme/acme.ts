import acme, { type Authorization, type Order } from "acme-client";
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
    for (const authorization of await client.getAuthorizations(order))
      if (authorization.status !== "valid") await prove(client, order, authorization, challenges);
    const key = await acme.crypto.createPrivateEcdsaKey();
    const [, csr] = await acme.crypto.createCsr({ altNames: [...names] }, key);
    const cert = await client.getCertificate(await client.finalizeOrder(order, csr));
    return { cert, key: key.toString() };
  }, names);
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
  challenges: Challenges,
): Promise<void> {
  const name = authorization.identifier.value;
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
