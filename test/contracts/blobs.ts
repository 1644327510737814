import { describe, expect, test } from "bun:test";
import type { Blobs, StagedBlob } from "../../src/blobs/blobs.ts";
import { codeOf } from "../support/refusals.ts";

/** Opens an empty blob store; `keys` tells, sorted, what it keeps. */
type OpenBlobs = () => { blobs: Blobs; keys: () => string[] };

const textOf = async (blobs: Blobs, key: string) => new Response(await blobs.open(key)).text();

/** Stages a file of these pieces and finishes it. */
export async function stageText(blobs: Blobs, ...pieces: string[]): Promise<StagedBlob> {
  const staged = await blobs.stage();
  for (const piece of pieces) await staged.write(Buffer.from(piece));
  await staged.finish();
  return staged;
}

/** What the product relies on in every driver of the `Blobs` port. */
export function blobsContract(name: string, open: OpenBlobs): void {
  describe(`the blobs contract, kept by ${name}`, () => {
    test("a kept file has the bytes that were written, in order", async () => {
      const { blobs } = open();
      await blobs.keep([{ key: "a-ab.1", staged: await stageText(blobs, "one ", "", "two ", "thrée") }]);
      expect(await textOf(blobs, "a-ab.1")).toBe("one two thrée");
    });

    test("a file says its size and its SHA-256 once it is finished, each time it is asked", async () => {
      const staged = await open().blobs.stage();
      await staged.write(Buffer.from("ab"));
      await staged.write(Buffer.from("c"));
      const expected = {
        size: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      };
      expect(await staged.finish()).toEqual(expected);
      expect(await staged.finish()).toEqual(expected);
      await staged.discard();
    });

    test("a file may be empty", async () => {
      const { blobs } = open();
      const staged = await blobs.stage();
      expect(await staged.finish()).toEqual({
        size: 0,
        sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      });
      await blobs.keep([{ key: "a-ab.1", staged }]);
      expect(await textOf(blobs, "a-ab.1")).toBe("");
    });

    test("files that are written at the same time, in pieces of any size, arrive whole, finished before or not", async () => {
      const { blobs } = open();
      const sizes = [1, 262_143, 1, 262_144, 262_145, 5, 700_000, 131_072, 131_072, 3];
      const files = await Promise.all(
        [0, 1, 2, 3].map(async (index) => {
          const staged = await blobs.stage();
          const pieces = sizes.map((_, at) =>
            Buffer.alloc(sizes[(at + index) % sizes.length]!, index * 16 + at),
          );
          for (const piece of pieces) await staged.write(piece);
          if (index % 2 === 0) await staged.finish();
          return { key: `a-ab.${index + 1}`, staged, expected: Buffer.concat(pieces) };
        }),
      );
      await blobs.keep(files);
      for (const { key, expected } of files)
        expect(expected.equals(await new Response(await blobs.open(key)).bytes())).toBe(true);
    });

    test("a file of many large pieces arrives whole", async () => {
      const { blobs } = open();
      const staged = await blobs.stage();
      const hash = new Bun.CryptoHasher("sha256");
      for (let count = 0; count < 12; count += 1) {
        const piece = crypto.getRandomValues(new Uint8Array(65_536));
        hash.update(piece);
        await staged.write(piece);
      }
      const sha256 = hash.digest("hex");
      expect(await staged.finish()).toEqual({ size: 12 * 65_536, sha256 });
      await blobs.keep([{ key: "a-ab.1", staged }]);
      const bytes = await new Response(await blobs.open("a-ab.1")).bytes();
      expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(sha256);
    });

    test("nobody sees a file before it is kept", async () => {
      const { blobs, keys } = open();
      const staged = await stageText(blobs, "hidden");
      expect(keys()).toEqual([]);
      await blobs.keep([{ key: "a-ab.1", staged }]);
      expect(keys()).toEqual(["a-ab.1"]);
    });

    test("several files are kept at once", async () => {
      const { blobs, keys } = open();
      const given = ["a-ab.1", "a-ab.2", "b-cd.1"];
      await blobs.keep(
        await Promise.all(given.map(async (key) => ({ key, staged: await stageText(blobs, key) }))),
      );
      expect(keys()).toEqual(given);
      for (const key of given) expect(await textOf(blobs, key)).toBe(key);
    });

    test("is ready for a file while there is room", async () => {
      await open().blobs.ready();
    });

    test("keeping no files is no error", async () => {
      await open().blobs.keep([]);
    });

    test("a file that is discarded is never kept, and may be discarded again", async () => {
      const { blobs, keys } = open();
      const staged = await stageText(blobs, "thrown away");
      await staged.discard();
      await staged.discard();
      expect(await blobs.keep([{ key: "a-ab.1", staged }]).catch(() => "refused")).toBe("refused");
      expect(keys()).toEqual([]);
    });

    test("a file may be discarded while it is still written", async () => {
      const { blobs, keys } = open();
      const staged = await blobs.stage();
      await staged.write(Buffer.from("half"));
      await staged.discard();
      expect(keys()).toEqual([]);
    });

    test("to discard a file that was kept does nothing", async () => {
      const { blobs } = open();
      const staged = await stageText(blobs, "kept");
      await blobs.keep([{ key: "a-ab.1", staged }]);
      await staged.discard();
      expect(await textOf(blobs, "a-ab.1")).toBe("kept");
    });

    test("of several files none is kept when one cannot be", async () => {
      const { blobs, keys } = open();
      const gone = await stageText(blobs, "gone");
      await gone.discard();
      const files = [
        await stageText(blobs, "1"),
        await stageText(blobs, "2"),
        gone,
        await stageText(blobs, "4"),
      ];
      const kept = blobs.keep(files.map((staged, index) => ({ key: `a-ab.${index + 1}`, staged })));
      expect(await kept.catch(() => "refused")).toBe("refused");
      expect(keys()).toEqual([]);
      for (const staged of files) await staged.discard();
    });

    test("a file that is not there is not found", async () => {
      const opened = open().blobs.open("a-ab.1");
      expect(await opened.catch((error: unknown) => error)).toMatchObject({
        name: "AppError",
        code: "not_found",
      });
    });

    test("deleted files are gone, and those that were not there are no error", async () => {
      const { blobs, keys } = open();
      for (const key of ["a-ab.1", "a-ab.2"])
        await blobs.keep([{ key, staged: await stageText(blobs, key) }]);
      await blobs.delete(["a-ab.1", "b-cd.1"]);
      await blobs.delete(["a-ab.1"]);
      await blobs.delete([]);
      expect(keys()).toEqual(["a-ab.2"]);
      expect(await blobs.open("a-ab.1").catch((error: unknown) => error)).toMatchObject({
        code: "not_found",
      });
    });

    test("kept files are listed with their sizes and had, staged ones are not", async () => {
      const { blobs } = open();
      const staged = await blobs.stage();
      await blobs.keep([
        { key: "a-ab.1", staged: await stageText(blobs, "x") },
        { key: "b-cd.1", staged: await stageText(blobs, "long") },
      ]);
      const listed = new Map<string, number>();
      for await (const files of blobs.list()) for (const { key, size } of files) listed.set(key, size);
      expect(Object.fromEntries(listed)).toEqual({ "a-ab.1": 1, "b-cd.1": 4 });
      expect([await blobs.has("a-ab.1"), await blobs.has("a-ab.2")]).toEqual([true, false]);
      await staged.discard();
    });

    test("a kept file has a head, which is all of a short one", async () => {
      const { blobs } = open();
      await blobs.keep([{ key: "a-ab.1", staged: await stageText(blobs, "bytes") }]);
      const head = async (length: number) => Buffer.from(await blobs.head("a-ab.1", length)).toString();
      expect([await head(2), await head(100)]).toEqual(["by", "bytes"]);
      expect(await codeOf(blobs.head("a-ab.2", 2))).toBe("not_found");
    });
  });
}
