import { yieldToEventLoop } from "../../base/event-loop.ts";
import { MiB } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import type { Sum } from "../../base/sum.ts";
import type { S3Answer, S3Client } from "./client.ts";
import { notS3, refusalError } from "./errors.ts";
import type { S3Body, S3Request } from "./request.ts";
import type { StagedFile } from "./staging.ts";
import { escapeXml, isDocument, textOf } from "./xml.ts";

/** Bytes of a part. Files up to this size are one request. */
const PART_SIZE = 8 * MiB;
/** Most parts of a file: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MAX_PARTS = 10_000;
/** Parts of one file under way at a time, so that a large file leaves turns to others. */
const PARTS_AT_A_TIME = 3;
/** Bytes that are hashed at once, which takes a millisecond. */
const HASH_SIZE = MiB;
/** The header with the SHA-256 of an object, by which two objects are compared. */
export const SHA256_HEADER = "x-amz-meta-sha256";

type UploadOptions = {
  signal: AbortSignal;
  /** Called if the key has an object that this upload may not have created. */
  taken: () => void;
};

/** Uploads a file unless the same file is there already. Throws `conflict` if another one is; that one stays. */
type Upload = (key: string, file: StagedFile, options: UploadOptions) => Promise<void>;

export function createUpload(client: S3Client): Upload {
  /** Whether the storage takes conditional writes, as far as is known. */
  let isConditional = true;

  /** Sends a request that creates an object, unless it exists. */
  const create = async (request: S3Request, expect: string[] = []): Promise<S3Answer> => {
    if (!isConditional) return client.send(request, expect);
    const headers = { ...request.headers, "If-None-Match": "*" };
    const answer = await client.send({ ...request, headers }, [412, 501, ...expect]);
    if (answer.refusal?.status !== 501) return answer;
    isConditional = false;
    return client.send(request, expect);
  };

  const uploadLarge = async (key: string, file: StagedFile, { signal, taken }: UploadOptions) => {
    const size = Math.max(PART_SIZE, Math.ceil(file.size / MAX_PARTS / MiB) * MiB);
    const part = async (index: number, query: Record<string, string>, signal: AbortSignal) => {
      const body = partOf(file, index * size, size);
      return etagOf((await client.send({ method: "PUT", key, query, body, signal })).headers, key);
    };
    const parts = { count: Math.ceil(file.size / size), part, sha256: file.sha256 };
    await inParts(client, key, parts, signal, async (request) => {
      const answer = await create(request, ["NoSuchUpload", "InvalidPart"]);
      if (!answer.refusal && !isDocument(answer.text, "CompleteMultipartUploadResult"))
        throw notS3(`POST ${key}`);
      await settle(client, key, file, answer, taken);
    });
  };

  return async (key, file, options) => {
    const { size, sha256 } = file;
    if (size > PART_SIZE) return uploadLarge(key, file, options);
    const body = { size, read: async () => ({ bytes: await file.read(0, size), sha256 }) };
    const headers = { [SHA256_HEADER]: sha256 };
    const answer = await create({ method: "PUT", key, headers, body, signal: options.signal });
    if (!answer.refusal) etagOf(answer.headers, key);
    await settle(client, key, file, answer, options.taken);
  };
}

/** Decides about an answer to `create`; an earlier try may have succeeded although its answer was lost. */
async function settle(
  client: S3Client,
  key: string,
  file: StagedFile,
  { refusal }: S3Answer,
  taken: () => void,
): Promise<void> {
  if (!refusal) return;
  taken();
  if (await isSame(client, key, file)) return;
  if (refusal.status !== 412) throw refusalError(refusal, `POST ${key}`);
  throw new AppError("conflict", "the object storage has another file of that key", {
    reason: "storage-conflict",
  });
}

/** The parts of an object: `part` stores one and returns its version. */
export type Parts = {
  count: number;
  sha256: string;
  part: (index: number, query: Record<string, string>, signal: AbortSignal) => Promise<string>;
};

/** Creates an object in parts, some at a time; `complete` sends the request that ends it. What has begun is aborted on an error. */
export async function inParts(
  client: S3Client,
  key: string,
  { count, part, sha256 }: Parts,
  signal: AbortSignal,
  complete: (request: S3Request) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const headers = { [SHA256_HEADER]: sha256 };
  // Not aborted: an upload whose name never arrived could not be removed.
  const { text } = await client.send({ method: "POST", key, query: { uploads: "" }, headers });
  const uploadId = isDocument(text, "InitiateMultipartUploadResult") ? textOf(text, "UploadId") : undefined;
  if (uploadId === undefined || uploadId === "") throw notS3(`POST ${key}`);
  const upload = { key, query: { uploadId } };
  const etags: string[] = [];
  const failed = new AbortController();
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const query = { partNumber: String(index + 1), uploadId };
      etags[index] = await part(index, query, AbortSignal.any([signal, failed.signal]));
    }
  };
  try {
    const workers = Array.from({ length: PARTS_AT_A_TIME }, () =>
      work().catch((error: unknown) => failed.abort(error)),
    );
    await Promise.all(workers);
    failed.signal.throwIfAborted();
    await complete({ method: "POST", ...upload, body: textBody(completion(etags)), signal });
  } catch (error) {
    // A part that cannot be removed now is removed by a rule of the bucket.
    await client.send({ method: "DELETE", ...upload, retries: 1 }, [404]).catch(() => undefined);
    throw error;
  }
}

/** Every S3 names the version that it stored; something else that answers 200 stores nothing. */
function etagOf(headers: Headers, key: string): string {
  const etag = headers.get("etag");
  if (etag === null) throw notS3(`PUT ${key}`);
  return etag;
}

/** Whether the object of that key is one with that size and SHA-256, by what the storage says. */
export async function isSame(client: S3Client, key: string, { size, sha256 }: Sum): Promise<boolean> {
  const { refusal, headers } = await client.send({ method: "HEAD", key }, [404]);
  return !refusal && headers.get(SHA256_HEADER) === sha256 && headers.get("content-length") === String(size);
}

/** The part of a file that begins there; it is hashed in steps, because requests are served between them. */
function partOf(file: StagedFile, offset: number, most: number): S3Body {
  const size = Math.min(most, file.size - offset);
  const read = async () => {
    const bytes = await file.read(offset, size);
    const hash = new Bun.CryptoHasher("sha256");
    for (let start = 0; start < size; start += HASH_SIZE) {
      hash.update(bytes.subarray(start, start + HASH_SIZE));
      await yieldToEventLoop();
    }
    return { bytes, sha256: hash.digest("hex") };
  };
  return { size, read };
}

function completion(etags: string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`;
}

/** The body of a request that is a text. */
export function textBody(text: string): S3Body {
  const bytes = new TextEncoder().encode(text);
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { size: bytes.byteLength, read: () => Promise.resolve({ bytes, sha256 }) };
}
