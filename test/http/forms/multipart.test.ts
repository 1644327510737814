import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/base/errors.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../../../src/forms/limits.ts";
import {
  type Part,
  boundaryOf,
  createMultipartParser,
  decodePart,
} from "../../../src/http/forms/multipart.ts";

type ReadPart = Omit<Part, "headers"> & { text: string };

/** What the parser makes of a body that comes in these chunks; text is latin1, a character a byte. */
function read(chunks: Uint8Array[], boundary = "b"): ReadPart[] {
  const parser = createMultipartParser(boundary);
  const parts: ReadPart[] = [];
  let open: ReadPart | undefined;
  for (const chunk of chunks) {
    for (const event of parser.push(chunk)) {
      if (event.kind === "part") {
        expect(open).toBeUndefined();
        const { headers: _, ...part } = event.part;
        open = { ...part, text: "" };
      } else if (event.kind === "data") {
        expect(event.bytes.byteLength).toBeGreaterThan(0);
        open!.text += Buffer.from(event.bytes).toString("latin1");
      } else {
        parts.push(open!);
        open = undefined;
      }
    }
  }
  parser.finish();
  expect(open).toBeUndefined();
  return parts;
}

/** The error that reading the chunks throws. */
function failure(chunks: Uint8Array[], boundary = "b"): AppError {
  try {
    read(chunks, boundary);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error("it was read");
}

const bytes = (text: string) => Buffer.from(text, "utf8");

/** The body in pieces that end at the offsets given. */
function split(body: Uint8Array, offsets: number[]): Uint8Array[] {
  const ends = [...offsets.map((offset) => Math.min(offset, body.byteLength)), body.byteLength];
  ends.sort((a, b) => a - b);
  return ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
}

const field = (name: string, text: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${text}`;

const text = (name: string, value: string): ReadPart => ({ name, fileName: null, type: null, text: value });

const BODIES: [what: string, body: string, parts: ReadPart[]][] = [
  ["one field", `--b\r\n${field("a", "x")}\r\n--b--\r\n`, [text("a", "x")]],
  ["no line end at the end", `--b\r\n${field("a", "x")}\r\n--b--`, [text("a", "x")]],
  ["no part at all", "--b--\r\n", []],
  [
    "parts without content, whose blank line begins the next delimiter",
    `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b\r\n${field("c", "x")}\r\n--b\r\nContent-Disposition: form-data; name="d"\r\n\r\n--b--`,
    [text("a", ""), text("c", "x"), text("d", "")],
  ],
  [
    "content that only begins like a delimiter",
    `--b\r\n${field("a", "--a")}\r\n--b\r\n${field("c", "\r\n--")}\r\n--b--`,
    [text("a", "--a"), text("c", "\r\n--")],
  ],
  [
    "two fields and an empty one between",
    `--b\r\n${field("a", "x")}\r\n--b\r\n${field("b", "")}\r\n--b\r\n${field("c", "z")}\r\n--b--\r\n`,
    [text("a", "x"), text("b", ""), text("c", "z")],
  ],
  [
    "a file with a type",
    '--b\r\nContent-Disposition: form-data; name="f"; filename="é.bin"\r\ncontent-TYPE: image/png\r\n\r\n\0\r\n--b--',
    [{ name: "f", fileName: "é.bin", type: "image/png", text: "\0" }],
  ],
  [
    "values that look like boundaries",
    `--b\r\n${field("a", "\r\n--\r\n-\r\r\n--B\r\n\r\n--\r--b--\n--b")}\r\n--b--\r\n`,
    [text("a", "\r\n--\r\n-\r\r\n--B\r\n\r\n--\r--b--\n--b")],
  ],
  [
    "a value that ends with line ends",
    `--b\r\n${field("a", "\r\n\r\n\r")}\r\n--b--`,
    [text("a", "\r\n\r\n\r")],
  ],
  [
    "text before the first and after the last boundary",
    `a preamble\r\nof --b two lines\r\n--b\r\n${field("a", "x")}\r\n--b--\r\nan epilogue\r\n--b\r\nmore`,
    [text("a", "x")],
  ],
  [
    "white space after a boundary",
    `--b \t\r\n${field("a", "x")}\r\n--b\t \r\n${field("c", "z")}\r\n--b--`,
    [text("a", "x"), text("c", "z")],
  ],
  [
    "headers that go on in the next line, in any order",
    '--b\r\nX-Other: 1\r\nContent-Type: text/plain;\r\n charset=utf-8\r\nContent-Disposition: form-data;\r\n\tname="a"\r\n\r\nx\r\n--b--',
    [{ name: "a", fileName: null, type: "text/plain; charset=utf-8", text: "x" }],
  ],
];

describe("a body gives the same parts however it is cut into chunks:", () => {
  test.each(BODIES)("%s", (_, body, parts) => {
    const whole = bytes(body);
    expect(read([whole])).toEqual(parts);
    for (let offset = 0; offset <= whole.byteLength; offset += 1) {
      expect(read(split(whole, [offset]))).toEqual(parts);
    }
    expect(read([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(parts);
  });

  test.each(BODIES)("%s, at any offsets", (_, body, parts) => {
    const whole = bytes(body);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.byteLength), { maxLength: 8 }), (offsets) => {
        expect(read(split(whole, offsets))).toEqual(parts);
      }),
    );
  });

  test("a chunk may be used again once it was pushed", () => {
    for (const [, body, parts] of BODIES) {
      const chunk = new Uint8Array(7);
      const parser = createMultipartParser("b");
      let seen = "";
      for (const piece of split(
        bytes(body),
        Array.from({ length: body.length }, (_, index) => index * 7),
      )) {
        chunk.set(piece);
        for (const event of parser.push(chunk.subarray(0, piece.byteLength))) {
          if (event.kind === "data") seen += Buffer.from(event.bytes).toString("latin1");
        }
        chunk.fill(0x2a);
      }
      parser.finish();
      expect(seen).toBe(parts.map((part) => part.text).join(""));
    }
  });
});

test("any contents come out as they went in, however they are cut", () => {
  const boundary = "----aBoundary'()+_,-./:=?";
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom("\r", "\n", "-", "\r\n", "\r\n--", `\r\n--${boundary.slice(0, -1)}`, boundary).map(bytes),
  );
  const contents = fc
    .array(pieces, { maxLength: 6 })
    .map((all) => Buffer.concat(all))
    .filter((content) => !Buffer.concat([bytes("\r\n"), content]).includes(`\r\n--${boundary}`));
  fc.assert(
    fc.property(
      fc.array(contents, { maxLength: 4 }),
      fc.array(fc.nat(600), { maxLength: 6 }),
      (all, offsets) => {
        const parts = all.flatMap((content) => [
          bytes(`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n`),
          content,
          bytes("\r\n"),
        ]);
        const body = Buffer.concat([...parts, bytes(`--${boundary}--\r\n`)]);
        expect(read(split(body, offsets), boundary).map((part) => part.text)).toEqual(
          all.map((content) => content.toString("latin1")),
        );
      },
    ),
  );
});

const start = '--b\r\nContent-Disposition: form-data; name="a"';
const MALFORMED: [what: string, body: string][] = [
  ["nothing", ""],
  ["no boundary", "a=1&b=2"],
  ["another boundary", `--c\r\n${field("a", "x")}\r\n--c--\r\n`],
  ["a boundary that never closes", `--b\r\n${field("a", "x")}\r\n`],
  ["a boundary that closes with one dash", `--b\r\n${field("a", "x")}\r\n--b-\r\n`],
  ["an end inside the headers", start],
  ["an end behind a boundary", `--b\r\n${field("a", "x")}\r\n--b`],
  ["text after a boundary", `--b junk\r\n${field("a", "x")}\r\n--b--`],
  ["text after a boundary and much white space", `--b${" ".repeat(120)}junk\r\n${field("a", "x")}\r\n--b--`],
  ["a dash and text after a boundary", `--b-x\r\n${field("a", "x")}\r\n--b--`],
  ["a boundary that goes on inside a value", `--b\r\n${field("a", "x\r\n--bc")}\r\n--b--`],
  ["line ends without a carriage return", `--b\r\n${field("a", "x")}\r\n--b--\r\n`.replaceAll("\r", "")],
  ["line ends without a line feed", `--b\r\n${field("a", "x")}\r\n--b--\r\n`.replaceAll("\n", "")],
  ["a part without headers", "--b\r\n\r\nx\r\n--b--"],
  ["a part without a name", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--"],
  [
    "a file without a name of its field",
    '--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n--b--',
  ],
  ["a part without a disposition", "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--"],
  ["another disposition", '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--b--'],
  ["a header without a colon", `${start}\r\nnonsense\r\n\r\nx\r\n--b--`],
  ["a header without a name", `${start}\r\n: nonsense\r\n\r\nx\r\n--b--`],
  ["a transfer encoding", `${start}\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--b--`],
];

describe("what is no multipart is refused as invalid, however it is cut into chunks:", () => {
  test.each(MALFORMED)("%s", (_, body) => {
    const whole = bytes(body);
    expect(failure([whole]).code).toBe("invalid");
    for (let offset = 0; offset <= whole.byteLength; offset += 1) {
      expect(failure(split(whole, [offset])).code).toBe("invalid");
    }
  });
});

test("names are read again once the encoding of their form is known", () => {
  const start =
    '--b\r\nContent-Disposition: form-data; name="\xe9"; filename="\x83\x5c"\r\nContent-Type: a/\xe9\r\n\r\n';
  const [event] = createMultipartParser("b").push(Buffer.from(start, "latin1"));
  if (event?.kind !== "part") throw new Error("no part was read");
  const { part } = event;
  expect(decodePart(part, "iso-8859-1")).toMatchObject({ name: "é", fileName: "ƒ\\", type: "a/é" });
  expect(() => decodePart(part, null)).toThrow(AppError);
  expect(() => decodePart(part, "shift_jis")).toThrow(AppError);
});

describe("what never ends is refused while it comes:", () => {
  /** The error that comes while a start and then a hundred chunks of 16 KiB are pushed, without the end. */
  function failureOfEndless(start: string, filler: string): AppError {
    const parser = createMultipartParser("b");
    const chunk = bytes(filler.repeat(Math.ceil((16 * 1024) / filler.length)));
    try {
      for (const _ of parser.push(bytes(start)));
      for (let count = 0; count < 100; count += 1) for (const _ of parser.push(chunk));
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      return error as AppError;
    }
    throw new Error("it was read");
  }

  test("one header", () => {
    expect(failureOfEndless(`${start}; x=`, "x").code).toBe("too_large");
  });

  test("many headers", () => {
    expect(failureOfEndless(start, "\r\nX-Filler: 1").code).toBe("too_large");
  });

  test("a preamble", () => {
    expect(failureOfEndless("", "x\r\n").code).toBe("invalid");
  });

  test("an epilogue", () => {
    expect(failureOfEndless("--b--\r\n", "x\r\n").code).toBe("invalid");
  });

  test("white space after a boundary", () => {
    expect(failureOfEndless("--b", " ").code).toBe("invalid");
  });
});

test("headers of exactly 16,384 bytes with their line ends pass, however they are cut, and one more is too large", () => {
  const header = 'Content-Disposition: form-data; name="a"\r\nX-Filler: ';
  const body = (size: number) => bytes(`--b\r\n${header.padEnd(size - 2, "x")}\r\n\r\nvalue\r\n--b--`);
  const exact = body(LIMITS.partHeaders);
  expect(read([exact])).toEqual([text("a", "value")]);
  const end = exact.indexOf("\r\n\r\nvalue");
  for (let offset = end - 2; offset <= end + 6; offset += 1) {
    expect(read(split(exact, [offset]))).toEqual([text("a", "value")]);
  }
  const over = failure([body(LIMITS.partHeaders + 1)]);
  expect(over.code).toBe("too_large");
  expect(over.message).toContain("16384");
});

describe("names", () => {
  const nameOf = (parameters: string) => {
    const [part] = read([bytes(`--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\nx\r\n--b--`)]);
    return [part!.name, part!.fileName];
  };

  test.each([
    ["without quotes", "name=a; filename=b.txt", ["a", "b.txt"]],
    ["in UTF-8", 'name="名"; filename="naïve 🎉.txt"', ["名", "naïve 🎉.txt"]],
    [
      "with what browsers escape",
      'name="a%22b%0D%0Ac"; filename="%22x%22%0d%0a.txt"',
      ['a"b\r\nc', '"x"\r\n.txt'],
    ],
    ["with other percent signs", 'name="100%25"; filename="50%.txt"', ["100%25", "50%.txt"]],
    [
      "with a file name in RFC 8187's way",
      `name="a"; filename*=UTF-8''na%C3%AFve%20%22x%22.txt`,
      ["a", 'naïve "x".txt'],
    ],
    ["with both file names", `name="a"; filename="b.txt"; filename*=utf-8'de'%E2%82%AC.txt`, ["a", "€.txt"]],
    [
      "with both in the other order",
      `name="a"; filename*=UTF-8''%E2%82%AC.txt; filename="b.txt"`,
      ["a", "€.txt"],
    ],
    ["with a broken second file name", `name="a"; filename="b.txt"; filename*=UTF-8''%E2%82`, ["a", "b.txt"]],
    [
      "with a second file name in another encoding",
      `name="a"; filename="b.txt"; filename*=x''y`,
      ["a", "b.txt"],
    ],
    ["of percent signs in RFC 8187's way", `name="a"; filename*=UTF-8''50%2522.txt`, ["a", "50%22.txt"]],
    [
      "with backslashes",
      String.raw`name="a"; filename="C:\temp\new.txt"`,
      ["a", String.raw`C:\temp\new.txt`],
    ],
    ["with escaped quotes", String.raw`name="a"; filename="\"x\".txt"`, ["a", '"x".txt']],
    ["of an empty file input", 'name="a"; filename=""', ["a", ""]],
  ])("%s are read", (_, parameters, expected) => {
    expect(nameOf(parameters)).toEqual(expected);
  });
});

describe("the boundary", () => {
  test.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['multipart/form-data; boundary="a b;c=d"', "a b;c=d"],
    ["multipart/form-data; charset=utf-8; BOUNDARY=abc", "abc"],
    [`multipart/form-data; boundary=${"x".repeat(200)}`, "x".repeat(200)],
  ])("is read from %s", (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });

  test.each([
    "multipart/form-data",
    "multipart/form-data; boundary",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${"x".repeat(201)}`,
  ])("is missed in %s", (contentType) => {
    expect(() => boundaryOf(contentType)).toThrow(AppError);
  });

  test("in quotes delimits like one without", () => {
    const boundary = boundaryOf('multipart/form-data; boundary="a b;c"');
    expect(read([bytes(`--a b;c\r\n${field("a", "x")}\r\n--a b;c--`)], boundary)).toEqual([text("a", "x")]);
  });
});
