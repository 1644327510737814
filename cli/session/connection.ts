import { clock, isoTime } from "../../src/base/clock.ts";
import { systemCode } from "../../src/base/errors.ts";
import { own } from "../../src/base/shapes/own.ts";
import { isLoopbackHost } from "../../src/base/network.ts";

/** Whether a URL points to this machine, so that requests cannot be intercepted on the network. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** Describes a connection error in words that follow the name of the server. */
export function failureOf(error: unknown): {
  code: string;
  text: string;
  hint: string;
  isCertificate: boolean;
} {
  const code = systemCode(error);
  const isCertificate = /CERT|SIGNATURE|CRL/.test(code);
  const hint = /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code)
    ? `is the clock of this machine right? it says ${isoTime(clock.now())}`
    : isCertificate
      ? "is the address right? --ca-file FILE names the certificates to trust"
      : "is it running, and is the address right?";
  const text =
    own(FAILURES, code) ?? (isCertificate ? `has a certificate that is not trusted (${code})` : undefined);
  const said = text ?? `cannot be reached${code === "" ? "" : ` (${code})`}`;
  return { code, text: said, hint, isCertificate };
}

const UNKNOWN_AUTHORITY = "has a certificate of an authority that is not trusted";

const FAILURES: Record<string, string> = {
  ECONNREFUSED: "cannot be reached: nothing listens there",
  ENOTFOUND: "cannot be reached: its name is not known",
  ECONNRESET: "closed the connection",
  EPROTO: "does not speak TLS",
  Malformed_HTTP_Response: "does not speak HTTP: something else answers at this port",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a certificate that is not trusted: it signed itself",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name",
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet",
};

/** The bytes of a body; null if there are more than `limit`, after which reading stops. */
export async function readAtMost(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) return null;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** The chunks of a body as they arrive, each awaited by `wait`; a body that is not read to its end is cancelled. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  wait: <T>(work: Promise<T>) => Promise<T> = (work) => work,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const step = await wait(reader.read());
      if (step.done) return;
      yield step.value;
    }
  } finally {
    // A body that failed is cancelled already.
    await reader.cancel().catch(() => {});
  }
}
