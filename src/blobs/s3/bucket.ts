import { type Blobs, mayStillAppear } from "../blobs.ts";
import { shardOf } from "../key.ts";
import { type S3Timing, createS3Client } from "./client.ts";
import { checkBucket, deleteObjects, hasObject, listObjects, openObject, readStart } from "./objects.ts";
import type { S3Credentials } from "./request.ts";
import { openStaging } from "./staging.ts";
import { createUpload } from "./upload.ts";
import type { S3Location } from "./url.ts";

export type S3Config = {
  location: S3Location;
  credentials: S3Credentials;
  /** A local directory for files until they are kept. */
  staging: string;
  /** Default: what suits a storage on the internet. */
  timing?: S3Timing | undefined;
};

/**
 * The blob store in a bucket. A kept file is the object `<prefix>/uploads/<shard>/<key>`. If keeping files fails, those
 * that were uploaded are deleted unless the storage is unavailable; the rest is found by its note.
 *
 * Throws `forbidden` if the directory cannot be written or the credentials cannot be sent. Methods throw `unavailable`
 * with a reason: `storage-unavailable` after the last retry, `storage-unreachable`, `storage-bucket`, `storage-region`,
 * `storage-clock`, `storage-lacks`; and `forbidden` with `storage-credentials` or `storage-forbidden`.
 */
export function openS3Blobs({ location, credentials, staging: directory, timing }: S3Config): Blobs {
  const staging = openStaging(directory);
  const client = createS3Client(location, credentials, timing);
  const upload = createUpload(client);
  const root = uploadsOf(location);
  const pathOf = (key: string) => objectKey(root, key);

  return {
    stage: staging.stage,
    async keep(files) {
      const failed = new AbortController();
      /** Keys whose objects may exist because of this call. */
      const created = new Set<string>();
      const keepOne = async ({ key, staged }: (typeof files)[number]) => {
        const path = pathOf(key);
        const file = await staging.fileOf(staged);
        created.add(path);
        await upload(path, file, { signal: failed.signal, taken: () => created.delete(path) });
      };
      await Promise.all(files.map((file) => keepOne(file).catch((error: unknown) => failed.abort(error))));
      if (failed.signal.aborted) {
        const error: unknown = failed.signal.reason;
        // Files that cannot be deleted are left to the sweep: the caller needs the first error.
        if (!mayStillAppear(error)) await deleteObjects(client, [...created], 1).catch(() => undefined);
        throw error;
      }
      await Promise.all(files.map(({ staged }) => staged.discard()));
    },
    async ready() {
      await staging.ready();
      await checkBucket(client, `${root}-`, 0);
    },
    open: (key) => openObject(client, pathOf(key)),
    head: (key, length) => readStart(client, pathOf(key), length),
    has: (key) => hasObject(client, pathOf(key)),
    async *list() {
      for await (const page of listObjects(client, root))
        yield page.map(({ key, size }) => ({ key: nameOf(key.slice(root.length)), size }));
    },
    async delete(keys) {
      const undeleted = await deleteObjects(client, keys.map(pathOf));
      return undeleted.map(({ key, error }) => ({ key: nameOf(key.slice(root.length)), error }));
    },
  };
}

/** The common prefix of all file keys. */
export function uploadsOf({ prefix }: S3Location): string {
  return `${prefix === "" ? "" : `${prefix}/`}uploads/`;
}

function objectKey(root: string, key: string): string {
  if (!/^[\w-]+\.\d+$/.test(key)) throw new Error("not a key of an uploaded file");
  return `${root}${shardOf(key)}/${key}`;
}

/** The key of a file from its path; the path itself for a foreign object, or for a file in a place where it is not read. */
function nameOf(path: string): string {
  const [shard, key, ...rest] = path.split("/");
  return key !== undefined && rest.length === 0 && shard === shardOf(key) ? key : path;
}
