import { createHash } from "node:crypto";
import { afterAll } from "bun:test";
import { BUCKET, REGION, refusedBecause } from "./s3-signature.ts";

/** A request as a fault sees it. `key` is empty for the bucket; `number` counts those of this method and key from 1. */
type Seen = { method: string; key: string; query: string; number: number; headers: Headers };

/** What becomes of a request instead of its answer: an answer, a cut connection, or a cut after half of the bytes. */
type Fault = Response | "cut" | "cut-answer" | undefined;

type FakeS3 = {
  url: string;
  objects: Map<string, { bytes: Uint8Array; sha256: string | null; at?: number }>;
  /** Uploads in parts that were neither completed nor aborted. */
  uploads: Map<string, Map<number, Uint8Array> & { key: string; at: number }>;
  seen: Seen[];
  /** The most requests, and the most bytes of their bodies, that were under way at a time. */
  most: { requests: number; bytes: number };
  /** Called for each request with a right signature and body, before it has an effect; `after` once it had it. */
  fault: (seen: Seen) => Fault | Promise<Fault>;
  after: (seen: Seen) => Fault | Promise<Fault>;
  settings: {
    pageSize: number;
    conditional: boolean | "refused";
    lifecycle: string | null;
    sessionToken?: string;
  };
};

/**
 * Starts an object storage in memory that refuses wrong signatures, hashes and lengths. It stops after the test file. `at` is
 * where it listens, if not at a free port of this machine.
 */
export function startFakeS3(at: { hostname?: string; port?: number; tls?: Bun.TLSOptions } = {}): FakeS3 {
  const underway = { requests: 0, bytes: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...at,
    maxRequestBodySize: 64 << 20,
    idleTimeout: 0,
    async fetch(request) {
      const size = Number(request.headers.get("content-length"));
      underway.requests += 1;
      underway.bytes += size;
      fake.most.requests = Math.max(fake.most.requests, underway.requests);
      fake.most.bytes = Math.max(fake.most.bytes, underway.bytes);
      try {
        return await respond(fake, request, Buffer.from(await request.bytes()));
      } finally {
        underway.requests -= 1;
        underway.bytes -= size;
      }
    },
  });
  afterAll(() => server.stop(true));
  const fake: FakeS3 = {
    url: `s3://${BUCKET}/some/prefix?endpoint=http://127.0.0.1:${server.port}&region=${REGION}`,
    objects: new Map(),
    uploads: new Map(),
    seen: [],
    most: { requests: 0, bytes: 0 },
    fault: () => undefined,
    after: () => undefined,
    settings: { pageSize: 1000, conditional: true, lifecycle: null },
  };
  return fake;
}

/** An answer that is an error of S3. */
export function s3Error(status: number, code: string, message = "as the test wants it"): Response {
  return xml(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`, status);
}

async function respond(fake: FakeS3, request: Request, body: Buffer<ArrayBuffer>): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const [bucket, ...rest] = pathname.slice(1).split("/");
  const key = rest.map(decodeURIComponent).join("/");
  const { method, headers } = request;
  const number = 1 + fake.seen.filter((each) => each.method === method && each.key === key).length;
  const seen = { method, key, query: search, number, headers };
  fake.seen.push(seen);
  const wrong = refusedBecause(request, body, fake.settings.sessionToken);
  if (wrong) return s3Error(403, wrong);
  if (bucket !== BUCKET)
    return method === "HEAD" ? new Response(null, { status: 404 }) : s3Error(404, "NoSuchBucket");
  const early = await fake.fault(seen);
  if (early) return early instanceof Response ? early : cut();
  const answer = perform(fake, seen, new URLSearchParams(search), body);
  const late = await fake.after(seen);
  if (late === "cut-answer") return cut(Buffer.from(await answer.arrayBuffer()));
  return late instanceof Response ? late : late ? cut() : answer;
}

/** An answer that ends with the connection, after half of its bytes. */
function cut(bytes = Buffer.alloc(0)): Response {
  let hasSent = false;
  const pull = async (controller: ReadableStreamDefaultController) => {
    if (!hasSent && bytes.length > 1) controller.enqueue(bytes.slice(0, bytes.length / 2));
    else controller.error();
    hasSent = true;
    await Bun.sleep(1);
  };
  return new Response(new ReadableStream({ pull }), { headers: { "content-length": String(bytes.length) } });
}

function perform(
  fake: FakeS3,
  { method, key, headers }: Seen,
  query: URLSearchParams,
  body: Buffer<ArrayBuffer>,
): Response {
  const { objects, uploads, settings } = fake;
  const upload = query.get("uploadId");
  const parts = uploads.get(upload ?? "");
  const create = (bytes: Uint8Array) => {
    if (headers.has("if-none-match") && settings.conditional === "refused")
      return s3Error(501, "NotImplemented");
    if (headers.has("if-none-match") && settings.conditional && objects.has(key))
      return s3Error(412, "PreconditionFailed");
    objects.set(key, {
      bytes,
      sha256: headers.get("x-amz-meta-sha256") ?? metadata.get(upload ?? "") ?? null,
      at: Date.now(),
    });
    return undefined;
  };
  const source = headers.get("x-amz-copy-source");
  if (source !== null) return copied(fake, source, key, headers, parts, Number(query.get("partNumber")));
  if (key === "" && method === "GET" && query.has("lifecycle"))
    return settings.lifecycle === null
      ? s3Error(404, "NoSuchLifecycleConfiguration")
      : xml(settings.lifecycle);
  if (key === "" && method === "GET" && query.has("uploads")) return listUploads(fake, query);
  if (key === "" && method === "GET") return list(fake, query);
  if (key === "" && method === "POST" && query.has("delete")) {
    for (const [, escaped] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(escaped!);
    return xml("<DeleteResult></DeleteResult>");
  }
  if (method === "POST" && query.has("uploads")) {
    const id = `upload/${crypto.randomUUID()}+&=`;
    uploads.set(id, Object.assign(new Map(), { key, at: Date.now() }));
    metadata.set(id, headers.get("x-amz-meta-sha256") ?? "");
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${id.replace("&", "&amp;")}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  if (upload !== null && !parts) return s3Error(404, "NoSuchUpload");
  if (parts && method === "PUT") {
    parts.set(Number(query.get("partNumber")), body);
    return new Response(null, { headers: { etag: `"${createHash("md5").update(body).digest("hex")}"` } });
  }
  if (parts && method === "POST") {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&#34;(\w+)&#34;/g)];
    const bytes = named.map(([, number]) => parts.get(Number(number))!);
    if (named.some(([, , etag], at) => createHash("md5").update(bytes[at]!).digest("hex") !== etag))
      return s3Error(400, "InvalidPart");
    if (bytes.slice(0, -1).some((part) => part.length < 5 << 20)) return s3Error(400, "EntityTooSmall");
    const refused = create(Buffer.concat(bytes));
    if (refused) return refused;
    uploads.delete(upload!);
    return xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  }
  if (parts && method === "DELETE")
    return new Response(null, { status: uploads.delete(upload!) ? 204 : 404 });
  if (method === "PUT") return create(body) ?? new Response(null, { headers: { etag: '"etag"' } });
  const object = objects.get(key);
  if (!object) return method === "HEAD" ? new Response(null, { status: 404 }) : s3Error(404, "NoSuchKey");
  const { bytes, sha256 } = object;
  const etag = etagOf(bytes);
  if ((headers.get("if-match") ?? etag) !== etag) return s3Error(412, "PreconditionFailed");
  const size = {
    "content-length": String(bytes.length),
    etag,
    ...(sha256 && { "x-amz-meta-sha256": sha256 }),
  };
  if (method === "HEAD") return new Response(null, { headers: size });
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
  if (last === undefined) return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: size });
  if (bytes.length === 0) return s3Error(416, "InvalidRange");
  return new Response(bytes.slice(Number(first), Number(last) + 1), { status: 206 });
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

/** Copies an object, or a range of it to a part. */
function copied(
  { objects }: FakeS3,
  source: string,
  key: string,
  headers: Headers,
  parts: Map<number, Uint8Array> | undefined,
  number: number,
): Response {
  const object = objects.get(decodeURIComponent(source).slice(`/${BUCKET}/`.length));
  if (!object) return s3Error(404, "NoSuchKey");
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("x-amz-copy-source-range") ?? "") ?? [];
  const bytes = last === undefined ? object.bytes : object.bytes.slice(Number(first), Number(last) + 1);
  if (parts) parts.set(number, bytes);
  else objects.set(key, { ...object, at: Date.now() });
  const tag = `<ETag>${etagOf(bytes).replaceAll('"', "&quot;")}</ETag>`;
  return xml(
    parts ? `<CopyPartResult>${tag}</CopyPartResult>` : `<CopyObjectResult>${tag}</CopyObjectResult>`,
  );
}

function listUploads({ uploads }: FakeS3, query: URLSearchParams): Response {
  const entries = [...uploads]
    .filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""))
    .map(
      ([id, { key, at }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id.replace("&", "&amp;")}</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`,
    );
  return xml(`<ListMultipartUploadsResult>${entries.join("")}</ListMultipartUploadsResult>`);
}

/** The SHA-256 that uploads in parts were begun with. */
const metadata = new Map<string, string>();

function list({ objects, settings }: FakeS3, query: URLSearchParams): Response {
  const token = query.get("continuation-token")?.replace(/^token\+ /, "") ?? "";
  const prefix = query.get("prefix") ?? "";
  const isListed = (key: string) =>
    key.startsWith(prefix) && !(query.get("delimiter") === "/" && key.slice(prefix.length).includes("/"));
  const all = [...objects.keys()].filter(isListed).toSorted();
  const rest = all.filter((key) => key > token);
  const page = rest.slice(0, settings.pageSize);
  const encoded = (key: string) => encodeURIComponent(key).replaceAll("%20", "+");
  const entries = page.map(
    (key) =>
      `<Contents><Key>${encoded(key)}</Key><LastModified>${new Date(objects.get(key)!.at ?? 0).toISOString()}</LastModified><Size>${objects.get(key)!.bytes.length}</Size></Contents>`,
  );
  const isTruncated = page.length < rest.length;
  const next = isTruncated ? `<NextContinuationToken>token+ ${page.at(-1)}</NextContinuationToken>` : "";
  return xml(
    `<ListBucketResult xmlns="x"><IsTruncated>${isTruncated}</IsTruncated><EncodingType>url</EncodingType>${next}${entries.join("")}</ListBucketResult>`,
  );
}

function xml(text: string, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`, { status });
}
