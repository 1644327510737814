import { GiB, MiB } from "../../base/bytes.ts";
import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Sum, sumOf } from "../../base/sum.ts";
import { requireNone } from "../blobs.ts";
import { leftoversOf, type StoredArchive, TEMPORARY } from "./leftovers.ts";
import { type S3Client, type S3Timing, createS3Client } from "./client.ts";
import { notS3 } from "./errors.ts";
import { checkBucket, deleteObjects, listObjects } from "./objects.ts";
import type { S3Credentials } from "./request.ts";
import type { StagedFile } from "./staging.ts";
import { SHA256_HEADER, createUpload, inParts, isSame } from "./upload.ts";
import type { S3Location } from "./url.ts";
import { innerOf, isDocument, textOf } from "./xml.ts";

/** The place of archives in a bucket, and how it is reached. */
export type ArchivePlace = { location: S3Location; credentials: S3Credentials; timing?: S3Timing };

/**
 * Archives as objects directly below the prefix of a place. All throw `unavailable` and `forbidden` as `openS3Blobs` describes,
 * after more patience.
 */
export type ArchiveBucket = {
  list: () => Promise<StoredArchive[]>;
  has: (name: string) => Promise<boolean>;
  /**
   * The bytes of an archive, and the SHA-256 that was stored with it; null for one of another program. A connection that ends early
   * is continued. Throws `not_found`, and `conflict` if it is replaced.
   */
  read: (name: string) => Promise<{ size: number; sha256: string | null; bytes: ReadableStream<Uint8Array> }>;
  /**
   * Stores a file under a temporary name, reads it back, and gives it its name, which may be that of an older archive. Throws
   * `unavailable` if the bucket returns other bytes than it was given; nothing stays there then.
   */
  store: (name: string, file: StagedFile) => Promise<void>;
  /**
   * Removes what a killed process left of archives with those names: the uploads and temporary names of this machine, and those of
   * others that are older than a day.
   */
  clear: (isOurs: (name: string) => boolean) => Promise<void>;
  remove: (names: string[]) => Promise<void>;
};

/** For uploads that last: a bucket that is slow or restarts is waited for. */
const PATIENT: S3Timing = {
  answer: 20_000,
  stall: 30_000,
  minDelay: 200,
  maxDelay: 10_000,
  window: 60_000,
  retries: 8,
};
/** Largest object that one request copies, and bytes of a part of a larger one. */
const MAX_COPIED = 5 * GiB;
const COPIED_PART = GiB;
/** How long a bucket may take to copy so much, in milliseconds. */
const COPY_MS = 15 * 60_000;
/** How often reading goes on after an interruption without having received a byte. */
const MAX_INTERRUPTIONS = 5;
/** Bytes that one request reads. */
const PIECE = 8 * MiB;
/** Pages of 1,000 keys that are read of a list. */
const MAX_PAGES = 1000;

/** `host` is the name of this machine, by which it recognizes what it left; objects over `maxCopied` bytes are copied in parts. */
export function openArchives(
  { location, credentials, timing = PATIENT }: ArchivePlace,
  host: string,
  maxCopied = MAX_COPIED,
): ArchiveBucket {
  const client = createS3Client(location, credentials, timing);
  const upload = createUpload(client);
  const root = archivesIn(location);
  const suffix = `.unverified-${new Bun.CryptoHasher("sha256").update(host).digest("hex").slice(0, 8)}`;
  const remove = async (keys: string[]) => requireNone(await deleteObjects(client, keys));
  const listed = async () => {
    const all: StoredArchive[] = [];
    let pages = 0;
    for await (const page of listObjects(client, root, true)) {
      if ((pages += 1) > MAX_PAGES) throw endless();
      for (const { key, size, at } of page)
        if (key.startsWith(root)) all.push({ name: key.slice(root.length), bytes: size, at });
    }
    return all.filter(({ name }) => name !== "" && !name.includes("/"));
  };
  const headOf = async (name: string) => {
    const { headers, refusal } = await client.send({ method: "HEAD", key: root + name }, [404]);
    // The answer to HEAD does not tell a missing object from a missing bucket.
    if (refusal) await checkBucket(client, root + name);
    return refusal ? null : headers;
  };
  const read = async (name: string) => {
    const head = await headOf(name);
    if (head === null) throw new AppError("not_found", `the bucket has no ${name}`);
    const size = Number(head.get("content-length"));
    return {
      size,
      sha256: head.get(SHA256_HEADER),
      bytes: streamOf(readAll(client, root + name, { size, etag: head.get("etag"), pause: timing.maxDelay })),
    };
  };

  return {
    list: async () => (await listed()).filter(({ name }) => !TEMPORARY.test(name)),
    has: async (name) => (await headOf(name)) !== null,
    read,
    async store(name, file) {
      const temporary = name + suffix;
      await upload(root + temporary, file, { signal: new AbortController().signal, taken: () => {} });
      let isCopied = false;
      /** Whether nothing has the name that is less than the file, as far as the bucket answers. */
      const isSound = async () => (await headOf(name)) === null || isSame(client, root + name, file);
      try {
        const { bytes } = await read(temporary);
        const stored = await sumOf(bytes);
        if (stored.size !== file.size || stored.sha256 !== file.sha256) throw lies(name);
        const [from, to] = [`/${location.bucket}/${root}${temporary}`, root + name];
        isCopied = true;
        await (file.size <= maxCopied ? copyWhole : copyInParts)(client, from, to, file);
        if (!(await isSame(client, to, file))) {
          await remove([to]);
          throw lies(name);
        }
      } catch (error) {
        // The next run removes it, if this cannot now; beside a copy that is less it has to stay until then, to tell.
        const isDone = !isCopied || (await isSound().catch(() => false));
        if (isDone) await remove([root + temporary]).catch(() => undefined);
        throw error;
      }
      await remove([root + temporary]);
    },
    async clear(isOurs) {
      const all = await listed();
      const uploads = (await listUploads(client, root)).map((each) => ({
        ...each,
        name: each.key.startsWith(root) ? each.key.slice(root.length) : "",
      }));
      const left = leftoversOf(all, uploads, { isOurs, suffix });
      for (const { key, uploadId } of left.uploads)
        await client.send({ method: "DELETE", key, query: { uploadId } }, [404]);
      await remove(left.names.map((name) => root + name));
    },
    remove: (names) => remove(names.map((name) => root + name)),
  };
}

/** The common prefix of the keys of archives. */
export function archivesIn({ prefix }: S3Location): string {
  return prefix === "" ? "" : `${prefix}/`;
}

function endless(): AppError {
  return new AppError("unavailable", "the bucket lists more than a million keys below the prefix", {
    hint: "give the backups a prefix of their own",
  });
}

function lies(name: string): AppError {
  return new AppError("unavailable", `the bucket returned other bytes of ${name} than it was given`, {
    hint: "nothing of it was kept; if that happens again, do not rely on this storage",
  });
}

/** Gives an object a second name on the side of the storage; `from` begins with the bucket. */
async function copyWhole(client: S3Client, from: string, key: string): Promise<void> {
  const headers = { "x-amz-copy-source": from };
  const { text } = await client.send({ method: "PUT", key, headers, answerMs: COPY_MS });
  if (!isDocument(text, "CopyObjectResult")) throw notS3(`PUT ${key}`);
}

async function copyInParts(
  client: S3Client,
  from: string,
  key: string,
  { size, sha256 }: Sum,
): Promise<void> {
  const part = async (index: number, query: Record<string, string>, signal: AbortSignal) => {
    const start = index * COPIED_PART;
    const range = `bytes=${start}-${Math.min(size, start + COPIED_PART) - 1}`;
    const headers = { "x-amz-copy-source": from, "x-amz-copy-source-range": range };
    const { text } = await client.send({ method: "PUT", key, headers, query, signal, answerMs: COPY_MS });
    const etag = isDocument(text, "CopyPartResult") ? textOf(text, "ETag") : undefined;
    if (etag === undefined) throw notS3(`PUT ${key}`);
    return etag;
  };
  const parts = { count: Math.ceil(size / COPIED_PART), part, sha256 };
  await inParts(client, key, parts, new AbortController().signal, async (request) => {
    const { text } = await client.send({ ...request, answerMs: COPY_MS });
    if (!isDocument(text, "CompleteMultipartUploadResult")) throw notS3(`POST ${key}`);
  });
}

/**
 * The bytes of an object from the start to the end, a piece at a time, because the runtime receives all of an answer however slowly
 * it is read. After an interruption it goes on, with pauses of so many milliseconds.
 */
async function* readAll(
  client: S3Client,
  key: string,
  { size, etag, pause }: { size: number; etag: string | null; pause: number },
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  for (let interruptions = 0; offset < size;) {
    const start = offset;
    try {
      const Range = `bytes=${start}-${Math.min(size, start + PIECE) - 1}`;
      const headers = { Range, ...(etag !== null && { "If-Match": etag }) };
      const { status, stream } = await client.open({ method: "GET", key, headers }, [412]);
      if (status === 412) throw new AppError("conflict", "the archive was replaced while it was read");
      if (status !== 206 && start > 0) throw notS3(`GET ${key}`);
      for await (const chunk of stream) {
        offset += chunk.byteLength;
        interruptions = 0;
        yield chunk;
      }
      // The storage has no more of them.
      if (offset === start) return;
    } catch (error) {
      interruptions += 1;
      const isLost = error instanceof AppError && error.code === "unavailable";
      if (!isLost || interruptions > MAX_INTERRUPTIONS) throw error;
      await clock.sleep(pause);
    }
  }
}

function streamOf(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await bytes.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

/** Uploads in parts that have not ended; none for a storage that cannot list them. */
async function listUploads(
  client: S3Client,
  prefix: string,
): Promise<{ key: string; uploadId: string; at: number }[]> {
  const { text, refusal } = await client.send({ method: "GET", query: { uploads: "", prefix } }, [
    501,
    "NotImplemented",
  ]);
  if (refusal) return [];
  if (!isDocument(text, "ListMultipartUploadsResult")) throw notS3("GET of the bucket");
  return innerOf(text, "Upload").map((upload) => ({
    key: textOf(upload, "Key") ?? "",
    uploadId: textOf(upload, "UploadId") ?? "",
    at: Date.parse(textOf(upload, "Initiated") ?? ""),
  }));
}
