import type * as openid from "openid-client";
import { isLoopbackHost } from "../base/network.ts";
import { unavailable } from "./oidc-refusal.ts";

/** Seconds for which a request may take. */
export const TIMEOUT = 10;

/** Most bytes of an answer of a provider. */
const MAX_BYTES = 1024 * 1024;

type Options = {
  method?: string;
  headers?: Record<string, string>;
  body?: openid.FetchBody;
  signal?: AbortSignal | undefined;
};

/** A request to a provider: encrypted unless to this machine, without redirects, and with an answer of at most 1 MiB. */
export async function providerFetch(url: string, options: Options): Promise<Response> {
  const { protocol, hostname } = new URL(url);
  const isHere = isLoopbackHost(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && isHere))
    throw unavailable("the identity provider names an address without https");
  const answer = await fetch(url, {
    ...(options as RequestInit),
    redirect: "manual",
    ...(isHere && { proxy: false }),
  });
  const { status, headers } = answer;
  return new Response(status === 204 || status === 304 ? null : await read(answer), { status, headers });
}

async function read({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw unavailable("the identity provider answers with too much");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
