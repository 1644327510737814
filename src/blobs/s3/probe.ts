import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/network.ts";
import { requireNone } from "../blobs.ts";
import { archivesIn } from "./archives.ts";
import { type S3Config, uploadsOf } from "./bucket.ts";
import { type S3Client, createS3Client } from "./client.ts";
import { UnexpectedAnswer, notS3 } from "./errors.ts";
import { checkBucket, deleteObjects, hasObject, openObject } from "./objects.ts";
import { textBody } from "./upload.ts";
import { innerOf, textOf } from "./xml.ts";

/** The result of one check of a bucket, for an operator: it names the bucket and the endpoint. */
type S3Finding = {
  check: string;
  status: "ok" | "warning" | "problem";
  message: string;
  hint: string | null;
};

/** Result of a check that did not throw: a text if all is well. */
type Found = string | { message: string; hint: string };

const CONTENT = "A check wrote this object. It can be deleted.";

/**
 * Checks that files can be stored in a bucket, read, listed and deleted, and whether the bucket does what else it should,
 * with an object that is removed again. Throws `forbidden` if the credentials cannot be sent.
 */
export async function probeS3(place: Place): Promise<S3Finding[]> {
  const { client, findings, isUsable } = await probe(place, uploadsOf(place.location));
  return isUsable ? [...findings, await checkRule(client)] : findings;
}

/** The same for archives of backups, which need neither conditions nor rules. */
export async function probeArchives(place: Place): Promise<S3Finding[]> {
  const { findings } = await probe(place, archivesIn(place.location));
  return findings
    .filter(({ check }) => check !== "bucket: replace")
    .map((finding) => ({ ...finding, check: `backup ${finding.check}` }));
}

type Place = Omit<S3Config, "staging">;

async function probe({ location, credentials, timing }: Place, root: string) {
  const client = createS3Client(location, credentials, timing);
  const { bucket, endpoint, region } = location;
  const key = `${root}-probe-${clock.uuid()}`;
  const found = await check(
    "bucket",
    "check the bucket, the endpoint, the region, the credentials, and the right s3:ListBucket",
    async () => {
      await checkBucket(client, key);
      return isPlain(endpoint) ? PLAIN : `${bucket} in ${region} at ${endpoint}`;
    },
  );
  // Without the bucket every other check fails too.
  if (found.status === "problem") return { client, findings: [found], isUsable: false };
  const findings = [found, ...(await checkObject(client, key)), await checkParts(client, key)];
  return { client, findings, isUsable: true };
}

const PLAIN = {
  message: "the connection is not encrypted",
  hint: "use an https:// endpoint unless the network is trusted",
};

function isPlain(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "http:" && !isLoopbackHost(hostname);
}

/** Checks what is done with a file, and removes it. */
async function checkObject(client: S3Client, key: string): Promise<S3Finding[]> {
  const put = { method: "PUT", key, body: textBody(CONTENT) } as const;
  const stored = await check("bucket: store", "allow s3:PutObject", async () => {
    await client.send(put);
    return "files can be stored";
  });
  if (stored.status === "problem") return [stored];
  const read = await check("bucket: read", "allow s3:GetObject", async () => {
    const text = await new Response(await openObject(client, key)).text();
    if (text !== CONTENT) throw notS3(`GET ${key}`);
    return "files can be read";
  });
  const conditional = await check("bucket: replace", "allow s3:PutObject", async () => {
    const { refusal } = await client.send({ ...put, headers: { "If-None-Match": "*" } }, [412, 501]);
    return refusal?.status === 412 ? "a stored file is never replaced" : UNCONDITIONAL;
  });
  const removed = await check("bucket: delete", "allow s3:DeleteObject", async () => {
    requireNone(await deleteObjects(client, [key]));
    if (await hasObject(client, key)) throw notS3(`deletion of ${key}`);
    return "files can be deleted";
  });
  return [stored, read, conditional, removed];
}

const UNCONDITIONAL =
  "the storage has no conditional writes (If-None-Match), and needs none: the names of files are unique";

function checkParts(client: S3Client, key: string): Promise<S3Finding> {
  return check("bucket: parts", "allow s3:PutObject and s3:AbortMultipartUpload", async () => {
    const { text } = await client.send({ method: "POST", key, query: { uploads: "" } });
    const uploadId = textOf(text, "UploadId");
    if (uploadId === undefined) throw notS3(`POST ${key}`);
    await client.send({ method: "DELETE", key, query: { uploadId } });
    return "files over 8 MB can be stored";
  });
}

/** Checks whether parts of uploads that a killed server left are removed. */
function checkRule(client: S3Client): Promise<S3Finding> {
  const hint = "add a lifecycle rule with AbortIncompleteMultipartUpload after 2 days";
  return check("bucket: lifecycle", hint, async () => {
    const { text, refusal } = await client.send({ method: "GET", query: { lifecycle: "" } }, UNREADABLE);
    if (refusal && refusal.status !== 404)
      return { message: "the lifecycle rules cannot be read", hint: `${hint}, unless there is one` };
    const isSet = innerOf(text, "Rule").some(
      (rule) =>
        textOf(rule, "Status") === "Enabled" && innerOf(rule, "AbortIncompleteMultipartUpload").length > 0,
    );
    return isSet
      ? "incomplete uploads are removed"
      : { message: "incomplete uploads are kept for ever", hint };
  });
}

/** The answers of a bucket without rules, of one whose rules may not be read, and of storages that have none. */
const UNREADABLE = [400, 403, 404, 405, 501];

/** Runs a check; its `hint` is for an error. */
async function check(name: string, hint: string, work: () => Promise<Found>): Promise<S3Finding> {
  try {
    const found = await work();
    return typeof found === "string"
      ? { check: name, status: "ok", message: found, hint: null }
      : { check: name, status: "warning", ...found };
  } catch (error) {
    if (!(error instanceof AppError || error instanceof UnexpectedAnswer)) throw error;
    const cause = typeof error.cause === "string" ? ` (${error.cause})` : "";
    return { check: name, status: "problem", message: `${error.message}${cause}`, hint };
  }
}
