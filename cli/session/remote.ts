import { formatBytes } from "../../src/base/bytes.ts";
import { AppError } from "../../src/base/errors.ts";
import { type Answer, type Client, clientOn } from "./client.ts";
import { chunksOf, failureOf, isLoopbackUrl, readAtMost } from "./connection.ts";

export type Remote = {
  /** Its address, without a slash at the end. */
  server: string;
  token: string;
  /** Certificates in PEM that are trusted in place of the usual ones; null trusts those. */
  ca: string | null;
};

/** Limits of an answer, so that a server can neither stall a command nor fill its memory. */
const LIMITS = {
  /** Size of an answer that is not a download. */
  bytes: 64 * 1024 * 1024,
  ms: 300_000,
  /** Time until an answer begins, and between two chunks of it. */
  idleMs: 60_000,
};

/**
 * The admin API of a server over HTTP. Redirects are not followed, so that the token goes to that server alone. Throws
 * `unavailable` if the server cannot be reached or trusted, or its answer is too slow or too large.
 */
export function remoteClient({ server, token, ca }: Remote, limits = LIMITS): Client {
  const open = async (request: Request, isDownload: boolean): Promise<Answer> => {
    request.headers.set("Authorization", `Bearer ${token}`);
    const stop = new AbortController();
    const end = performance.now() + limits.ms;
    let [isAnswering, isDownloading] = [false, false];
    const wait = async <T>(work: Promise<T>): Promise<T> => {
      const left = isDownloading ? limits.idleMs : Math.min(limits.idleMs, end - performance.now());
      const timer = setTimeout(() => stop.abort(), Math.max(0, left));
      try {
        return await work;
      } catch (error) {
        throw stop.signal.aborted ? tooSlow(server) : broken(server, error, isAnswering);
      } finally {
        clearTimeout(timer);
      }
    };
    const { status, headers, body } = await wait(
      fetch(request, {
        redirect: "manual",
        signal: stop.signal,
        tls: ca === null ? {} : { ca },
        // A proxy would see requests that are meant for this machine.
        ...(isLoopbackUrl(server) ? { proxy: false } : {}),
      }),
    );
    isAnswering = true;
    isDownloading = isDownload && status === 200;
    if (isDownloading && !hasEnd(headers)) throw withoutEnd(server);
    const chunks = chunksOf(body, wait);
    if (isDownloading) return { status, headers, body: streamOf(chunks) };
    const bytes = await readAtMost(chunks, limits.bytes);
    if (bytes === null) throw tooLarge(server, limits.bytes);
    return { status, headers, body: new Response(bytes).body };
  };
  return clientOn(server, open, async () => {});
}

/** Whether the end of a body shows that it is whole; without either header a connection that breaks off looks the same. */
function hasEnd(headers: Headers): boolean {
  return headers.has("content-length") || headers.has("transfer-encoding");
}

function withoutEnd(server: string): AppError {
  return new AppError("unavailable", `the server ${server} sends a download without its length`, {
    hint: "does a proxy in front of it speak HTTP/1.0? nothing would show that the download is whole",
  });
}

/** A stream that takes chunks only as fast as it is read. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
}

function tooSlow(server: string): AppError {
  return new AppError("unavailable", `the server ${server} does not answer, or too slowly`, {
    hint: "is it overloaded, or is this the address of something else?",
  });
}

function tooLarge(server: string, limit: number): AppError {
  return new AppError("unavailable", `the server ${server} answers with more than ${formatBytes(limit)}`, {
    hint: "is this the address of a formflag server?",
  });
}

function broken(server: string, cause: unknown, isAnswering: boolean): AppError {
  const { text, isCertificate } = failureOf(cause);
  if (isAnswering)
    return new AppError("unavailable", `the server ${server} broke off its answer`, {
      hint: "try again; its log may say more",
      cause,
    });
  return new AppError("unavailable", `the server ${server} ${text}`, {
    hint: isCertificate
      ? "is the address right? --ca-file FILE names the certificates to trust"
      : "is it running, and is the address right?",
    cause,
  });
}
