import { MiB } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { jsonOf, textOf } from "./answer.ts";

/** A server that this one follows, by the address of its stream. The token is read again for each connection. */
export type SourceSettings = {
  address: string;
  readToken: () => Promise<string>;
  caFile: string | undefined;
};

/** How long an answer to a batch may take, in milliseconds. */
const ANSWER = 30_000;

/** Characters of a line. The longest one has all segments of an environment. */
const MAX_LINE = 128 * MiB;

/** Connections to the server that this one follows. */
export function connectSource({ address, readToken, caFile }: SourceSettings) {
  const ask = async (init: BunFetchRequestInit): Promise<Response> => {
    const headers = {
      Authorization: `Bearer ${await readToken()}`,
      ...(init.body === undefined ? {} : { "Content-Type": "application/x-ndjson" }),
    };
    const tls = caFile === undefined ? {} : { tls: { ca: Bun.file(caFile) } };
    return fetch(address, { ...tls, ...init, headers, redirect: "manual" });
  };
  return {
    /**
     * The lines of the stream, until it ends; `heard` is called with the bytes of each part of one. Throws `unauthenticated` and
     * `forbidden` for a token that the source refuses, and any other error for a source that cannot be followed now.
     */
    async *lines(signal: AbortSignal, heard: (size: number) => void): AsyncGenerator<string> {
      const answer = await ask({ signal });
      if (!isStream(answer)) throw await refusalOf(answer);
      yield* linesIn(answer.body!, heard);
    },
    /** Sends a batch, which the source has taken when it fulfils. Throws as `lines`, and `invalid` for a batch that it never takes. */
    async send(body: string, stopped: AbortSignal): Promise<void> {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(ANSWER)]);
      const answer = await ask({ method: "POST", body, signal });
      if (answer.status !== 204) throw await refusalOf(answer);
    },
    /** Throws as `lines` unless the source would answer with a stream. */
    async check(): Promise<void> {
      const answer = await ask({ method: "HEAD", signal: AbortSignal.timeout(ANSWER) });
      if (isStream(answer)) return;
      // An answer to HEAD says no more than its status.
      await ask({ signal: AbortSignal.timeout(ANSWER) }).then(async (full) => {
        throw await refusalOf(full);
      });
    },
  };
}

export type SourceConnection = ReturnType<typeof connectSource>;

function isStream({ status, headers }: Response): boolean {
  return status === 200 && headers.get("content-type") === "application/x-ndjson";
}

/** Only a server of this product says that a token is refused: not a proxy in front of it. */
const KNOWN = ["unauthenticated", "forbidden", "invalid", "too_large"] as const;

async function refusalOf(answer: Response): Promise<Error> {
  const location = answer.headers.get("location");
  if (location !== null) return new Error(`it redirects to ${location}: follow that address`);
  const { error } = jsonOf(await textOf(answer));
  const { code, message } = isObject(error) ? error : {};
  if (typeof message !== "string") return new Error(`it answers with the status ${answer.status}`);
  const known = KNOWN.find((each) => each === code);
  return known ? new AppError(known, message) : new Error(message);
}

async function* linesIn(
  body: ReadableStream<Uint8Array>,
  heard: (size: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let size = 0;
  for await (const chunk of body) {
    heard(chunk.length);
    const [first, ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(first!);
    size += first!.length;
    if (size > MAX_LINE) throw new Error("it sends no lines of this product: check the address");
    for (const next of rest) {
      yield begun.join("");
      [begun, size] = [[next], next.length];
    }
  }
}
