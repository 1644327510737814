import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { type StagedBlob, deleteAll } from "../../src/blobs/blobs.ts";
import { stageText } from "../contracts/blobs.ts";
import { reasonOf } from "../support/refusals.ts";
import { ACCESS_KEY, SECRET_KEY } from "../support/s3/s3-signature.ts";
import { s3Error, startFakeS3 } from "../support/s3/s3.ts";
import { FAST, s3BlobsAt } from "../support/s3/s3-blobs.ts";
import { tempDirectory } from "../support/temp.ts";

const MiB = 1024 * 1024;
const fake = startFakeS3();
const blobs = s3BlobsAt(fake.url);
const ROOT = "some/prefix/uploads";

beforeEach(() => {
  fake.objects.clear();
  fake.uploads.clear();
  fake.seen.length = 0;
  fake.most = { requests: 0, bytes: 0 };
  fake.fault = () => undefined;
  fake.after = () => undefined;
  fake.settings = { pageSize: 1000, conditional: true, lifecycle: null };
});

const keep = async (key: string, text = key) => {
  const staged = await stageText(blobs, text);
  await blobs.keep([{ key, staged }]).finally(() => void staged.discard());
};
const textOf = (path: string) => Buffer.from(fake.objects.get(`${ROOT}/${path}`)?.bytes ?? []).toString();
const sent = (method: string) => fake.seen.filter((each) => each.method === method).length;

/** A staged file of so many bytes and its SHA-256. */
async function stageLarge(size: number): Promise<{ staged: StagedBlob; sha256: string }> {
  const staged = await blobs.stage();
  const piece = crypto.getRandomValues(new Uint8Array(65_536));
  for (let left = size; left > 0; left -= piece.length) {
    piece[0] = left % 251;
    await staged.write(piece.subarray(0, left));
  }
  return { staged, sha256: (await staged.finish()).sha256 };
}
const sha256Of = (path: string) =>
  new Bun.CryptoHasher("sha256").update(fake.objects.get(`${ROOT}/${path}`)?.bytes ?? "").digest("hex");

/** A resolver refuses a label of 64 characters without a question to the network. */
const NAME_NOBODY_HAS = `http://${"s".repeat(64)}.example`;

describe("files in a bucket", () => {
  test("have the keys that archives have, below the prefix", async () => {
    await keep("0199-ab.1");
    expect([...fake.objects.keys()]).toEqual([`${ROOT}/ab/0199-ab.1`]);
    const bare = s3BlobsAt(fake.url.replace("/some/prefix", ""));
    await bare.keep([{ key: "0199-cd.12", staged: await stageText(bare, "x") }]);
    expect([...fake.objects.keys()].at(-1)).toBe("uploads/cd/0199-cd.12");
  });

  test("can be read with keys that expire", async () => {
    fake.settings.sessionToken = "token/with+signs==";
    const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
    const temporary = s3BlobsAt(fake.url, {
      credentials: { ...credentials, sessionToken: "token/with+signs==" },
    });
    await temporary.keep([{ key: "a-ab.1", staged: await stageText(temporary, "x") }]);
    expect(await reasonOf(blobs.has("a-ab.1"))).toBe("forbidden storage-forbidden");
    expect(await reasonOf(blobs.open("a-ab.1"))).toBe("forbidden storage-credentials");
  });

  test("leave no name in the local directory, finished or not", async () => {
    const directory = tempDirectory();
    const blobs = s3BlobsAt(fake.url, { directory });
    const staged = await stageText(blobs, "x".repeat(600_000));
    expect(readdirSync(directory)).toEqual([]);
    await staged.discard();
  });

  test.each([
    ["a 500", () => s3Error(500, "InternalError")],
    ["a 503", () => s3Error(503, "SlowDown")],
    ["a 429", () => new Response("slow down", { status: 429 })],
    ["a 502 of a proxy", () => new Response("<html>", { status: 502 })],
    ["a timeout that the storage noticed", () => s3Error(400, "RequestTimeout")],
    ["bytes that changed on their way", () => s3Error(400, "XAmzContentSHA256Mismatch")],
    ["a cut connection", () => "cut" as const],
  ])("are uploaded, read, listed and deleted in spite of %s, twice", async (_, fault) => {
    fake.fault = ({ number }) => (number < 3 ? fault() : undefined);
    await keep("a-ab.1", "bytes");
    expect(textOf("ab/a-ab.1")).toBe("bytes");
    expect(await new Response(await blobs.open("a-ab.1")).text()).toBe("bytes");
    expect((await Array.fromAsync(blobs.list())).flat()).toEqual([{ key: "a-ab.1", size: 5 }]);
    await blobs.delete(["a-ab.1"]);
    expect(fake.objects.size).toBe(0);
    expect(["PUT", "GET", "POST"].map(sent)).toEqual([3, 6, 3]);
  });

  test("are unavailable for a second after the fourth try", async () => {
    fake.fault = () => s3Error(503, "SlowDown");
    const error = await keep("a-ab.1").catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "unavailable", reason: "storage-unavailable", retryAfter: 1 });
    expect(sent("PUT")).toBe(4);
  });

  test("are unavailable where the storage does not answer in time", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    fake.fault = () => promise;
    const hasty = s3BlobsAt(fake.url, { timing: { ...FAST, answer: 250 } });
    expect(await reasonOf(hasty.open("a-ab.1"))).toBe("unavailable storage-unavailable");
    expect(sent("GET")).toBe(4);
    resolve(undefined);
  });

  test.each([
    [403, "InvalidAccessKeyId", "forbidden storage-credentials"],
    [403, "SignatureDoesNotMatch", "forbidden storage-credentials"],
    [400, "ExpiredToken", "forbidden storage-credentials"],
    [403, "AccessDenied", "forbidden storage-forbidden"],
    [403, "Unheard-of", "forbidden storage-forbidden"],
    [404, "NoSuchBucket", "unavailable storage-bucket"],
    [301, "PermanentRedirect", "unavailable storage-region"],
    [400, "AuthorizationHeaderMalformed", "unavailable storage-region"],
    [405, "MethodNotAllowed", "unavailable storage-lacks"],
    [403, "RequestTimeTooSkewed", "unavailable storage-clock"],
    [403, "QuotaExceeded", "unavailable storage-unavailable"],
  ])("are refused after %i %s with %s, at the first try", async (status, code, expected) => {
    fake.fault = () => s3Error(status, code);
    expect(await reasonOf(keep("a-ab.1"))).toBe(expected);
    expect(await reasonOf(blobs.open("a-ab.1"))).toBe(expected);
    expect(await reasonOf(blobs.ready())).toBe(expected);
    expect(sent("PUT")).toBe(1);
  });

  test("follow no redirect, which would show a signed request to another server", async () => {
    fake.fault = () => new Response(null, { status: 307, headers: { Location: fake.url } });
    expect(await reasonOf(blobs.open("a-ab.1"))).toBe("unavailable storage-region");
    expect(fake.seen).toHaveLength(1);
  });

  test("are unavailable where something else than S3 answers", async () => {
    fake.fault = () => new Response("<html><title>Sign in</title></html>");
    expect(await reasonOf(blobs.ready())).toBe("unavailable storage-unreachable");
    expect(await reasonOf(keep("a-ab.1"))).toBe("unavailable storage-unreachable");
    fake.fault = () => new Response("<html>", { status: 404 });
    expect(await reasonOf(blobs.open("a-ab.1"))).toBe("unavailable storage-unreachable");
  });

  test("are a loud error where the storage finds a fault that no caller can cause", async () => {
    fake.fault = () => s3Error(400, "InvalidRequest", "line\nbreak");
    const error = await keep("a-ab.1").catch((error: unknown) => error);
    expect(error).not.toBeInstanceOf(AppError);
    expect(String(error)).toContain(`PUT ${ROOT}/ab/a-ab.1 was answered 400 InvalidRequest line break`);
  });

  test("are unreachable behind a closed port, a certificate nobody vouches for, and a name that nobody has", async () => {
    const tls = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: {
        cert: readFileSync(join(import.meta.dir, "../support/tls/one.cert.pem")),
        key: readFileSync(join(import.meta.dir, "../support/tls/one.key.pem")),
      },
      fetch: () => new Response(),
    });
    const at = (endpoint: string) => s3BlobsAt(`s3://bucket?endpoint=${endpoint}`).open("a-ab.1");
    const endpoints = ["http://127.0.0.1:1", `https://localhost:${tls.port}`, NAME_NOBODY_HAS];
    for (const endpoint of endpoints)
      expect([endpoint, await reasonOf(at(endpoint))]).toEqual([endpoint, "unavailable storage-unreachable"]);
    await tls.stop(true);
  });

  test("have no secret, host or bucket in any message, and no secret in any cause", async () => {
    const wrong = { accessKeyId: ACCESS_KEY, secretAccessKey: "wrong-secret", sessionToken: "wrong-token" };
    const errors = [
      await s3BlobsAt(fake.url, { credentials: wrong })
        .open("a-ab.1")
        .catch((error: unknown) => error),
      await s3BlobsAt("s3://bucket?endpoint=http://127.0.0.1:1", { credentials: wrong })
        .ready()
        .catch((error: unknown) => error),
    ];
    expect(errors.map((error) => error instanceof AppError && error.reason)).toEqual([
      "storage-credentials",
      "storage-unreachable",
    ]);
    for (const error of errors) {
      expect(Bun.inspect(error)).not.toMatch(/wrong-|AKIA|Signature=/);
      expect((error as AppError).message).not.toMatch(/127\.0\.0\.1|"bucket"/);
    }
  });

  test("are forbidden with credentials that are missing or cannot be sent", () => {
    for (const secretAccessKey of ["", "with space", "line\n", "ü"]) {
      const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey };
      expect(() => s3BlobsAt(fake.url, { credentials })).toThrow(
        expect.objectContaining({ code: "forbidden", reason: "storage-credentials" }),
      );
    }
  });

  test("are kept all or none", async () => {
    fake.fault = ({ method, key }) =>
      method === "PUT" && key.endsWith(".7") ? s3Error(403, "AccessDenied") : undefined;
    const files = [];
    for (let position = 1; position <= 30; position += 1)
      files.push({ key: `a-ab.${position}`, staged: await stageText(blobs, `${position}`) });
    expect(await reasonOf(blobs.keep(files))).toBe("forbidden storage-forbidden");
    expect([...fake.objects.keys()]).toEqual([]);
    for (const { staged } of files) await staged.discard();
  });

  test("fail with the first error even where what was uploaded cannot be deleted", async () => {
    fake.fault = ({ method, key }) =>
      method !== "PUT" || key.endsWith(".2") ? s3Error(403, "AccessDenied") : undefined;
    const files = [
      { key: "a-ab.1", staged: await stageText(blobs, "1") },
      { key: "a-ab.2", staged: await stageText(blobs, "2") },
    ];
    expect(await reasonOf(blobs.keep(files))).toBe("forbidden storage-forbidden");
    for (const { staged } of files) await staged.discard();
  });

  test("are kept where the answer to their upload was lost", async () => {
    fake.after = ({ method, number }) => (method === "PUT" && number === 1 ? "cut" : undefined);
    await keep("a-ab.1", "bytes");
    expect([textOf("ab/a-ab.1"), sent("PUT")]).toEqual(["bytes", 2]);
  });

  test("never take the place of another file of that key, which stays", async () => {
    await keep("a-ab.1", "first");
    await keep("a-ab.1", "first");
    const files = [
      { key: "a-ab.1", staged: await stageText(blobs, "other") },
      { key: "a-ab.2", staged: await stageText(blobs, "new") },
    ];
    expect(await reasonOf(blobs.keep(files))).toBe("conflict storage-conflict");
    expect([...fake.objects.keys()]).toEqual([`${ROOT}/ab/a-ab.1`]);
    expect(textOf("ab/a-ab.1")).toBe("first");
    for (const { staged } of files) await staged.discard();
  });

  test("are kept by a storage that knows no conditions", async () => {
    fake.settings.conditional = "refused";
    const other = s3BlobsAt(fake.url);
    for (const key of ["a-ab.1", "a-ab.2"]) await other.keep([{ key, staged: await stageText(other, key) }]);
    expect([textOf("ab/a-ab.2"), sent("PUT")]).toEqual(["a-ab.2", 3]);
  });

  test("are uploaded at most sixteen at a time", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    fake.fault = () => (fake.most.requests >= 16 ? resolve(undefined) : undefined, promise);
    const files = [];
    for (let position = 1; position <= 60; position += 1)
      files.push({ key: `a-ab.${position}`, staged: await stageText(blobs, `${position}`) });
    await blobs.keep(files);
    expect([fake.objects.size, fake.most.requests]).toEqual([60, 16]);
  });

  test("of many parts arrive whole, with no more than 32 MB under way", async () => {
    const sizes = [8 * MiB, 8 * MiB + 1, 24 * MiB, 24 * MiB + 5, 7 * MiB, 7 * MiB, 7 * MiB];
    const files = await Promise.all(
      sizes.map(async (size, at) => ({ key: `a-ab.${at + 1}`, ...(await stageLarge(size)) })),
    );
    // Nothing is answered before that much is under way at a time.
    const { promise, resolve } = Promise.withResolvers<undefined>();
    fake.fault = () => (fake.most.bytes > 16 * MiB ? resolve(undefined) : undefined, promise);
    await blobs.keep(files);
    for (const { key, sha256 } of files) expect([key, sha256Of(`ab/${key}`)]).toEqual([key, sha256]);
    expect(fake.most.bytes).toBeLessThanOrEqual(32 * MiB);
    expect(fake.uploads.size).toBe(0);
    expect(sent("PUT")).toBe(4 + 2 + 3 + 4);
  }, 60_000);

  test("of many parts are aborted where one of them fails", async () => {
    fake.fault = ({ query }) => (query.includes("partNumber=2") ? s3Error(503, "SlowDown") : undefined);
    const { staged } = await stageLarge(17 * MiB);
    expect(await reasonOf(blobs.keep([{ key: "a-ab.1", staged }]))).toBe("unavailable storage-unavailable");
    expect([fake.uploads.size, fake.objects.size, sent("DELETE")]).toEqual([0, 0, 1]);
    await staged.discard();
  });

  test.each(["InvalidPart", "NoSuchUpload"])(
    "of many parts are unavailable, and aborted, where the storage refuses to join them: %s",
    async (code) => {
      fake.fault = ({ method, query }) =>
        method === "POST" && query.includes("uploadId") ? s3Error(400, code) : undefined;
      const { staged, sha256 } = await stageLarge(9 * MiB);
      const error = await blobs.keep([{ key: "a-ab.1", staged }]).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "unavailable", reason: "storage-unavailable", retryAfter: 1 });
      expect([fake.uploads.size, fake.objects.size, sent("DELETE")]).toEqual([0, 0, 1]);
      fake.fault = () => undefined;
      await blobs.keep([{ key: "a-ab.1", staged }]);
      expect(sha256Of("ab/a-ab.1")).toBe(sha256);
    },
  );

  test("of many parts are aborted where another file of the same call fails while the upload begins", async () => {
    const [begun, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    fake.fault = async ({ method, key }) => {
      if (method !== "PUT" || !key.endsWith(".2")) return undefined;
      await begun.promise;
      refused.resolve(undefined);
      return s3Error(403, "AccessDenied");
    };
    fake.after = async ({ query }) => {
      if (query !== "?uploads=") return undefined;
      begun.resolve();
      await refused.promise;
      // The refusal arrives before this answer.
      await Bun.sleep(20);
      return undefined;
    };
    const files = [
      { key: "a-ab.1", staged: (await stageLarge(17 * MiB)).staged },
      { key: "a-ab.2", staged: await stageText(blobs, "2") },
    ];
    expect(await reasonOf(blobs.keep(files))).toBe("forbidden storage-forbidden");
    expect([fake.uploads.size, fake.objects.size]).toEqual([0, 0]);
    for (const { staged } of files) await staged.discard();
  });

  test.each([
    ["was lost", "cut" as const],
    ["is an error after a 200", s3Error(200, "InternalError")],
  ])("of many parts are kept where the answer to the last request %s", async (_, fault) => {
    fake.after = ({ method, query, number }) =>
      method === "POST" && query.includes("uploadId") && number === 2 ? fault : undefined;
    const { staged, sha256 } = await stageLarge(9 * MiB);
    await blobs.keep([{ key: "a-ab.1", staged }]);
    expect(sha256Of("ab/a-ab.1")).toBe(sha256);
  });

  test("fail to be read rather than end early where the connection is cut", async () => {
    await keep("a-ab.1", "x".repeat(100_000));
    fake.after = () => "cut-answer";
    const read = async () => new Response(await blobs.open("a-ab.1")).bytes();
    expect(await reasonOf(read())).toBe("unavailable storage-unavailable");
  });

  test("fail to be read where the storage stops in the middle", async () => {
    await keep("a-ab.1", "x".repeat(100_000));
    fake.after = () => {
      let pulls = 0;
      const pull = async (controller: ReadableStreamDefaultController) => {
        if ((pulls += 1) > 1) await new Promise(() => {});
        controller.enqueue(new Uint8Array(1000));
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    };
    const hasty = s3BlobsAt(fake.url, { timing: { ...FAST, stall: 20 } });
    const read = async () => new Response(await hasty.open("a-ab.1")).bytes();
    expect(await reasonOf(read())).toBe("unavailable storage-unavailable");
  });

  test("can be left before they are read to the end", async () => {
    await keep("a-ab.1", "x".repeat(3_000_000));
    for await (const chunk of await blobs.open("a-ab.1")) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    const opened = await blobs.open("a-ab.1");
    await opened.cancel();
    expect(await blobs.head("a-ab.1", 5)).toEqual(new Uint8Array(5).fill(120));
  });

  test("have an empty head where they are empty", async () => {
    await keep("a-ab.1", "");
    expect(await blobs.head("a-ab.1", 10)).toEqual(new Uint8Array());
  });

  test("are listed in pages, foreign objects by the path that they have", async () => {
    fake.settings.pageSize = 2;
    const foreign = ["x", "ab/a&b<c>'\"é +%41", "ab/deep/a-ab.1", "cd/a-ab.9", "..", "ab/a-ab.1\n"];
    for (const path of foreign)
      fake.objects.set(`${ROOT}/${path}`, { bytes: Buffer.from("abc"), sha256: null });
    fake.objects.set("some/prefix/other", { bytes: Buffer.from("abc"), sha256: null });
    await keep("a-ab.1", "four");
    const listed = (await Array.fromAsync(blobs.list())).flat();
    expect(listed.find(({ key }) => key === "a-ab.1")).toEqual({ key: "a-ab.1", size: 4 });
    expect(listed.map(({ key }) => key).toSorted()).toEqual(
      ["a-ab.1", "x", "ab/a&b<c>'\"é +%41", "ab/deep/a-ab.1", "cd/a-ab.9", "..", "a-ab.1\n"].toSorted(),
    );
  });

  test("are deleted a thousand at a time", async () => {
    const keys = Array.from({ length: 2001 }, (_, at) => `a-ab.${at + 1}`);
    for (const key of keys) fake.objects.set(`${ROOT}/ab/${key}`, { bytes: Buffer.alloc(0), sha256: null });
    await blobs.delete(keys);
    expect([fake.objects.size, sent("POST")]).toEqual([0, 3]);
  });

  test.each([
    ["AccessDenied", "forbidden storage-forbidden"],
    ["InternalError", "unavailable storage-unavailable"],
    ["NoSuchKey", "none"],
  ])("that cannot be deleted because of %s are refused with %s", async (code, expected) => {
    const error = `<Error><Key>${ROOT}/ab/a-ab.1</Key><Code>${code}</Code><Message>m</Message></Error>`;
    fake.fault = () => new Response(`<DeleteResult>${error}</DeleteResult>`);
    expect(await reasonOf(deleteAll(blobs, ["a-ab.1"]))).toBe(expected);
  });

  test("that alone cannot be deleted are told, after the others; an answer about others is refused", async () => {
    const keys = Array.from({ length: 1001 }, (_, at) => `a-ab.${at + 1}`);
    const error = (key: string) => `<Error><Key>${key}</Key><Code>AccessDenied</Code></Error>`;
    fake.fault = ({ number }) =>
      number === 1
        ? new Response(`<DeleteResult>${error(`${ROOT}/ab/a-ab.7`)}</DeleteResult>`)
        : new Response("<DeleteResult></DeleteResult>");
    expect(await blobs.delete(keys)).toMatchObject([{ key: "a-ab.7", error: { code: "forbidden" } }]);
    expect(sent("POST")).toBe(2);
    fake.fault = () => new Response(`<DeleteResult>${error("x")}</DeleteResult>`);
    expect(await reasonOf(blobs.delete(keys))).toBe("forbidden storage-forbidden");
  });

  test("have no keys that leave their place, and none is sent", async () => {
    const keys = [
      "",
      ".1",
      "..",
      "../a.1",
      "a/b.1",
      "a.1/../b.1",
      "a.1\n",
      "%2e%2e.1",
      "a?x.1",
      "a#.1",
      "é.1",
      "a.x",
    ];
    for (const key of keys) {
      const staged = await stageText(blobs, "x");
      const calls = [
        blobs.keep([{ key, staged }]),
        (async () => blobs.open(key))(),
        (async () => blobs.has(key))(),
        (async () => blobs.delete([key]))(),
      ];
      const results = await Promise.allSettled(calls);
      expect([key, ...results.map(({ status }) => status)]).toEqual([key, ...Array(4).fill("rejected")]);
      await staged.discard();
    }
    expect(fake.seen).toEqual([]);
  });

  test("are not there to be asked for in a bucket that is missing", async () => {
    const elsewhere = s3BlobsAt(fake.url.replace("//bucket", "//other-bucket"));
    expect(await reasonOf(elsewhere.has("a-ab.1"))).toBe("unavailable storage-bucket");
    expect(await reasonOf(elsewhere.ready())).toBe("unavailable storage-bucket");
  });
});
