import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { readAll, readJson } from "../../src/http/body.ts";
import { codeOf } from "../support/refusals.ts";

const tooLarge = () => new AppError("too_large", "too large");

/** A request of eight bytes in four chunks, and how many of them were taken. */
function sending(headers: Record<string, string> = {}) {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        if (taken === 4) stream.close();
        else stream.enqueue(new Uint8Array(2));
        taken = Math.min(4, taken + 1);
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("http://site.test/", { method: "POST", headers, body });
  return { request, taken: () => taken };
}

describe("a body that is too large", () => {
  for (const headers of [{}, { "content-length": "8" }])
    test(`is read to its end, so that its sender sees the answer: ${JSON.stringify(headers)}`, async () => {
      const all = sending(headers);
      expect(await codeOf(readAll(all.request, 3, tooLarge))).toBe("too_large");
      expect(all.taken()).toBe(4);
      const json = sending(headers);
      const faults = { tooLarge, broken: () => new AppError("invalid", "broken") };
      expect(await codeOf(readJson(json.request, 3, faults, (body) => body))).toBe("too_large");
      expect(json.taken()).toBe(4);
    });
});
