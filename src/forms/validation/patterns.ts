import { childPointer, schemaError } from "./keywords.ts";
import type { SchemaIndex } from "./references.ts";

/** A regular expression in an engine that needs linear time. */
export type Pattern = {
  test(text: string): boolean;
  /** Instructions of its program: a test takes at most this many steps for each character. */
  size: number;
};

/** Instructions of all patterns of a schema together; an ordinary one has 10 to 50. */
const MAX_INSTRUCTIONS = 20_000;

/**
 * The patterns of a schema by their source, from `pattern` and the names of `patternProperties`. Throws `invalid` for one
 * that RE2 does not know, such as a lookahead, which needs more than linear time.
 */
export async function compilePatterns(index: SchemaIndex): Promise<Map<string, Pattern>> {
  const places = new Map<string, string>();
  for (const [schema, pointer] of index.pointers) {
    const pattern = schema["pattern"];
    if (typeof pattern === "string") places.set(pattern, childPointer(pointer, "pattern"));
    for (const source of Object.keys((schema["patternProperties"] as object | undefined) ?? {})) {
      places.set(source, childPointer(pointer, "patternProperties", source));
    }
  }
  const patterns = new Map<string, Pattern>();
  if (places.size === 0) return patterns;
  // A quarter of a megabyte of code that most forms never need.
  const { RE2JS, RE2JSException } = await import("re2js");
  let instructions = 0;
  for (const [source, place] of places) {
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
      const size = compiled.programSize();
      instructions += size;
      patterns.set(source, { size, test: (text) => compiled.test(text) });
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      const reason = error.message.replace("error parsing regexp: ", "").slice(0, 200);
      throw schemaError(
        place,
        `the pattern does not compile (${reason}); patterns are RE2, without lookaround and backreferences`,
      );
    }
    if (instructions > MAX_INSTRUCTIONS) {
      throw schemaError(place, "the patterns of the schema are too large: repeat less, as in {1,100}");
    }
  }
  return patterns;
}
