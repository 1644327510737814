import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { ParsedTarEntryWithData } from "modern-tar";
import { bytesOf, makeArchive, rewrite } from "../../support/records/archive.ts";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const sound = await makeArchive();

describe("an archive that is not sound is refused, and restored nothing of it:", () => {
  type Change = (entries: ParsedTarEntryWithData[]) => ParsedTarEntryWithData[] | Uint8Array;
  const extra = (name: string, more: object = {}) => ({
    header: { name, size: 1, ...more },
    data: bytesOf("x"),
  });
  const withData =
    (index: number, change: (data: Uint8Array) => Uint8Array<ArrayBuffer>): Change =>
    (entries) =>
      entries.map((entry, at) => (at === index ? { ...entry, data: change(entry.data!) } : entry));
  const flip = (data: Uint8Array) => data.map((byte, index) => (index === data.length - 1 ? byte ^ 1 : byte));
  const cases: [what: string, change: Change, message: RegExp][] = [
    ["a file with other bytes", withData(3, flip), /has other bytes than were stored/],
    ["a database with other bytes", withData(1, flip), /formflag\.db has other bytes/],
    ["a manifest with other bytes", withData(0, flip), /manifest\.json does not list/],
    [
      "a manifest of nonsense",
      withData(0, () => bytesOf("[1,2]")),
      /manifest\.json was not written by formflag/,
    ],
    [
      "a manifest of a later format",
      withData(0, () => bytesOf('{"format":2,"entries":[\n{}\n]}')),
      /newer formflag/,
    ],
    ["a file too few", (entries) => entries.toSpliced(2, 1), /is missing/],
    ["a file twice", (entries) => [...entries, entries.at(-1)!], /nothing that formflag\.db refers to/],
    ["files in another order", (entries) => entries.toSpliced(2, 2, entries[3]!, entries[2]!), /is missing/],
    ["one more file", (entries) => [...entries, extra("uploads/zz/x")], /nothing that/],
    ["a path that climbs", (entries) => [...entries, extra("../../escaped")], /nothing that/],
    ["an absolute path", (entries) => [...entries, extra("/tmp/formflag-escaped")], /nothing that/],
    [
      "a path that climbs to a file it refers to",
      (entries) =>
        entries.with(2, {
          ...entries[2]!,
          header: { ...entries[2]!.header, name: `../${entries[2]!.header.name}` },
        }),
      /nothing that/,
    ],
    [
      "a link",
      (entries) => [
        ...entries,
        { header: { name: "uploads/x", size: 0, type: "symlink", linkname: "/etc" } },
      ],
      /is a symlink/,
    ],
    ["no manifest", (entries) => entries.slice(1), /manifest\.json is not where it should be/],
    ["no database", (entries) => entries.toSpliced(1, 1), /formflag\.db is not where it should be/],
    ["nothing in it", () => [], /not a formflag backup/],
    ["no tar archive", () => bytesOf("This is none. ".repeat(1000)), /not a formflag backup/],
    ["no bytes", () => new Uint8Array(), /not a formflag backup/],
  ];

  test.each(cases)("%s", async (_what, change, message) => {
    const { entries } = sound;
    const changed = change(entries);
    const file = changed instanceof Uint8Array ? join(tempDirectory(), "x.tar") : await rewrite(changed);
    if (changed instanceof Uint8Array) writeFileSync(file, changed);
    const parent = tempDirectory();
    const data = join(parent, "data");
    const { code, stdout, stderr } = await onData(data).run("backup", "restore", file);
    expect({ code, said: stdout + stderr }).toEqual({ code: 1, said: expect.stringMatching(message) });
    expect(readdirSync(parent)).toEqual([]);
    expect(existsSync("/tmp/formflag-escaped")).toBe(false);
  });

  test.each(["/dev/null", "/dev/zero"])("a device: %s", async (device) => {
    for (const command of ["verify", "restore"]) {
      const parent = tempDirectory();
      const { code, stderr } = await onData(join(parent, "data")).run("backup", command, device);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`${device} is a device, not a backup`),
      });
      expect(readdirSync(parent)).toEqual([]);
    }
  });

  test("one that is cut off anywhere", async () => {
    const { archive } = sound;
    const bytes = readFileSync(archive);
    const file = join(tempDirectory(), "cut.tar");
    for (const length of [100, 5000, bytes.length >> 1, bytes.length - 1024]) {
      writeFileSync(file, bytes.subarray(0, length));
      expect([length, (await formflag(["backup", "verify", file])).code]).toEqual([length, 1]);
    }
  });

  test("one that declares a file of many gigabytes", async () => {
    const { archive } = sound;
    const bytes = readFileSync(archive);
    // The size of the first header, and its checksum.
    bytes.write("77777777777\0", 124);
    bytes.fill(32, 148, 156);
    const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const file = join(tempDirectory(), "huge.tar");
    writeFileSync(file, bytes);
    const { code, stderr } = await formflag(["backup", "verify", file]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("this archive is damaged") });
  });
});
