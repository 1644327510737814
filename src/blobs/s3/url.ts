import { isIP } from "node:net";
import { AppError } from "../../base/errors.ts";

/** Where objects are stored. */
export type S3Location = {
  bucket: string;
  /** The prefix of every object key; empty, or without a slash at either end. */
  prefix: string;
  /** The URL of the service, without the bucket and without a slash at the end. */
  endpoint: string;
  region: string;
  /** Whether the bucket is part of the path, not of the host. */
  pathStyle: boolean;
};

const PARAMETERS = new Set(["endpoint", "region", "path-style"]);
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/;
const REGION = /^[A-Za-z0-9-]{1,64}$/;
/** Longest prefix, in characters. Keys are at most 1,024 bytes long. */
const MAX_PREFIX = 512;

/**
 * Parses `s3://bucket/prefix?endpoint=https://…&region=…&path-style=1`. Without an endpoint it is a bucket of AWS, which
 * needs a region. With one the region defaults to `us-east-1`, and the bucket is part of the path unless `path-style=0`.
 * Throws `invalid`; no error repeats the URL, which may hold a password by mistake.
 */
export function parseS3Url(text: string): S3Location {
  const [, authority, path, query = ""] = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (authority === undefined) throw invalid("a storage URL looks like s3://bucket/prefix?region=eu-west-1");
  const parameters = parametersOf(query);
  const bucket = bucketOf(authority);
  const region = regionOf(parameters);
  const endpoint = endpointOf(parameters) ?? awsEndpoint(region);
  // A certificate for *.s3.region.amazonaws.com does not cover a bucket with a dot.
  const pathStyle = pathStyleOf(parameters) ?? (parameters.has("endpoint") || bucket.includes("."));
  const { hostname, pathname } = new URL(endpoint);
  if (!pathStyle && (pathname !== "/" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0))
    throw invalid("an endpoint with a path or an address needs path-style=1");
  return { bucket, prefix: prefixOf(path ?? ""), endpoint, region: region ?? "us-east-1", pathStyle };
}

function parametersOf(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  const names = [...parameters.keys()];
  if (names.some((name) => !PARAMETERS.has(name)))
    throw invalid("a storage URL has no parameters but endpoint, region and path-style");
  if (new Set(names).size < names.length) throw invalid("the storage URL has a parameter twice");
  return parameters;
}

function bucketOf(authority: string): string {
  if (authority.includes("@"))
    throw invalid("the storage URL holds credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (authority.includes(":")) throw invalid("the storage URL has a port: a port belongs to the endpoint");
  if (authority === "") throw invalid("the storage URL names no bucket");
  if (!BUCKET.test(authority) || authority.includes("..") || isIP(authority) !== 0)
    throw invalid(
      "the name of a bucket has 3 to 63 lowercase letters, digits, dots and dashes, and is not an address",
    );
  return authority;
}

function prefixOf(path: string): string {
  const prefix = path.endsWith("/") ? path.slice(0, -1) : path;
  if (prefix === "") return "";
  if (
    prefix.length > MAX_PREFIX ||
    !PREFIX.test(prefix) ||
    prefix.split("/").some((part) => /^\.\.?$/.test(part))
  )
    throw invalid(
      `the prefix of a storage URL has at most ${MAX_PREFIX} letters, digits, dots, dashes and underscores, with single slashes between`,
    );
  return prefix;
}

function regionOf(parameters: URLSearchParams): string | undefined {
  const region = parameters.get("region") ?? undefined;
  if (region === undefined || REGION.test(region)) return region;
  throw invalid("the region of the storage URL is not a region, such as eu-west-1");
}

function pathStyleOf(parameters: URLSearchParams): boolean | undefined {
  const value = parameters.get("path-style");
  if (value !== null && value !== "0" && value !== "1")
    throw invalid("path-style in the storage URL is 0 or 1");
  return value === null ? undefined : value === "1";
}

function endpointOf(parameters: URLSearchParams): string | undefined {
  const text = parameters.get("endpoint");
  if (text === null) return undefined;
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    throw invalid("the endpoint of the storage URL looks like https://s3.example.com");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw invalid("the endpoint holds credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (url.search !== "" || url.hash !== "" || url.pathname.includes("%") || url.port === "0")
    throw invalid("the endpoint of the storage URL has a part that an endpoint cannot have");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function awsEndpoint(region: string | undefined): string {
  if (region === undefined) throw invalid("the storage URL needs a region or an endpoint");
  return `https://s3.${region.toLowerCase()}.amazonaws.com${/^cn-/i.test(region) ? ".cn" : ""}`;
}

function invalid(message: string): AppError {
  return new AppError("invalid", message, { reason: "storage-url" });
}
