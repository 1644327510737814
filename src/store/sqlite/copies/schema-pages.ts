import { closeSync, openSync, readSync } from "node:fs";
import { MiB } from "../../../base/bytes.ts";

/** Limits of a schema; that of formflag takes three pages and 7 KB. */
const MAX_PAGES = 64;
const MAX_BYTES = MiB;

const [INTERIOR, LEAF] = [5, 13];

/**
 * Whether the pages of `sqlite_schema` in a file form a b-tree of modest size
 * (https://www.sqlite.org/fileformat2.html). SQLite reads the whole schema before the first statement. In a forged
 * backup, a few pages that refer to each other form an endless tree, which no limit of SQLite ends.
 */
export function hasSmallSchema(file: string): boolean {
  const descriptor = openSync(file, "r");
  const read = (length: number, position: number) => {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, position);
    return bytes;
  };
  try {
    const size = read(100, 0).readUInt16BE(16);
    const pageSize = size === 1 ? 65_536 : size;
    const pages = [1];
    let bytes = 0;
    // The loop appends children to the list that it iterates, repeated ones too.
    for (const page of pages) {
      const tree = readPage(read(pageSize, (page - 1) * pageSize), page === 1 ? 100 : 0);
      pages.push(...tree.children);
      bytes += tree.bytes;
      if (pages.length > MAX_PAGES || bytes > MAX_BYTES) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The children of a b-tree page of a table, and the bytes of its rows. Throws a RangeError for any other page. */
function readPage(page: Buffer, start: number): { children: number[]; bytes: number } {
  const type = page.readUInt8(start);
  if (type !== INTERIOR && type !== LEAF) throw new RangeError(`a page of type ${type}`);
  const first = start + (type === INTERIOR ? 12 : 8);
  const cells = Array.from({ length: page.readUInt16BE(start + 3) }, (_, index) =>
    page.readUInt16BE(first + 2 * index),
  );
  if (type === LEAF) return { children: [], bytes: cells.reduce((sum, cell) => sum + sizeAt(page, cell), 0) };
  return { children: [...cells, start + 8].map((cell) => page.readUInt32BE(cell)), bytes: 0 };
}

/** A varint of up to three bytes; a longer one exceeds `MAX_BYTES` and is Infinity. */
function sizeAt(page: Buffer, at: number): number {
  let size = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = page.readUInt8(at + index);
    size = size * 128 + (byte & 0x7f);
    if (byte < 0x80) return size;
  }
  return Infinity;
}
