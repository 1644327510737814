import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { zipSync } from "fflate";
import type { AppError } from "../../../src/base/errors.ts";
import {
  FILE_HEAD_BYTES,
  checkExtension,
  checkFileType,
  isTypePattern,
} from "../../../src/forms/intake/file-types.ts";
import { codeOf, reasonOf } from "../../support/refusals.ts";

/** Bytes from texts, in which each character is one byte, and from numbers. */
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

/** Bytes with NUL, control and high bytes behind them, as binary files have. */
const binary = (...parts: (string | number[])[]) =>
  bytes(
    ...parts,
    [0, 0, 0, 1],
    Array.from({ length: 512 }, (_, at) => (at * 37) % 256),
  );

const zip = Buffer.from(
  zipSync({ "[Content_Types].xml": bytes("<Types/>"), "word/document.xml": bytes("<w/>") }),
);
const ole = binary([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const png = binary([0x89], "PNG\r\n", [0x1a], "\n", [0, 0, 0, 13], "IHDR");
const jpeg = binary([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF");
const gif = binary("GIF89a");
const pdf = bytes("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\n");
const html = bytes("<!DOCTYPE html>\n<html><script>alert(1)</script></html>");
const exe = binary("MZ", [0x90, 0, 3, 0, 0, 0, 4, 0]);
const elf = binary([0x7f], "ELF", [2, 1, 1, 0]);
const text = bytes("name;price\ntea;1.50\n");
const iso = (brand: string) => binary([0, 0, 0, 24], "ftyp", brand, [0, 0, 2, 0], "mp42isom");
const ogg = (codec: string) =>
  binary("OggS", [0, 2], Array(8).fill(0), [1, 2, 3, 4], Array(8).fill(0), [1, 19], codec);
const riff = (kind: string) => binary("RIFF", [0x24, 8, 0, 0], kind, "fmt ");
const ebml = (kind: string) => binary([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1], kind);
const utf16 = Buffer.from("\ufeffname\tprice\n", "utf16le");
const tar = Buffer.concat([bytes("notes.txt", Array(248).fill(0), "ustar", [0], "00"), Buffer.alloc(247)]);

/** What the check says about a file whose extension is allowed. */
async function verdict(name: string, head: Uint8Array): Promise<"taken" | "refused"> {
  try {
    await checkFileType(name, head.subarray(0, FILE_HEAD_BYTES), [
      name.slice(name.lastIndexOf(".")).toLowerCase(),
    ]);
    return "taken";
  } catch (error) {
    expect(error).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining(JSON.stringify(name)),
    });
    return "refused";
  }
}

describe("a file whose bytes are of another type than its extension says", () => {
  const check = (name: string, head: Uint8Array, ...allowed: string[]) => checkFileType(name, head, allowed);
  const PICTURES: [what: string, head: Uint8Array][] = [
    ["a PNG", png],
    ["a GIF", gif],
    ["a WebP", riff("WEBP")],
    ["a HEIC", iso("heic")],
    ["a HEIF of brand mif1", iso("mif1")],
    ["a HEIC of 10 bits", iso("heix")],
    ["an AVIF", iso("avif")],
  ];

  test.each(PICTURES)("is accepted if that type is allowed too: %s called .jpg", async (_, head) => {
    await check("IMG_0001.JPG", head, "image/*");
    expect(await reasonOf(check("IMG_0001.JPG", head, ".jpg", ".jpeg"))).toBe("unsupported file-content");
    expect(await reasonOf(check("IMG_0001.JPG", head, "image/jpeg"))).toBe("unsupported file-content");
  });

  test("is accepted by the extension or the media type of its own", async () => {
    await check("a.jpg", png, ".jpg", ".png");
    await check("a.png", iso("heic"), "image/png", "image/heic");
    await check("a.pdf", zip, ".pdf", ".docx");
    await check("a.avi", iso("isom"), "video/*");
  });

  test.each<[string, string, Uint8Array, ...string[]]>([
    ["a film among pictures", "a.jpg", iso("isom"), "image/*"],
    ["a program among pictures", "a.jpg", exe, "image/*"],
    ["a page among pictures", "a.jpg", html, "image/*", ".svg"],
    ["a text among documents", "a.pdf", text, ".pdf", ".docx"],
    ["a PDF among pictures and drawings", "a.jpg", pdf, "image/*"],
    ["an extension that is not allowed", "a.bin", png, "image/*"],
    ["nothing", "a.jpg", bytes(), "image/*"],
  ])("is refused otherwise: %s", async (_, name, head, ...allowed) => {
    expect(await codeOf(check(name, head, ...allowed))).toBe("unsupported");
  });
});

/** Genuine beginnings of files, by the extensions that such a file may have. */
const GENUINE: [extensions: string, what: string, head: Uint8Array][] = [
  ["png apng", "PNG", png],
  ["jpg jpeg jpe jfif", "JPEG with JFIF", jpeg],
  ["jpg jpeg", "JPEG with Exif", binary([0xff, 0xd8, 0xff, 0xe1, 0x12, 0x34], "Exif")],
  ["gif", "GIF 87a", binary("GIF87a")],
  ["gif", "GIF 89a", gif],
  ["webp", "WebP", riff("WEBP")],
  ["heic heif hif", "HEIC", iso("heic")],
  ["heic heif", "HEIF of brand mif1", iso("mif1")],
  ["heic", "HEIC of 10 bits", iso("heix")],
  ["avif", "AVIF", iso("avif")],
  ["avif", "AVIF sequence", iso("avis")],
  ["tif tiff", "TIFF, little endian", binary("II*", [0, 8, 0])],
  ["tif tiff", "TIFF, big endian", binary("MM", [0], "*")],
  ["tif tiff", "BigTIFF", binary("II+", [0, 8, 0])],
  ["dng nef arw", "raw photo based on TIFF", binary("II*", [0, 8, 0])],
  ["cr2", "Canon raw photo", binary("II*", [0, 16, 0, 0, 0], "CR", [2, 0])],
  ["bmp dib", "BMP", binary("BM", [0x36, 0, 0, 0])],
  ["ico", "icon", binary([0, 0, 1, 0, 1, 0])],
  ["cur", "cursor", binary([0, 0, 2, 0, 1, 0])],
  ["jxl", "JPEG XL", binary([0xff, 0x0a])],
  ["jp2", "JPEG 2000", binary([0, 0, 0, 12], "jP  \r\n", [0x87], "\n")],
  ["psd", "Photoshop", binary("8BPS", [0, 1])],
  ["svg", "SVG", bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ["svg", "SVG with declaration", bytes('\xef\xbb\xbf<?xml version="1.0"?>\n<!-- icon -->\n<svg/>')],
  ["svgz", "compressed SVG", Buffer.from(Bun.gzipSync("<svg/>"))],
  ["dxf", "drawing as text", bytes("  0\r\nSECTION\r\n  2\r\nHEADER\r\n")],
  ["dwg", "drawing", binary("AC1032")],
  ["pdf", "PDF", pdf],
  ["pdf ai", "PDF with a byte order mark", bytes([0xef, 0xbb, 0xbf], pdf.toString("latin1"))],
  ["pdf", "PDF behind other bytes", bytes("\r\n\x00garbage\r\n", pdf.toString("latin1"))],
  ["ps eps ai", "PostScript", bytes("%!PS-Adobe-3.0 EPSF-3.0\n")],
  ["eps", "EPS with a preview", binary([0xc5, 0xd0, 0xd3, 0xc6])],
  ["rtf doc", "RTF", bytes("{\\rtf1\\ansi")],
  ["rtf", "RTF without a version", bytes("{\\rtf\\ansi")],
  ["zip docx docm xlsx xlsm pptx odt ods odp epub jar apk kmz xps 3mf vsdx", "zip", zip],
  ["doc xls ppt", "zip under an old extension", zip],
  ["zip", "empty zip", bytes("PK", [5, 6], Array(18).fill(0))],
  ["pages numbers sketch", "zip of an application", zip],
  ["doc dot xls ppt pps msg msi vsd pub", "OLE container", ole],
  ["docx xlsx pptx", "Office file with a password", ole],
  ["xls", "Excel 4", binary([9, 4, 6, 0, 7, 0])],
  ["doc xls", "Office XML", bytes('<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>')],
  ["rar", "RAR 4", binary("Rar!", [0x1a, 7, 0])],
  ["rar", "RAR 5", binary("Rar!", [0x1a, 7, 1, 0])],
  ["7z", "7-Zip", binary("7z", [0xbc, 0xaf, 0x27, 0x1c])],
  ["gz tgz", "gzip", Buffer.from(Bun.gzipSync("x".repeat(100)))],
  ["bz2 tbz2", "bzip2", binary("BZh91AY&SY")],
  ["xz txz", "xz", binary([0xfd], "7zXZ", [0, 0, 4])],
  ["zst", "Zstandard", Buffer.from(Bun.zstdCompressSync("x".repeat(100)))],
  ["tar", "tar", tar],
  ["tar", "tar of Unix V7", Buffer.concat([bytes("notes.txt"), Buffer.alloc(503)])],
  ["mp3", "MP3 with ID3", binary("ID3", [4, 0, 0])],
  ["mp3", "MP3, frame of MPEG 1", binary([0xff, 0xfb, 0x90, 0x64])],
  ["mp3", "MP3, frame with checksum", binary([0xff, 0xfa, 0x90, 0x64])],
  ["mp3", "MP3, frame of MPEG 2", binary([0xff, 0xf3, 0x90, 0x64])],
  ["mp3", "MP3, frame of MPEG 2.5", binary([0xff, 0xe3, 0x90, 0x64])],
  ["mp3", "MP3 in RIFF", riff("WAVE")],
  ["mp2", "MPEG layer II", binary([0xff, 0xfd, 0x90, 0x64])],
  ["m4a m4b", "AAC in MP4", iso("M4A ")],
  ["mp4 m4v", "MP4", iso("isom")],
  ["mp4", "MP4 of brand mp42", iso("mp42")],
  ["mp4", "DASH segment", binary([0, 0, 0, 24], "stypmsdh")],
  ["mov qt", "QuickTime", iso("qt  ")],
  ["mov", "QuickTime without ftyp", binary([0, 0, 8, 0], "moov")],
  ["mov", "QuickTime that begins with wide", binary([0, 0, 0, 8], "wide", [0, 1, 0, 0], "mdat")],
  ["mov", "QuickTime that begins with skip", binary([0, 0, 0, 8], "skip")],
  ["3gp", "3GP", iso("3gp4")],
  ["aac", "AAC, ADTS", binary([0xff, 0xf1, 0x50, 0x80])],
  ["aac", "AAC, ADIF", binary("ADIF")],
  ["flac", "FLAC", binary("fLaC")],
  ["flac", "FLAC with ID3", binary("ID3", [4, 0, 0])],
  ["wav", "WAV", riff("WAVE")],
  ["wav", "WAV of 64 bits", binary("RF64", [0xff, 0xff, 0xff, 0xff], "WAVEds64")],
  ["avi", "AVI", riff("AVI ")],
  ["aif aiff", "AIFF", binary("FORM", [0, 0, 1, 0], "AIFF")],
  ["aif aifc", "AIFF-C", binary("FORM", [0, 0, 1, 0], "AIFC")],
  ["mid midi", "MIDI", binary("MThd", [0, 0, 0, 6])],
  ["mid", "MIDI in RIFF", riff("RMID")],
  ["ogg oga", "Vorbis", ogg("\x01vorbis")],
  ["ogg opus", "Opus", ogg("OpusHead")],
  ["ogg ogv", "Theora", ogg("\x80theora")],
  ["oga", "FLAC in Ogg", ogg("\x7fFLAC")],
  ["webm weba", "WebM", ebml("webm")],
  ["mkv mka", "Matroska", ebml("matroska")],
  [
    "wmv wma asf",
    "ASF",
    binary([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0, 0xaa, 0, 0x62, 0xce, 0x6c]),
  ],
  ["flv", "Flash video", binary("FLV", [1, 5, 0, 0, 0, 9])],
  ["mpg mpeg", "MPEG program stream", binary([0, 0, 1, 0xba])],
  ["mpg ts m2ts mts", "MPEG transport stream", binary([0x47, 0x40, 0, 0x10])],
  ["m2ts mts", "AVCHD", binary([0, 0, 0, 0, 0x47, 0x40, 0])],
  ["ts", "TypeScript", bytes("export const a = 1;\n")],
  ["woff", "WOFF", binary("wOFF", [0, 1, 0, 0])],
  ["woff2", "WOFF 2", binary("wOF2", [0, 1, 0, 0])],
  ["ttf", "TrueType", binary([0, 1, 0, 0, 0, 12])],
  ["ttf otf", "OpenType", binary("OTTO", [0, 12])],
  ["ttc", "TrueType collection", binary("ttcf", [0, 1, 0, 0])],
  ["sqlite sqlite3 db", "SQLite", new Database(":memory:").serialize()],
  ["exe dll", "program of Windows", exe],
  ["class", "Java class", binary([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52])],
  ["so bin", "ELF", elf],
  ["txt csv md log tsv html xml json yaml ics vcf js css", "text", text],
  ["txt csv", "text in UTF-8 with a byte order mark", bytes([0xef, 0xbb, 0xbf], "caf\xc3\xa9")],
  ["txt csv", "text in Windows-1252", bytes("caf\xe9 \x80 5\r\n")],
  ["txt csv tsv", "text in UTF-16", utf16],
  ["txt", "text in UTF-16, big endian", bytes([0xfe, 0xff, 0, 0x61, 0, 0x62])],
  ["txt", "text in UTF-32, big endian", bytes([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61])],
  ["txt md csv", "text that begins like a BMP", bytes("BMW, Audi, Skoda\n")],
  ["txt", "text that begins like a program", bytes("MZ is a signature\n")],
  ["txt", "text that begins like a font", bytes("OTTO was here\n")],
  ["txt", "text that begins like MPEG", bytes("Good morning\n")],
  ["txt json geojson", "JSON", bytes('{"a":[1]}')],
  ["html htm xhtml txt php", "HTML", html],
  ["xml kml gpx rss", "XML", bytes('<?xml version="1.0"?>\n<a/>')],
  ["vtt", "subtitles", bytes("WEBVTT\n\n00:01.000 --> 00:02.000\n")],
  ["eml", "mail", bytes("Received: from a.example\r\n")],
  ["stl obj step gcode", "model as text", bytes("solid cube\nfacet normal 0 0 1\n")],
  ["xyz abc123", "anything under an unknown extension", binary("????")],
  ["xyz", "a known format under an unknown extension", png],
  ["txt csv json html xyz", "nothing", Buffer.alloc(0)],
];

describe("a genuine file is taken:", () => {
  for (const [extensions, what, head] of GENUINE) {
    for (const extension of extensions.split(" ")) {
      test(`${what} as .${extension}`, async () => {
        expect(await verdict(`a.${extension}`, head)).toBe("taken");
        expect(await verdict(`A.B.${extension.toUpperCase()}`, head)).toBe("taken");
      });
    }
  }
});

describe("a file of another kind is refused:", () => {
  const signed = "png jpg gif webp heic avif pdf docx xlsx zip epub 7z gz rar ogg webm flac woff2 wmv".split(
    " ",
  );
  const others: [extensions: string[], what: string, head: Uint8Array][] = [
    [[...signed, "mp3", "mp4", "mov", "wav", "doc", "bmp", "tar", "avi", "jxl", "svg", "ttf"], "HTML", html],
    [
      [...signed, "mp3", "mp4", "doc", "txt", "csv", "svg", "html", "json", "jxl", "dwg"],
      "program of Windows",
      exe,
    ],
    [[...signed, "mp3", "mp4", "doc", "txt", "csv", "svg", "html", "json", "jxl", "dwg"], "ELF", elf],
    [[...signed, "mp3", "mp4", "wav", "doc", "bmp"], "text", text],
    [[...signed, "mp3", "mp4", "doc"], "script", bytes("#!/bin/sh\nrm -rf /\n")],
    [[...signed, "mp3", "mp4", "doc"], "PHP", bytes("<?php system($_GET[0]);")],
    [signed, "unknown bytes", binary("????")],
    [[...signed, "mp3", "mp4", "doc"], "nothing", Buffer.alloc(0)],
    [["jpg", "gif", "pdf", "mp3", "doc", "txt", "svg", "bmp", "tif", "ico"], "PNG", png],
    [["png", "webp", "pdf", "mp4", "docx"], "JPEG", jpeg],
    [["png", "pdf", "mp3", "txt"], "zip", zip],
    [["png", "jpg", "docx", "txt", "csv", "html", "doc", "mp3"], "PDF", pdf],
    [["txt", "csv", "pdf", "docx"], "RTF", bytes("{\\rtf1\\ansi")],
    [["txt", "csv", "html", "svg", "json"], "text with NUL", bytes("a\0b")],
    [["png", "pdf", "zip"], "text in UTF-16", utf16],
    [["mp4", "webm", "mp3", "wav"], "Vorbis", ogg("\x01vorbis")],
    [["wav", "avi"], "WebP", riff("WEBP")],
    [["png", "txt", "docx"], "gzip", Buffer.from(Bun.gzipSync("x".repeat(1000)))],
    [["mp4", "mov"], "HEIC", iso("heic")],
  ];
  for (const [extensions, what, head] of others) {
    for (const extension of extensions) {
      test(`${what} as .${extension}`, async () => {
        expect(await verdict(`a.${extension}`, head)).toBe("refused");
      });
    }
  }
});

describe("an extension", () => {
  const taken = (name: string, ...allowed: string[]) => {
    try {
      checkExtension(name, allowed);
      return true;
    } catch (error) {
      expect((error as AppError).code).toBe("unsupported");
      return false;
    }
  };

  test.each([
    ["a.pdf", ".pdf"],
    ["A.PDF", ".pdf"],
    ["a.b.pdf", ".pdf"],
    ["C:\\docs\\a.pdf", ".pdf"],
    ["naïve résumé.pdf", ".pdf"],
    ["a.tar.gz", ".gz"],
    ["a.tar.gz", ".tar.gz"],
    ["a.png", "image/*"],
    ["a.heic", "image/*"],
    ["a.jfif", "image/*"],
    ["a.svg", "image/*"],
    ["a.mp3", "audio/*"],
    ["a.mkv", "video/*"],
    ["a.csv", "text/*"],
    ["a.woff2", "font/*"],
    ["a.jpg", "image/jpeg"],
    ["a.jpe", "image/jpeg"],
    ["a.jfif", "image/jpeg"],
    ["a.jpg", "image/jpg"],
    ["a.bmp", "image/bmp"],
    ["a.ico", "image/vnd.microsoft.icon"],
    ["a.ico", "image/x-icon"],
    ["a.wav", "audio/wav"],
    ["a.wav", "audio/x-wav"],
    ["a.m4a", "audio/mp4"],
    ["a.m4a", "audio/x-m4a"],
    ["a.mp3", "audio/mp3"],
    ["a.rtf", "application/rtf"],
    ["a.rtf", "text/rtf"],
    ["a.txt", "text/plain"],
    ["a.json", "application/json"],
    ["a.js", "text/javascript"],
    ["a.zip", "application/x-zip-compressed"],
    ["a.rar", "application/vnd.rar"],
    ["a.gz", "application/x-gzip"],
    ["a.xml", "text/xml"],
    ["a.vcf", "text/vcard"],
    ["a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ])("of %j is allowed by %s", (name, pattern) => {
    expect(taken(name, pattern)).toBe(true);
    expect(taken(name, ".nothing", pattern)).toBe(true);
  });

  test.each([
    ["a.exe", ".pdf"],
    ["a.pdf.exe", ".pdf"],
    ["a.pdf ", ".pdf"],
    ["a.pdf.", ".pdf"],
    ["a.pdf\0", ".pdf"],
    ["a.pdf:x", ".pdf"],
    ["apdf", ".pdf"],
    ["pdf", ".pdf"],
    [".pdf", ".pdf"],
    ["a/.pdf", ".pdf"],
    ["a\\.pdf", ".pdf"],
    ["", ".pdf"],
    ["a.", ".pdf"],
    ["a.gz", ".tar.gz"],
    ["a.xpdf", ".pdf"],
    ["a.pdf", "image/*"],
    ["a.png", "image/jpeg"],
    ["a.imagex", "image/*"],
    ["a.constructor", "image/*"],
    ["a.__proto__", "image/*"],
    ["a", "image/*"],
    ["a.txt", "application/octet-stream"],
  ])("of %j is not allowed by %s", (name, pattern) => {
    expect(taken(name, pattern)).toBe(false);
  });

  test("that is refused is named with the file and what the form takes, and plainly without the name", () => {
    const refusal = (name: string, allowed: string[]) => {
      try {
        checkExtension(name, allowed);
      } catch (error) {
        return error as AppError;
      }
      return undefined;
    };
    expect(refusal("a<b>.exe", ["image/*", ".pdf"])).toMatchObject({
      code: "unsupported",
      message: 'the file "a<b>.exe" is not accepted: this form takes image/*, .pdf',
      plain: "a file is not accepted: this form takes image/*, .pdf",
    });
    expect(refusal("README", [".pdf"])).toMatchObject({
      message: 'the file "README" is not accepted: it has no extension, and this form takes .pdf',
      plain: "a file is not accepted: it has no extension, and this form takes .pdf",
    });
    const many = Array.from({ length: 100 }, (_, index) => `.x${index}`);
    expect(refusal(`${"a".repeat(1000)}.exe`, many)?.message.length).toBeLessThan(200);
  });

  test("of any name is checked without another error", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("image/*", ".pdf", "text/plain"),
        (name, pattern) => {
          expect([true, false]).toContain(taken(name, pattern));
        },
      ),
    );
  });
});

test("the content that is refused is explained, and plainly without the name", async () => {
  const refusal = async (name: string, head: Uint8Array) =>
    checkFileType(name, head, [".pdf"]).catch((error: AppError) => [error.message, error.plain]);
  expect(await refusal("cv.pdf", html)).toEqual([
    'the file "cv.pdf" is not accepted: its content is not that of a .pdf file',
    "a file is not accepted: its content does not match its extension",
  ]);
  expect(await refusal("cv.pdf", Buffer.alloc(0))).toEqual([
    'the file "cv.pdf" is not accepted: it is empty',
    "a file is not accepted: it is empty",
  ]);
  expect(await refusal("cv.exe", pdf)).toEqual([
    'the file "cv.exe" is not accepted: this form takes .pdf',
    "a file is not accepted: this form takes .pdf",
  ]);
});

test("any bytes are checked without another error", async () => {
  const extension = fc.constantFrom("png", "pdf", "docx", "txt", "mp3", "mp4", "svg", "xyz", "exe", "tar");
  await fc.assert(
    fc.asyncProperty(extension, fc.uint8Array({ maxLength: 600 }), async (extension, head) => {
      expect(["taken", "refused"]).toContain(await verdict(`a.${extension}`, head));
    }),
  );
});

describe("the setting of allowed types", () => {
  test.each([
    "image/*",
    "image/png",
    ".pdf",
    ".tar.gz",
    ".7z",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "image/svg+xml",
    "font/*",
    "model/stl",
  ])("takes %s", (text) => expect(isTypePattern(text)).toBe(true));

  test.each([
    "",
    "*",
    "*/*",
    "*.pdf",
    "pdf",
    ".",
    "../..",
    ".PDF",
    ".p df",
    ".pdf,.png",
    ".pdf/",
    "image",
    "image/",
    "images/*",
    "Image/png",
    "image/*png",
    "image/png; q=1",
    "/png",
    ".pdf\n",
    `.${"x".repeat(21)}`,
    `image/${"x".repeat(200)}`,
  ])("does not take %j", (text) => expect(isTypePattern(text)).toBe(false));
});
