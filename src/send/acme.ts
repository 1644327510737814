import { AuthorityKeyIdentifierExtension, X509Certificate } from "@peculiar/x509";
import acme, { type Authorization, type Order } from "acme-client";
import type { AxiosRequestConfig, AxiosResponse } from "axios";
import { AppError, systemCode } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { own } from "../base/shapes/own.ts";
import { clock } from "../base/clock.ts";

/** An authority that issues certificates by ACME (RFC 8555). */
export type Authority = {
  /** URL of its directory. */
  directory: string;
  /** Certificates in PEM to trust for it, in place of the usual ones; null for those. */
  ca: string | null;
  /** The key of an account with it, for authorities that bind accounts of their own (RFC 8555, 7.3.4). */
  binding: { id: string; key: string } | null;
  /** The address that it may write to. */
  email: string | null;
};

/** Where answers to challenges are served, as `/.well-known/acme-challenge/TOKEN` on port 80 (RFC 8555, 8.3). */
export type Challenges = Map<string, string>;

/** Milliseconds for one request. */
const TIMEOUT = 30_000;

/** The longest answer of an authority, in bytes. */
const MOST = 1_048_576;

/** How often, and at what distance in milliseconds, the authority is asked whether it is done. */
const POLLING = { backoffAttempts: 20, backoffMin: 500, backoffMax: 5000 };

/** A problem of an authority (RFC 7807) by the last part of its type. */
type Problem = { type: string; detail: string };

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
  acme.axios.defaults.adapter = (config) => request(config, authority, names.join(", "), version);
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

/** Sends a request of the library. Throws `unavailable` for problems, which it would pass on as a text, or wait for. */
async function request(
  { url = "", method, data, headers }: AxiosRequestConfig,
  { ca }: Authority,
  names: string,
  version: string,
): Promise<AxiosResponse> {
  const response = await fetched(url, ca, {
    method: (method ?? "GET").toUpperCase(),
    headers: { ...(headers as Record<string, string>), "User-Agent": `formflag/${version}` },
    ...(typeof data === "string" && { body: data }),
  });
  const text = await boundedText(response);
  const problem = response.ok ? null : problemIn(parsed(text));
  // The library sends a request again whose nonce was too old.
  if (!response.ok && problem?.type !== "badNonce")
    throw refused(
      problem ?? { type: "", detail: `it answered ${response.status}` },
      names,
      retryAfter(response),
    );
  return {
    data: text,
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    config: {} as AxiosResponse["config"],
  };
}

/** Throws `unavailable` if the authority does not answer. */
async function fetched(url: string, ca: string | null, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, {
      ...init,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT),
      ...(ca !== null && { tls: { ca } }),
    });
  } catch (cause) {
    const isUntrusted = /CERT|SIGNATURE|ISSUER/.test(systemCode(cause) ?? "");
    throw new AppError(
      "unavailable",
      isUntrusted
        ? `the certificate of the authority at ${url} is not trusted`
        : `the authority at ${url} does not answer`,
      {
        reason: "acme-unreachable",
        hint: isUntrusted
          ? "an authority of your own is trusted with the certificates that you name for it"
          : "is this machine connected to the internet, and may it open connections to port 443?",
        cause,
      },
    );
  }
}

async function boundedText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MOST) throw refused({ type: "", detail: "its answer is too long" }, "");
  }
  return text;
}

/** Seconds; null if the answer names none. */
function retryAfter(response: Response): number | null {
  const text = response.headers.get("Retry-After") ?? "";
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - clock.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : null;
}

/**
 * The time in milliseconds since 1970 from which an authority suggests to renew a certificate (RFC 9773), somewhere in its window
 * by `fraction`, from 0 to 1; null if it suggests none.
 */
export async function suggestedRenewal(
  authority: Authority,
  cert: string,
  fraction: number,
): Promise<number | null> {
  const read = async (url: string) => parsed(await boundedText(await fetched(url, authority.ca, {})));
  const directory = await read(authority.directory);
  const base = isObject(directory) ? directory["renewalInfo"] : undefined;
  if (typeof base !== "string") return null;
  const certificate = new X509Certificate(cert);
  const issuer = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (issuer === undefined) return null;
  const id = [issuer, certificate.serialNumber]
    .map((hex) => Buffer.from(hex, "hex").toString("base64url"))
    .join(".");
  const info = await read(`${base}/${id}`);
  const window = isObject(info) ? info["suggestedWindow"] : undefined;
  if (!isObject(window)) return null;
  const [start, end] = [window["start"], window["end"]].map((time) => Date.parse(String(time)));
  return Number.isFinite(start! + end!) ? start! + fraction * Math.max(0, end! - start!) : null;
}

/** What a problem means, by its type (RFC 8555, 6.7), and what to do. NAME stands for the names. */
const PROBLEMS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  dns: [
    "the authority finds no address of NAME",
    "create a record of type A, or AAAA for IPv6, that leads to this machine, at the provider of the domain",
  ],
  connection: [
    "the authority does not reach port 80 of NAME",
    "open port 80 in the firewall, forward it to this machine in the router, and check the address in DNS",
  ],
  tls: ["the authority does not reach NAME over HTTP", "port 80 has to lead to this server, without TLS"],
  unauthorized: [
    "NAME does not lead to this server",
    "check the A and AAAA records of the name, and what listens on port 80 at their addresses",
  ],
  caa: [
    "a CAA record forbids the authority to issue a certificate for NAME",
    "add the authority to the CAA records of the domain, or remove them",
  ],
  rateLimited: ["the authority takes no more orders for now", "this server tries again by itself"],
  rejectedIdentifier: ["the authority issues no certificate for NAME", "use a name that is public in DNS"],
  externalAccountRequired: [
    "the authority wants the key of an account that you have with it",
    "get its id and key from the authority, and pass both to this server",
  ],
};
const SAME: Readonly<Record<string, string>> = {
  incorrectResponse: "unauthorized",
  unsupportedIdentifier: "rejectedIdentifier",
};

/** The error for a problem with the names; `retryAfter` is in seconds. */
function refused(
  { type: given, detail }: Problem,
  names: string,
  retryAfter: number | null = null,
): AppError {
  // A name that is not found counts as one that is not reached for some.
  const type = /could not resolve|NXDOMAIN/i.test(detail) ? "dns" : given;
  const [message, hint] = own(PROBLEMS, own(SAME, type) ?? type) ?? [
    "the authority issued no certificate",
    undefined,
  ];
  const said = detail === "" ? "" : `: ${detail.slice(0, 300)}`;
  return new AppError("unavailable", `${message.replace("NAME", names === "" ? "the name" : names)}${said}`, {
    reason: "acme-refused",
    hint,
    ...(retryAfter !== null && { retryAfter }),
  });
}

/** Null for anything else. */
function problemIn(body: unknown): Problem | null {
  if (!isObject(body) || typeof body["type"] !== "string") return null;
  const { detail } = body;
  return {
    type: body["type"].replace(/^.*:/, ""),
    detail: typeof detail === "string" ? detail.replace(/\s+/g, " ").trim() : "",
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
