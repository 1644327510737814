import { crc32 } from "node:zlib";

/** An entry of a zip archive. `modifiedAt` is in milliseconds since 1970. */
export type ZipEntry = { name: string; modifiedAt: number; bytes: AsyncIterable<Uint8Array | string> };

/** Content of an entry's headers. Sizes and offsets are in bytes. */
type Header = { name: Buffer; time: number; crc: number; size: number; offset: number };

/** From here on, a field of 16 or 32 bits refers to zip64. */
const [MANY, LARGE] = [0xffff, 0xffff_ffff];

/** UTF-8 names, and sums that follow the bytes of an entry. */
const FLAGS = 0x0808;

/**
 * A zip archive (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT) whose entries are stored without compression,
 * of any size and number. Each entry is opened once the one before has been read. The library client-zip miscounts more
 * than 65,535 entries and holds 1 KB of memory for each; here it is about 50 bytes.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory = createDirectory();
  let offset = 0;
  for await (const entry of entries) {
    const header: Header = {
      name: Buffer.from(entry.name),
      time: dosTime(entry.modifiedAt),
      crc: 0,
      size: 0,
      offset,
    };
    const head = localHeader(header);
    yield head;
    for await (const chunk of entry.bytes) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      header.crc = crc32(bytes, header.crc);
      header.size += bytes.byteLength;
      if (bytes.byteLength > 0) yield bytes;
    }
    const sums = descriptor(header);
    yield sums;
    directory.add(centralHeader(header));
    offset += head.byteLength + header.size + sums.byteLength;
  }
  yield* directory.chunks();
  yield endOf(directory.count(), directory.size(), offset);
}

/** The central directory, which is written last; compressed until then. */
function createDirectory() {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let open: Buffer[] = [];
  let [openSize, size, count] = [0, 0, 0];
  return {
    count: () => count,
    size: () => size,
    add(header: Buffer) {
      count += 1;
      size += header.byteLength;
      openSize += header.byteLength;
      open.push(header);
      if (openSize < BLOCK) return;
      blocks.push(Bun.deflateSync(Buffer.concat(open)));
      [open, openSize] = [[], 0];
    },
    *chunks(): Generator<Uint8Array> {
      for (const block of blocks) yield Bun.inflateSync(block);
      if (openSize > 0) yield Buffer.concat(open);
    },
  };
}

/** Bytes that are compressed together. */
const BLOCK = 65_536;

/** 4.3.7: without sums, which follow. */
function localHeader({ name, time }: Header): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(20, 4);
  bytes.writeUInt16LE(FLAGS, 6);
  bytes.writeUInt32LE(time, 10);
  bytes.writeUInt16LE(name.byteLength, 26);
  return Buffer.concat([bytes, name]);
}

/** 4.3.9: the sums of an entry, with sizes of 64 bits if they need these. */
function descriptor({ crc, size }: Header): Buffer {
  const isLarge = size >= LARGE;
  const bytes = Buffer.alloc(isLarge ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (isLarge) for (const at of [8, 16]) bytes.writeBigUInt64LE(BigInt(size), at);
  else for (const at of [8, 12]) bytes.writeUInt32LE(size, at);
  return bytes;
}

/** 4.3.12: with the fields that 32 bits cannot hold in an extra field (4.5.3). */
function centralHeader({ name, time, crc, size, offset }: Header): Buffer {
  const large = [...(size >= LARGE ? [size, size] : []), ...(offset >= LARGE ? [offset] : [])];
  const extra = Buffer.alloc(large.length === 0 ? 0 : 4 + 8 * large.length);
  if (large.length > 0) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8 * large.length, 2);
    for (const [index, value] of large.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  }
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02014b50, 0);
  // Made on Unix, for the permissions below.
  bytes.writeUInt16LE((3 << 8) | VERSION, 4);
  bytes.writeUInt16LE(large.length === 0 ? 20 : VERSION, 6);
  bytes.writeUInt16LE(FLAGS, 8);
  bytes.writeUInt32LE(time, 12);
  bytes.writeUInt32LE(crc, 16);
  for (const at of [20, 24]) bytes.writeUInt32LE(Math.min(size, LARGE), at);
  bytes.writeUInt16LE(name.byteLength, 28);
  bytes.writeUInt16LE(extra.byteLength, 30);
  bytes.writeUInt32LE(0o100644 * 65_536, 38);
  bytes.writeUInt32LE(Math.min(offset, LARGE), 42);
  return Buffer.concat([bytes, name, extra]);
}

/** The version of zip that has zip64. */
const VERSION = 45;

/** 4.3.14 to 4.3.16: the end of the archive, before it the one of zip64 if it is needed. */
function endOf(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const at of [8, 10]) end.writeUInt16LE(Math.min(count, MANY), at);
  end.writeUInt32LE(Math.min(size, LARGE), 12);
  end.writeUInt32LE(Math.min(offset, LARGE), 16);
  if (count < MANY && size < LARGE && offset < LARGE) return end;
  const zip64 = Buffer.alloc(76);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeBigUInt64LE(44n, 4);
  for (const at of [12, 14]) zip64.writeUInt16LE(VERSION, at);
  for (const at of [24, 32]) zip64.writeBigUInt64LE(BigInt(count), at);
  zip64.writeBigUInt64LE(BigInt(size), 40);
  zip64.writeBigUInt64LE(BigInt(offset), 48);
  zip64.writeUInt32LE(0x07064b50, 56);
  zip64.writeBigUInt64LE(BigInt(offset + size), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([zip64, end]);
}

/** Local time in the format of MS-DOS: date above, time below; zip knows the years 1980 to 2107. */
function dosTime(ms: number): number {
  const time = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 2)), Date.UTC(2107, 11, 30)));
  const date = ((time.getFullYear() - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return date * 65_536 + clock;
}
