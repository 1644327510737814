import { createHash, createHmac } from "node:crypto";

export const ACCESS_KEY = "AKIAEXAMPLE";
export const SECRET_KEY = "example/secret+key";

/** The same as variables of the environment. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY };

export const REGION = "eu-test-1";
export const BUCKET = "bucket";

/** The code for a wrong signature, hash or length, as a server finds them without the code of a client. */
export function refusedBecause(
  request: Request,
  body: Buffer<ArrayBuffer>,
  sessionToken?: string,
): string | undefined {
  const { method, headers } = request;
  const url = new URL(request.url);
  const sha256 = createHash("sha256").update(body).digest("hex");
  if (headers.get("x-amz-content-sha256") !== sha256) return "XAmzContentSHA256Mismatch";
  if (body.length > 0 && headers.get("content-length") !== String(body.length)) return "IncompleteBody";
  const md5 = headers.get("content-md5");
  if (md5 !== null && md5 !== createHash("md5").update(body).digest("base64")) return "BadDigest";
  if ((sessionToken ?? null) !== headers.get("x-amz-security-token")) return "InvalidToken";

  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, id, day, region, names = "", signature] = pattern.exec(headers.get("authorization") ?? "") ?? [];
  const date = headers.get("x-amz-date") ?? "";
  if (id !== ACCESS_KEY) return "InvalidAccessKeyId";
  if (region !== REGION) return "AuthorizationHeaderMalformed";
  const signed = names.split(";");
  const mustSign = [...headers.keys(), "host"].filter((name) =>
    /^(x-amz-|host$|content-md5$|if-)/.test(name),
  );
  if (mustSign.some((name) => !signed.includes(name))) return "SignatureDoesNotMatch";
  const parsed = Date.parse(date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Math.abs(Date.now() - parsed) < 900_000)) return "RequestTimeTooSkewed";

  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const path = url.pathname.split("/").map((part) => encode(decodeURIComponent(part)));
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).toSorted();
  const lines = signed.map((name) => `${name}:${(headers.get(name) ?? "").trim()}\n`).join("");
  const canonical = [method, path.join("/"), query.join("&"), lines, names, sha256].join("\n");
  const hash = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", date, `${day}/${region}/s3/aws4_request`, hash].join("\n");
  const hmac = (secret: string | Buffer, data: string) => createHmac("sha256", secret).update(data).digest();
  const secret = [day!, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  return hmac(secret, text).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
}
