import type { Undeleted } from "../blobs.ts";
import type { S3Client } from "./client.ts";
import { notS3, refusalError } from "./errors.ts";
import { textBody } from "./upload.ts";
import { escapeXml, innerOf, isDocument, textOf } from "./xml.ts";

/** `at` is when it was stored, in milliseconds since 1970. */
type ListedObject = { key: string; size: number; at: number };

/** Most objects that one request deletes. */
const MAX_DELETED = 1000;

/** The objects whose keys begin with `prefix`, in pages of up to 1,000; with `isFlat`, only those without a slash behind it. */
export async function* listObjects(
  client: S3Client,
  prefix: string,
  isFlat = false,
): AsyncGenerator<ListedObject[]> {
  let token: string | undefined;
  for (;;) {
    const query = {
      "list-type": "2",
      prefix,
      "encoding-type": "url",
      ...(isFlat && { delimiter: "/" }),
    };
    const { text } = await client.send({
      method: "GET",
      query: token === undefined ? query : { ...query, "continuation-token": token },
    });
    if (!isDocument(text, "ListBucketResult")) throw notS3("GET of the bucket");
    const decode = textOf(text, "EncodingType") === "url" ? decodeKey : (key: string) => key;
    yield innerOf(text, "Contents").map((entry) => ({
      key: decode(textOf(entry, "Key") ?? ""),
      size: Number(textOf(entry, "Size")),
      at: Date.parse(textOf(entry, "LastModified") ?? ""),
    }));
    if (textOf(text, "IsTruncated") !== "true") return;
    const next = textOf(text, "NextContinuationToken");
    // A list that ends early would hide objects, and one that begins again would not end.
    if (next === undefined || next === token) throw notS3("GET of the bucket");
    token = next;
  }
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}

/**
 * Deletes objects; a missing one is not an error. Returns the objects that alone were not deleted. Throws `unavailable`,
 * `forbidden`.
 */
export async function deleteObjects(
  client: S3Client,
  keys: string[],
  retries?: number,
): Promise<Undeleted[]> {
  const undeleted: Undeleted[] = [];
  for (let start = 0; start < keys.length; start += MAX_DELETED) {
    const objects = keys
      .slice(start, start + MAX_DELETED)
      .map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`);
    const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects.join("")}</Delete>`;
    const { text } = await client.send({
      method: "POST",
      query: { delete: "" },
      headers: { "Content-MD5": new Bun.CryptoHasher("md5").update(body).digest("base64") },
      body: textBody(body),
      ...(retries !== undefined && { retries }),
    });
    if (!isDocument(text, "DeleteResult")) throw notS3("POST of the bucket");
    for (const error of innerOf(text, "Error")) {
      const code = textOf(error, "Code") ?? "";
      if (code === "NoSuchKey") continue;
      const refused = refusalError({ status: 200, code, text: "" }, "deletion of an object");
      const key = textOf(error, "Key");
      if (key === undefined || !keys.includes(key)) throw refused;
      undeleted.push({ key, error: refused });
    }
  }
  return undeleted;
}

/** The bytes of an object. Throws `not_found`. */
export async function openObject(
  client: S3Client,
  key: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { stream } = await client.open({ method: "GET", key });
  return stream;
}

/** At most the first `length` bytes of an object. Throws `not_found`. */
export async function readStart(client: S3Client, key: string, length: number): Promise<Uint8Array> {
  const headers = { Range: `bytes=0-${Math.max(1, length) - 1}` };
  // An empty object has no range.
  const { status, stream } = await client.open({ method: "GET", key, headers }, [416]);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= length) break;
  }
  return status === 416 ? new Uint8Array() : new Uint8Array(Buffer.concat(chunks).subarray(0, length));
}

/** Whether an object has that key. Throws `unavailable` without a bucket. */
export async function hasObject(client: S3Client, key: string): Promise<boolean> {
  const { refusal } = await client.send({ method: "HEAD", key }, [404]);
  // The answer to HEAD does not tell a missing object from a missing bucket.
  if (refusal) await checkBucket(client, key);
  return !refusal;
}

/** Throws `unavailable` and `forbidden` unless there is a bucket that can be listed. No object should have the prefix. */
export async function checkBucket(client: S3Client, prefix: string, retries?: number): Promise<void> {
  const { text } = await client.send({
    method: "GET",
    query: { "list-type": "2", "max-keys": "1", prefix },
    ...(retries !== undefined && { retries }),
  });
  if (!isDocument(text, "ListBucketResult")) throw notS3("GET of the bucket");
}
