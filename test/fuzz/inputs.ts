import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { Submission } from "../../src/forms/submission.ts";

const CORPUS = join(import.meta.dir, "corpus");

/**
 * Requests as they are sent, by file name; `{form}`, `{project}`, `{environment}` and `{token}` stand for keys. All but
 * those named `refused-` are answered as asked; of those named `regression-`, which once failed, nothing is known.
 */
export const corpus = new Map(
  readdirSync(CORPUS)
    .filter((name) => name.endsWith(".http"))
    .toSorted()
    .map((name) => [name, readFileSync(join(CORPUS, name))]),
);

/** Puts a failing input into the corpus, from where every later run takes it. Returns its path. */
export function keep(input: Buffer): string {
  const path = join(CORPUS, `regression-${Bun.hash(input).toString(36)}.http`);
  writeFileSync(path, input);
  return path;
}

const HEAD_END = "\r\n\r\n";

/** What came of a request. */
export type Outcome = { status: number; text: string; stored: Omit<Submission, "id" | "createdAt"> | null };

export type Parsed = { method: string; target: string; headers: Headers; body: Buffer };

/** The request that an input is; null for one that the runtime would refuse before the product sees it. */
export function parse(input: Buffer, keys: Record<string, string>): Parsed | null {
  const end = input.includes(HEAD_END) ? input.indexOf(HEAD_END) : input.byteLength;
  const head = input
    .toString("latin1", 0, end)
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => keys[name] ?? whole);
  const [first = "", ...lines] = head.split("\r\n");
  const [, method = "", target = ""] = /^(GET|HEAD|POST|PUT|OPTIONS|DELETE) (\/[!-~]*)$/.exec(first) ?? [];
  if (method === "") return null;
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch {
      // Not a header: it is left out.
    }
  }
  return { method, target, headers, body: input.subarray(end + HEAD_END.length) };
}

/** What means something to a parser, a header, a terminal or a spreadsheet; a character is a byte. */
const TOKENS = [
  "\r\n|\r|\n|\0|\u001b[2J|\u00ff|\u00ef\u00bb\u00bf|\u00f0\u009f\u008e\u0089|\u00e2\u0080\u00ae|\u00c2\u0085",
  `--b|--b--|--|"|\\|;|=|&|+|?|%|[|{|}|]|*|,|:|:{|%0d%0a|%22|%00|%ff|\\ud800|1e999|-1|18446744073709551616`,
  "filename=|filename*=UTF-8''|name=|Content-Type: |charset=|boundary=|__proto__|mode=rest|gzip|=cmd()",
].flatMap((line) => line.split("|").map((text) => Buffer.from(text, "latin1")));

type Change = (input: Buffer) => Buffer;

/** A point in an input, as likely at any; not before its path, because without a method it is no request. */
const place = fc.noBias(fc.nat(9999)).map((at) => (input: Buffer): number => {
  const first = input.indexOf("/") + 1;
  return first + Math.floor((at / 10_000) * (input.byteLength - first));
});

/** What may be done to an input behind a point in it. */
const CHANGES = {
  insert: (rest: Buffer, bytes: Buffer) => [bytes, rest],
  remove: (rest: Buffer, bytes: Buffer) => [rest.subarray(bytes.byteLength)],
  overwrite: (rest: Buffer, bytes: Buffer) => [bytes, rest.subarray(bytes.byteLength)],
  repeat: (rest: Buffer, bytes: Buffer) => [rest.subarray(0, 4 * bytes.byteLength), rest],
  flip: (rest: Buffer, bytes: Buffer) => [
    rest.subarray(0, 1).map((byte) => byte ^ (1 << (bytes[0]! & 7))),
    rest.subarray(1),
  ],
  truncate: () => [],
};

const change: fc.Arbitrary<Change> = fc
  .record({
    kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    at: place,
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...TOKENS),
    ),
  })
  .map(({ kind, at, bytes }) => (input) => {
    const point = at(input);
    return Buffer.concat([input.subarray(0, point), ...CHANGES[kind](input.subarray(point), bytes)]);
  });

/** The beginning of an input and the end of another. */
const splice: fc.Arbitrary<Change> = fc
  .record({ other: fc.constantFrom(...corpus.values()), from: place, to: place })
  .map(
    ({ other, from, to }) =>
      (input) =>
        Buffer.concat([input.subarray(0, to(input)), other.subarray(from(other))]),
  );

/** An input of the corpus with a few changes, and the sizes of the pieces that its body comes in, over and over. */
export const anyInput: fc.Arbitrary<{ input: Buffer; sizes: number[] }> = fc.record({
  input: fc
    .tuple(
      fc.constantFrom(...corpus.values()),
      fc.array(fc.oneof({ arbitrary: change, weight: 9 }, { arbitrary: splice, weight: 1 }), {
        maxLength: 6,
      }),
    )
    .map(([input, changes]) => changes.reduce<Buffer>((changed, change) => change(changed), input)),
  sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
});
