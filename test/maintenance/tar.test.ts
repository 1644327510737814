import { expect, test } from "bun:test";
import { packTar, unpackTar } from "../../src/maintenance/tar.ts";

const SIZES = { small: 20_000, other: 3, large: 40_000_000, last: 5 };

async function* entries() {
  for (const [path, size] of Object.entries(SIZES))
    yield { path, size, bytes: new Blob([new Uint8Array(size)]).stream() };
}

test("a large file is read after others that were skipped", async () => {
  const read: [string, number][] = [];
  const archive = await new Response(packTar(entries(), 0) as never).blob();
  for await (const { path, bytes } of unpackTar(archive.stream())) {
    if (path === "large" || path === "last")
      read.push([path, (await new Response(bytes as never).bytes()).length]);
  }
  expect(read).toEqual([
    ["large", SIZES.large],
    ["last", SIZES.last],
  ]);
});
