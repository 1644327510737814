import { afterEach, beforeEach, expect, test } from "bun:test";
import type { z } from "zod";
import { isMailbox, isMailAddress, plainAddress } from "../../src/delivery/address.ts";
import { parseHttpUrl } from "../../src/delivery/target.ts";
import { indexSchema } from "../../src/forms/validation/references.ts";
import { OPERATIONS } from "../../src/operations/all.ts";

/**
 * The parser of URLs normalizes a host in time quadratic in the marks on one of its characters: seconds for 40 KB. So
 * whatever takes a text looks at its length first.
 */

const HOST = `a${"\u0301\u0316".repeat(5000)}.com`;
const TEXTS = [
  HOST,
  `http://${HOST}/`,
  `https://*.${HOST}`,
  `webhook:http://${HOST}/`,
  `a@${HOST}`,
  `A <a@${HOST}>`,
];
const LONGEST = 2100;

const machine = globalThis.URL;
const { domainToASCII } = process.getBuiltinModule("node:url");
let parsed: string[] = [];
beforeEach(() => {
  parsed = [];
  const note = (text: unknown) =>
    void (String(text).length > LONGEST && parsed.push(String(text).slice(0, 20)));
  globalThis.URL = new Proxy(machine, {
    construct(target, args: [string, string?]) {
      note(args[0]);
      return new target(...args);
    },
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "parse" && name !== "canParse") return member;
      return (...args: [string, string?]) => {
        note(args[0]);
        return target[name](...args);
      };
    },
  });
  process.getBuiltinModule("node:url").domainToASCII = (text) => {
    note(text);
    return domainToASCII(text);
  };
});
afterEach(() => {
  globalThis.URL = machine;
  process.getBuiltinModule("node:url").domainToASCII = domainToASCII;
});

type Schema = z.core.$ZodType;
type Parts = {
  shape?: Record<string, Schema>;
  element?: Schema;
  valueType?: Schema;
  innerType?: Schema;
  options?: Schema[];
  in?: Schema;
  out?: Schema;
};

/** A schema with all that are in it. */
function schemasIn(schema: Schema, depth = 0): Schema[] {
  const { shape = {}, element, valueType, innerType, options = [], ...piped } = schema._zod.def as Parts;
  const inside = [...Object.values(shape), ...options, element, valueType, innerType, piped.in, piped.out];
  const known = inside.filter((each) => each?._zod !== undefined) as Schema[];
  return depth > 8 ? [schema] : [schema, ...known.flatMap((each) => schemasIn(each, depth + 1))];
}

test("no operation parses a long text of its input as an address", async () => {
  let count = 0;
  for (const { method, path, schemas } of OPERATIONS) {
    const { body, query } = await schemas();
    for (const schema of [body, query].flatMap((each) => (each ? schemasIn(each as Schema) : [])))
      for (const text of TEXTS)
        for (const value of [text, [text], { [text]: text }]) {
          count += 1;
          try {
            await schema._zod.run({ value, issues: [] }, { async: true });
          } catch {
            // A check of the wrong type of value.
          }
          expect([method, path, text.slice(0, 12), ...parsed]).toEqual([method, path, text.slice(0, 12)]);
        }
  }
  expect(count).toBeGreaterThan(5000);
});

test("nor does anything that reads an address", () => {
  for (const text of TEXTS) {
    expect([isMailAddress(text), isMailbox(text), plainAddress(text)]).toEqual([false, false, null]);
    expect(() => parseHttpUrl(text)).toThrow();
    expect(() => indexSchema({ $id: text })).toThrow();
    expect(() => indexSchema({ $ref: text })).toThrow();
  }
  expect(parsed).toEqual([]);
  // The test sees what it looks for.
  machine.canParse("http://a.example");
  URL.canParse(TEXTS[1]!);
  expect(parsed).toEqual([
    "http://a\u0301\u0316\u0301\u0316\u0301\u0316\u0301\u0316\u0301\u0316\u0301\u0316",
  ]);
});
