/**
 * A number as it was written. It stands for a number that JavaScript writes in another way, such as 1.10,
 * 12345678901234567890 or 1e400; `JSON.stringify` writes it as it was. It is no plain object, and is not cloned.
 */
export type RawNumber = { readonly rawJSON: string };

/** Functions of https://tc39.es/proposal-json-parse-with-source/ that the types do not know. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (source: string) => RawNumber;
  isRawJSON: (value: unknown) => value is RawNumber;
};

/**
 * Matches wherever a number may be written in another way; a match inside a text only costs time. It begins with a character
 * because the engine would try a look behind, which takes sixty times as long, at each digit of `\u0001`.
 */
const SUSPECT = /(?:[:,[\s]|^)(?:-0|-?(?:\d[\d.]{15}|\d+\.\d*0(?!\d)|\d[\d.]*[eE]|0\.0{6}))/;

/** Parses JSON with a {@link RawNumber} for each number that JavaScript would write in another way. Throws a `SyntaxError`. */
export function parseExactly(json: string): unknown {
  // Parsing with a function takes ten times as long.
  return SUSPECT.test(json) ? JSON.parse(json, keepSource) : JSON.parse(json);
}

function keepSource(_name: string, value: unknown, context?: { source: string }): unknown {
  const isChanged = typeof value === "number" && context !== undefined && String(value) !== context.source;
  return isChanged ? rawJSON(context.source) : value;
}

export function isRawNumber(value: unknown): value is RawNumber {
  return isRawJSON(value);
}

/** The number that a text is in JSON, with every digit; undefined for any other text. */
export function numberIn(text: string): number | RawNumber | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  return String(Number(text)) === text ? Number(text) : rawJSON(text);
}

/** A text, number or boolean as text, a number with the digits that were sent; undefined for any other value. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isRawJSON(value) ? value.rawJSON : undefined;
}

/** The texts that a text, number or boolean equals in a comparison: a number as it was sent and as JavaScript writes it. */
export function comparedTexts(value: unknown): string[] {
  const text = scalarText(value);
  if (text === undefined) return [];
  return isRawJSON(value) ? [text, String(Number(text))] : [text];
}
