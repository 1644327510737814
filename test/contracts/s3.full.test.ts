import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import S3rver from "s3rver";
import { startFakeS3 } from "../support/s3/s3.ts";
import { s3BlobsAt } from "../support/s3/s3-blobs.ts";
import { tempDirectory } from "../support/temp.ts";
import { blobsContract, stageText } from "./blobs.ts";

let count = 0;
const freshPrefix = () => `prefix-${(count += 1)}`;

const fake = startFakeS3();
blobsContract("a bucket", () => {
  const prefix = freshPrefix();
  const paths = () => [...fake.objects.keys()].filter((key) => key.startsWith(`${prefix}/`));
  return {
    blobs: s3BlobsAt(fake.url.replace("some/prefix", prefix)),
    keys: () =>
      paths()
        .map((path) => basename(path))
        .toSorted(),
  };
});

/** A server that somebody else wrote, in this process. Its account has these keys. */
const directory = tempDirectory();
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory,
  vhostBuckets: false,
  configureBuckets: [{ name: "bucket" }],
});
const { port } = await server.run();
afterAll(() => server.close());
const openOther = (prefix: string) =>
  s3BlobsAt(`s3://bucket/${prefix}?endpoint=http://127.0.0.1:${port}`, {
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
  });
const OBJECT = "._S3rver_object";

blobsContract("a bucket of s3rver", () => {
  const prefix = freshPrefix();
  const root = join(directory, "bucket", prefix);
  const names = () => (existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : []);
  return {
    blobs: openOther(prefix),
    keys: () =>
      names()
        .filter((name) => name.endsWith(OBJECT))
        .map((name) => basename(name, OBJECT))
        .toSorted(),
  };
});

test("s3rver puts the parts of a large file together", async () => {
  const blobs = openOther(freshPrefix());
  const text = "0123456789abcdef".repeat(1024 * 1024);
  await blobs.keep([{ key: "a-ab.1", staged: await stageText(blobs, text, "the end") }]);
  expect(await new Response(await blobs.open("a-ab.1")).text()).toBe(`${text}the end`);
});
