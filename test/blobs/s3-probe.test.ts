import { beforeEach, describe, expect, test } from "bun:test";
import { probeS3 } from "../../src/blobs/s3/probe.ts";
import { parseS3Url } from "../../src/blobs/s3/url.ts";
import { ACCESS_KEY, SECRET_KEY } from "../support/s3/s3-signature.ts";
import { s3Error, startFakeS3 } from "../support/s3/s3.ts";
import { FAST } from "../support/s3/s3-blobs.ts";

const fake = startFakeS3();
beforeEach(() => {
  fake.objects.clear();
  fake.uploads.clear();
  fake.fault = () => undefined;
  fake.settings = { pageSize: 1000, conditional: true, lifecycle: null };
});

const probe = async (url = fake.url, secretAccessKey = SECRET_KEY) =>
  probeS3({
    location: parseS3Url(url),
    credentials: { accessKeyId: ACCESS_KEY, secretAccessKey },
    timing: FAST,
  });
const statuses = async (url?: string): Promise<Record<string, string>> =>
  Object.fromEntries((await probe(url)).map(({ check, status }) => [check, status]));

const WELL = {
  bucket: "ok",
  "bucket: store": "ok",
  "bucket: read": "ok",
  "bucket: replace": "ok",
  "bucket: delete": "ok",
  "bucket: parts": "ok",
  "bucket: lifecycle": "ok",
};
const RULE = (status: string, action: string) =>
  `<LifecycleConfiguration><Rule><Status>${status}</Status><${action}><DaysAfterInitiation>2</DaysAfterInitiation></${action}></Rule></LifecycleConfiguration>`;

describe("the check of a bucket", () => {
  test("finds nothing to do about a bucket that is set up, and leaves nothing there", async () => {
    fake.settings.lifecycle = RULE("Enabled", "AbortIncompleteMultipartUpload");
    expect(await statuses()).toEqual(WELL);
    expect([fake.objects.size, fake.uploads.size]).toEqual([0, 0]);
  });

  test.each([
    ["s3://other-bucket", 404, "NoSuchBucket", "the bucket does not exist"],
    ["s3://bucket", 403, "SignatureDoesNotMatch", "the object storage refuses the credentials"],
    ["s3://bucket", 403, "AccessDenied", "the object storage refuses access"],
    ["s3://bucket", 301, "PermanentRedirect", "the bucket is in another region"],
  ])("stops at %s that is answered %i %s", async (url, status, code, message) => {
    fake.fault = () => s3Error(status, code, "what the storage says");
    const findings = await probe(fake.url.replace("s3://bucket", url));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ check: "bucket", status: "problem" });
    expect(findings[0]!.message).toContain(message);
    expect(findings[0]!.message).toContain(code);
  });

  test("never shows the secret", async () => {
    expect(JSON.stringify(await probe(fake.url, "wrong-secret"))).not.toContain("wrong-secret");
  });

  test.each([
    ["PUT", "bucket: store", ["bucket: read", "bucket: replace", "bucket: delete"]],
    ["GET", "bucket: read", []],
    ["POST", "bucket: parts", []],
    ["DELETE", "bucket: parts", []],
  ])("names the right to %s that is missing", async (method, expected, unchecked) => {
    fake.settings.lifecycle = RULE("Enabled", "AbortIncompleteMultipartUpload");
    fake.fault = (seen) =>
      seen.method === method && seen.key !== "" ? s3Error(403, "AccessDenied") : undefined;
    const wanted: Record<string, string> = { ...WELL, [expected]: "problem" };
    for (const each of unchecked) delete wanted[each];
    expect(await statuses()).toEqual(wanted);
  });

  test("names the right to delete", async () => {
    fake.fault = ({ query }) =>
      query.includes("delete")
        ? new Response("<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>")
        : undefined;
    expect(await statuses()).toMatchObject({ "bucket: delete": "problem", "bucket: parts": "ok" });
  });

  test.each([false, "refused"] as const)("notes that conditional writes are %s", async (conditional) => {
    fake.settings.conditional = conditional;
    expect(await statuses()).toMatchObject({ "bucket: replace": "ok", "bucket: delete": "ok" });
  });

  test.each([
    ["missing", null],
    ["disabled", RULE("Disabled", "AbortIncompleteMultipartUpload")],
    ["another one", RULE("Enabled", "Expiration")],
  ])("notes that the rule for incomplete uploads is %s", async (_, lifecycle) => {
    fake.settings.lifecycle = lifecycle;
    expect(await statuses()).toMatchObject({ "bucket: lifecycle": "warning" });
  });

  test.each([403, 405, 501])("notes that rules are answered %i", async (status) => {
    fake.fault = ({ query }) => (query.includes("lifecycle") ? s3Error(status, "AccessDenied") : undefined);
    expect(await statuses()).toMatchObject({ "bucket: lifecycle": "warning" });
  });
});
