import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "bun:test";
import { openArchives } from "../../src/blobs/s3/archives.ts";
import { openFile } from "../../src/blobs/s3/staging.ts";
import { parseS3Url } from "../../src/blobs/s3/url.ts";
import { eventually } from "../support/eventually.ts";
import { codeOf, errorOf } from "../support/refusals.ts";
import { ACCESS_KEY, SECRET_KEY } from "../support/s3/s3-signature.ts";
import { FAST } from "../support/s3/s3-blobs.ts";
import { s3Error, startFakeS3 } from "../support/s3/s3.ts";
import { tempDirectory } from "../support/temp.ts";

const fake = startFakeS3();
const open = (host: string, maxCopied?: number, answer = 2000) =>
  openArchives(
    {
      location: parseS3Url(fake.url),
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
      timing: { ...FAST, answer },
    },
    host,
    maxCopied,
  );
const bucket = open("here");
const ROOT = "some/prefix/";
const NAME = "formflag-auto-20270131T120000Z.tar.age";
const folder = tempDirectory();
const isOurs = (name: string) => name.startsWith("formflag-auto-");

beforeEach(() => {
  fake.objects.clear();
  fake.uploads.clear();
  fake.seen.length = 0;
  fake.fault = () => undefined;
  fake.after = () => undefined;
});

/** A file of so many bytes that do not repeat. */
function fileOf(size: number) {
  const path = join(folder, crypto.randomUUID());
  writeFileSync(path, Buffer.alloc(size, crypto.getRandomValues(new Uint8Array(997))));
  return openFile(path);
}
const keys = () => [...fake.objects.keys()].toSorted();

describe("an archive in a bucket", () => {
  test.each([1000, 20_000_000])("of %i bytes has its name once it was read back", async (size) => {
    await using file = await fileOf(size);
    const named: string[][] = [];
    fake.after = ({ method, key }) => {
      if (method === "GET" && key !== "" && named.length === 0) named.push(keys());
      return undefined;
    };
    await bucket.store(NAME, file);
    expect(named).toEqual([[expect.stringMatching(/\.unverified-[0-9a-f]{8}$/)]]);
    expect(keys()).toEqual([ROOT + NAME]);
    expect(fake.uploads.size).toBe(0);
    const { size: stored, bytes } = await bucket.read(NAME);
    expect(stored).toBe(size);
    const sum = new Bun.CryptoHasher("sha256").update(await new Response(bytes).bytes()).digest("hex");
    expect(sum).toBe(file.sha256);
  });

  test("that is too large for one copy is copied in parts", async () => {
    await using file = await fileOf(20_000_000);
    await open("here", 10_000_000).store(NAME, file);
    expect(keys()).toEqual([ROOT + NAME]);
    expect(fake.seen.some(({ headers }) => headers.has("x-amz-copy-source-range"))).toBe(true);
    expect(fake.uploads.size).toBe(0);
  });

  test("is continued where a connection ended", async () => {
    await using file = await fileOf(300_000);
    await bucket.store(NAME, file);
    fake.after = ({ method, key, number }) =>
      method === "GET" && key === ROOT + NAME && number < 3 ? "cut-answer" : undefined;
    const { bytes } = await bucket.read(NAME);
    expect((await new Response(bytes).bytes()).length).toBe(300_000);
  });

  test("that is replaced while it is read is refused, not mixed", async () => {
    await using file = await fileOf(300_000);
    await bucket.store(NAME, file);
    fake.after = ({ method, key, number }) => {
      if (method !== "GET" || key !== ROOT + NAME || number > 1) return undefined;
      fake.objects.set(key, { bytes: Buffer.alloc(300_000), sha256: null });
      return "cut-answer";
    };
    const { bytes } = await bucket.read(NAME);
    expect(await errorOf(new Response(bytes).bytes())).toBe(
      "conflict: the archive was replaced while it was read",
    );
  });

  test("is listed directly below the prefix alone, without those that are under way", async () => {
    await using file = await fileOf(100);
    await bucket.store(NAME, file);
    for (const name of ["deep/formflag-auto-20270131T120000Z.tar", `${NAME}.unverified-01234567`])
      fake.objects.set(ROOT + name, { bytes: Buffer.from("x"), sha256: null });
    expect((await bucket.list()).map(({ name, bytes }) => [name, bytes])).toEqual([[NAME, 100]]);
  });
});

describe("a list of archives", () => {
  const page = (keys: string[], end: string) => {
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join("");
    return new Response(`<ListBucketResult>${contents}${end}</ListBucketResult>`);
  };
  const more = (token: unknown) =>
    `<IsTruncated>true</IsTruncated><NextContinuationToken>${String(token)}</NextContinuationToken>`;
  const ENDLESS = "unavailable: the bucket lists more than a million keys below the prefix";

  test.each<[string, (number: number) => string, RegExp]>([
    ["that repeats its token", () => more("again"), /^unavailable: the object storage cannot be reached$/],
    [
      "that goes on without a token",
      () => "<IsTruncated>true</IsTruncated>",
      /^unavailable: the object storage cannot be reached$/,
    ],
    ["whose tokens take turns", (number) => more(number % 2), new RegExp(ENDLESS)],
    ["that never ends", more, new RegExp(ENDLESS)],
  ])("%s is an error, neither endless nor cut short", async (_, end, error) => {
    fake.after = ({ number }) => page([ROOT + NAME], end(number));
    expect(await errorOf(bucket.list())).toMatch(error);
  });

  test("has nothing of what a bucket lists beside the prefix", async () => {
    const beside = ["x".repeat(ROOT.length) + NAME, NAME, `some/other/${NAME}`];
    fake.after = () => page([...beside, ROOT + NAME], "<IsTruncated>false</IsTruncated>");
    expect((await bucket.list()).map(({ name }) => name)).toEqual([NAME]);
  });
});

describe("a bucket that lies leaves nothing", () => {
  const cases: [string, (size: number) => void][] = [
    [
      "stores half of the bytes",
      () =>
        (fake.after = ({ method, key, query }) => {
          const object = fake.objects.get(key);
          if (object && /^(PUT|POST)$/.test(method) && !query.includes("uploads"))
            object.bytes = object.bytes.slice(0, object.bytes.length / 2);
          return undefined;
        }),
    ],
    [
      "returns other bytes",
      (size) =>
        (fake.fault = ({ method, key }) =>
          method === "GET" && key !== "" ? new Response(Buffer.alloc(size)) : undefined),
    ],
    [
      "answers a copy 200 with an error in it",
      () =>
        (fake.fault = ({ headers }) =>
          headers.has("x-amz-copy-source") ? s3Error(200, "AccessDenied") : undefined),
    ],
    [
      "answers 200 with an empty page",
      () => (fake.fault = ({ headers }) => (headers.has("x-amz-copy-source") ? new Response("") : undefined)),
    ],
    [
      "is full",
      () => (fake.fault = ({ method }) => (method === "PUT" ? s3Error(403, "QuotaExceeded") : undefined)),
    ],
    [
      "is slow",
      () => (fake.fault = ({ method }) => (method === "PUT" ? s3Error(503, "SlowDown") : undefined)),
    ],
  ];
  test.each(cases)("if it %s", async (_, arrange) => {
    const size = 50_000;
    await using file = await fileOf(size);
    arrange(size);
    expect(await errorOf(bucket.store(NAME, file))).toMatch(
      /returned other bytes|refuses access|is unavailable|cannot be reached/,
    );
    expect([keys(), fake.uploads.size]).toEqual([[], 0]);
  });

  test("if it hangs, but for what it took late, which the next one removes", async () => {
    await using file = await fileOf(50_000);
    let [begun, taken] = [0, 0];
    fake.fault = async ({ method }) => {
      if (method === "PUT") begun += 1;
      if (method === "PUT") await Bun.sleep(1500);
      return undefined;
    };
    fake.after = ({ method }) => {
      if (method === "PUT") taken += 1;
      return undefined;
    };
    const late = NAME.replace("2027", "2028");
    const impatient = open("here", undefined, 300);
    expect(await errorOf(impatient.store(late, file))).toBe("unavailable: the object storage is unavailable");
    fake.fault = () => undefined;
    await eventually("the storage took what was given up", () => begun > 0 && taken === begun);
    expect(keys()).not.toContain(ROOT + late);
    await bucket.clear(isOurs);
    expect(keys()).toEqual([]);
  });

  test("but is waited for, if it is slow for a while", async () => {
    await using file = await fileOf(50_000);
    fake.fault = ({ method, number }) =>
      method === "PUT" && number < 3 ? s3Error(503, "SlowDown") : undefined;
    await bucket.store(NAME, file);
    expect(keys()).toEqual([ROOT + NAME]);
  });
});

describe("what a killed process left", () => {
  /** Uploads and temporary names of this machine, of another one, and of other programs. */
  const leave = async (at: number) => {
    await using file = await fileOf(9_000_000);
    for (const host of ["here", "there"]) {
      let cut = false;
      fake.fault = ({ method, query }) => {
        if (method === "PUT" && query.includes("partNumber=2")) cut = true;
        return cut ? s3Error(403, "AccessDenied") : undefined;
      };
      await errorOf(open(host).store(NAME, file));
      fake.fault = ({ headers, method, query }) =>
        headers.has("x-amz-copy-source") || (method === "POST" && query.includes("delete"))
          ? s3Error(403, "AccessDenied")
          : undefined;
      await errorOf(open(host).store(NAME, file));
    }
    fake.fault = () => undefined;
    for (const upload of fake.uploads.values()) upload.at = at;
    for (const object of fake.objects.values()) object.at = at;
    const foreign = ["deep/formflag-auto-x.tar.unverified-01234567", "photos.unverified-01234567", "photos"];
    for (const name of foreign)
      fake.objects.set(ROOT + name, { bytes: Buffer.from("x"), sha256: null, at: 0 });
    fake.uploads.set("foreign", Object.assign(new Map(), { key: `${ROOT}photos`, at: 0 }));
    return foreign.map((name) => ROOT + name).toSorted();
  };

  test("is removed by the next one of the same machine, and what others have under way stays", async () => {
    const foreign = await leave(Date.now());
    expect([fake.uploads.size, fake.objects.size]).toEqual([3, 5]);
    await bucket.clear(isOurs);
    expect([fake.uploads.size, fake.objects.size]).toEqual([2, 4]);
    await open("there").clear(isOurs);
    expect([...fake.uploads.keys()]).toEqual(["foreign"]);
    expect(keys()).toEqual(foreign);
  });

  test("is removed by any machine after a day", async () => {
    const foreign = await leave(Date.now() - 2 * 86_400_000);
    await open("elsewhere").clear(isOurs);
    expect([...fake.uploads.keys()]).toEqual(["foreign"]);
    expect(keys()).toEqual(foreign);
  });
});

test("the copy of a large archive that a killed process left is removed: its own at once, that of others after a day", async () => {
  const uploadOf = (name: string, hours: number) =>
    fake.uploads.set(
      name,
      Object.assign(new Map<number, Uint8Array>(), { key: ROOT + name, at: Date.now() - hours * 3_600_000 }),
    );
  const large = open("here", 10);
  fake.after = ({ method, query }) => {
    // Nothing arrives any more once the copy has begun.
    if (method === "POST" && query.includes("uploads")) fake.fault = () => "cut";
    return undefined;
  };
  await using file = await fileOf(100);
  expect(await codeOf(large.store(NAME, file))).toBe("unavailable");
  expect([...fake.uploads.values()].map(({ key }) => key)).toEqual([ROOT + NAME]);
  [fake.fault, fake.after] = [() => undefined, () => undefined];
  for (const [name, hours] of [
    ["formflag-auto-20270130T120000Z.tar", 23],
    ["formflag-auto-20270129T120000Z.tar", 25],
    ["other.tar", 25],
  ] as const)
    uploadOf(name, hours);
  await large.clear(isOurs);
  expect([...fake.uploads.values()].map(({ key }) => key.slice(ROOT.length))).toEqual([
    "formflag-auto-20270130T120000Z.tar",
    "other.tar",
  ]);
  expect([...fake.objects.keys()]).toEqual([]);
});

test("a copy that is less than the archive, and could not be removed, is removed by the next run; an older archive stays", async () => {
  await using file = await fileOf(1000);
  fake.after = ({ method, key, headers }) => {
    if (method !== "PUT" || !headers.has("x-amz-copy-source")) return undefined;
    const object = fake.objects.get(key)!;
    fake.objects.set(key, { ...object, bytes: object.bytes.slice(0, 10) });
    fake.fault = () => "cut";
    return undefined;
  };
  expect(await codeOf(bucket.store(NAME, file))).toBe("unavailable");
  expect(keys()).toEqual([`${ROOT}${NAME}`, expect.stringContaining(".unverified-")]);
  [fake.fault, fake.after] = [() => undefined, () => undefined];
  await bucket.clear(isOurs);
  expect(keys()).toEqual([]);

  // This time nothing was copied.
  fake.objects.set(ROOT + NAME, { bytes: Buffer.from("older"), sha256: null, at: Date.now() - 60_000 });
  fake.fault = ({ headers }) => {
    if (!headers.has("x-amz-copy-source")) return undefined;
    fake.fault = () => "cut";
    return "cut";
  };
  expect(await codeOf(bucket.store(NAME, file))).toBe("unavailable");
  expect(keys()).toHaveLength(2);
  fake.fault = () => undefined;
  await bucket.clear(isOurs);
  expect(keys()).toEqual([ROOT + NAME]);
});
