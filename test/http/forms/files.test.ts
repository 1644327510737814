import { describe, expect, test } from "bun:test";
import { multipart, text, file, formData, sha256, noise, openInbox } from "../../support/inbox.ts";

const { newForm, refused, stored, bytesOf } = openInbox();
const MiB = 1024 * 1024;
const KiB = 1024;

describe("files:", () => {
  test("a file of exactly 1,048,576 bytes is stored, and one byte more is too large", async () => {
    const form = await newForm({ uploads: true });
    const bytes = noise(MiB);
    const submission = await stored(form, multipart(file("a.bin", bytes)));
    expect(submission.files).toEqual([
      { field: "upload", name: "a.bin", type: expect.any(String), size: MiB, sha256: sha256(bytes) },
    ]);
    expect(sha256(await bytesOf(submission, 1))).toBe(sha256(bytes));
    const message = await refused(form, multipart(file("b.bin", noise(MiB + 1))), 413);
    expect(message).toContain('"b.bin"');
  });

  test.each([
    [1, "1 byte"],
    [10, "10 bytes"],
    [1536, "1.5 KB (1536 bytes)"],
    [3 * MiB, "3 MB (3145728 bytes)"],
  ])("a form's own limit of %p bytes holds at its edge", async (maxFileSize, says) => {
    const form = await newForm({ uploads: true, maxFileSize });
    const submission = await stored(form, multipart(file("a.bin", noise(maxFileSize))));
    expect(submission.files[0]!.size).toBe(maxFileSize);
    expect(await refused(form, multipart(file("a.bin", noise(maxFileSize + 1))), 413)).toContain(says);
  });

  test("5 files are stored and 6 are too many, however they are named", async () => {
    const form = await newForm({ uploads: true });
    const files = (count: number) => Array.from({ length: count }, () => file("a.txt", "x"));
    expect((await stored(form, multipart(...files(5)))).files).toHaveLength(5);
    expect(await refused(form, multipart(...files(6)), 413)).toContain("limit of 5 files");
  });

  test.each([
    [1, "limit of 1 file"],
    [7, "limit of 7 files"],
  ])("a form's own limit of %p files holds at its edge", async (maxFiles, says) => {
    const form = await newForm({ uploads: true, maxFiles });
    const files = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}`, "x"));
    expect((await stored(form, multipart(...files(maxFiles)))).files).toHaveLength(maxFiles);
    expect(await refused(form, multipart(...files(maxFiles + 1)), 413)).toMatch(new RegExp(`${says}$`));
  });

  test("several under one field and several fields keep their order, beside text", async () => {
    const form = await newForm({ uploads: true });
    const submission = await stored(
      form,
      formData([
        ["photos", new File(["one"], "1.png", { type: "image/png" })],
        ["name", "Ada"],
        ["cv", new File(["two"], "2.pdf", { type: "application/pdf" })],
        ["photos", new File(["three"], "1.png", { type: "image/png" })],
      ]),
    );
    expect(submission.data).toEqual({ name: "Ada" });
    expect(submission.files.map(({ field, name, type, size }) => [field, name, type, size])).toEqual([
      ["photos", "1.png", "image/png", 3],
      ["cv", "2.pdf", "application/pdf", 3],
      ["photos", "1.png", "image/png", 5],
    ]);
    expect(Buffer.from(await bytesOf(submission, 3)).toString()).toBe("three");
  });

  test("a submission of a file alone has no fields", async () => {
    const form = await newForm({ uploads: true });
    const submission = await stored(form, multipart(file("a.txt", "a")));
    expect([submission.data, submission.files.length]).toEqual([{}, 1]);
  });

  test("an input left empty is no file, with uploads on and off", async () => {
    for (const uploads of [true, false]) {
      const form = await newForm({ uploads });
      const empty = file("", "", "application/octet-stream");
      const submission = await stored(form, multipart(empty, text("a", "1"), empty));
      expect([submission.data, submission.files]).toEqual([{ a: "1" }, []]);
    }
  });

  test("200 inputs left empty are none, and 201 are too many", async () => {
    const form = await newForm({ uploads: true });
    const empty = (count: number) => Array.from({ length: count }, () => file("", ""));
    expect((await stored(form, multipart(text("a", "1"), ...empty(200)))).files).toEqual([]);
    await refused(form, multipart(text("a", "1"), ...empty(201)), 413);
  });

  test("an empty file with a name is a file, and so are bytes without a name", async () => {
    const form = await newForm({ uploads: true });
    const { files } = await stored(form, multipart(file("empty.txt", ""), file("", "x")));
    expect(files.map(({ name, size, sha256 }) => [name, size, sha256])).toEqual([
      ["empty.txt", 0, sha256(new Uint8Array())],
      ["", 1, sha256(Buffer.from("x"))],
    ]);
  });

  test.each([
    ["what the part says", "a.txt", "image/png", "image/png"],
    ["what the part says, with parameters", "a.bin", "text/plain; charset=x", "text/plain; charset=x"],
    ["what goes with the extension", "a.pdf", undefined, "application/pdf"],
    ["what goes with the extension in capitals", "PHOTO.JPG", undefined, "image/jpeg"],
    ["what goes with the last extension", "a.pdf.txt", undefined, "text/plain"],
    ["what goes with the extension where the part's type is empty", "a.png", "", "image/png"],
    ["bytes for an unknown extension", "a.nonsense", undefined, "application/octet-stream"],
    ["bytes without an extension", "README", undefined, "application/octet-stream"],
    ["bytes for a name that ends with a dot", "README.", undefined, "application/octet-stream"],
  ])("the type is %s", async (_, name, type, expected) => {
    const form = await newForm({ uploads: true });
    const { files } = await stored(form, multipart(file(name, "x", type)));
    expect(files[0]!.type).toBe(expected);
  });

  test.each([
    ["in UTF-8", 'filename="naïve 漢字 🎉.txt"', "naïve 漢字 🎉.txt"],
    ["with what browsers escape", 'filename="a%22b%0D%0Ac%0a.txt"', 'a"b\r\nc\n.txt'],
    ["with other percent signs", 'filename="100%25 %41.txt"', "100%25 %41.txt"],
    ["as filename*, which wins", `filename="plain.txt"; filename*=UTF-8''na%C3%AFve.txt`, "naïve.txt"],
    ["as filename* alone", `filename*=UTF-8''%e2%82%ac%20rates`, "€ rates"],
    ["with a literal escape in filename*", `filename*=UTF-8''50%2522.txt`, "50%22.txt"],
    ["with backslashes", String.raw`filename="C:\fakepath\new.txt"`, String.raw`C:\fakepath\new.txt`],
    ["with escaped quotes", String.raw`filename="say \"hi\".txt"`, 'say "hi".txt'],
    ["without quotes", "filename=plain.txt", "plain.txt"],
    ["that is a path", 'filename="../../../etc/passwd"', "../../../etc/passwd"],
    ["that is an absolute path", 'filename="/etc/passwd"', "/etc/passwd"],
    ["of dots", 'filename=".."', ".."],
    ["with a null character", 'filename="a\0b.txt"', "a\0b.txt"],
    ["with semicolons", 'filename="a; name=b.txt"', "a; name=b.txt"],
    ["that fakes a field", 'filename="__proto__"', "__proto__"],
  ])("a name is stored as sent: %s", async (_, parameter, name) => {
    const form = await newForm({ uploads: true });
    const part = `Content-Disposition: form-data; name="upload"; ${parameter}`;
    const submission = await stored(form, multipart([part, "content"]));
    expect(submission.files[0]).toMatchObject({ field: "upload", name, size: 7 });
    expect(Buffer.from(await bytesOf(submission, 1)).toString()).toBe("content");
  });

  test("a name of exactly 1,024 bytes is stored, and one byte more is too large", async () => {
    const form = await newForm({ uploads: true });
    const name = "é".repeat(512);
    const { files } = await stored(form, multipart(file(name, "x")));
    expect(files[0]!.name).toBe(name);
    expect(await refused(form, multipart(file(`${name}a`, "x")), 413)).toContain("1024 bytes");
  });

  test("text after a file is refused like text before one, and the file goes", async () => {
    const form = await newForm({ uploads: true });
    const long = text("essay", "x".repeat(256 * KiB + 1));
    await refused(form, multipart(file("a.txt", "a"), long), 413);
    await refused(form, multipart(long, file("a.txt", "a")), 413);
  });
});
