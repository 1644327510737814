import type { S3Location } from "./url.ts";

/** The keys that sign requests. A session token belongs to keys that expire. */
export type S3Credentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
};

/** A body is read when its turn comes, and again for each retry. */
export type S3Body = {
  size: number;
  /** Returns the bytes and their SHA-256 in hex. */
  read: () => Promise<{ bytes: Uint8Array<ArrayBuffer>; sha256: string }>;
};

/** A request for an object, or without a key for the bucket. */
export type S3Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: S3Body;
  /** Gives the request up: it is refused with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Tries after the first. Default: 3. */
  retries?: number;
  /** Milliseconds to wait for an answer of a request that takes long. */
  answerMs?: number;
};

/** Returns the URL of a request for a bucket. */
export function createUrls({ endpoint, bucket, pathStyle }: S3Location): (request: S3Request) => string {
  const { protocol, host, pathname } = new URL(endpoint);
  const origin = `${protocol}//${pathStyle ? host : `${bucket}.${host}`}`;
  const root = pathStyle ? `${pathname === "/" ? "" : pathname}/${bucket}` : "";
  return ({ key, query = {} }) => {
    const path =
      key === undefined ? root || "/" : `${root}/${key.split("/").map(encodeURIComponent).join("/")}`;
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `${origin}${path}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`;
  };
}
