/** As the fields of a submission are stored: a name that repeats holds its values in order. */
export function grouped(fields: (readonly [name: string, value: string])[]): string {
  const names = [...new Set(fields.map(([name]) => name))];
  const entries = names.map((name) => {
    const values = fields.flatMap(([other, value]) => (other === name ? [value] : []));
    return [name, values.length === 1 ? values[0] : values];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/**
 * The fields of a urlencoded body, byte by byte: https://url.spec.whatwg.org/#concept-urlencoded-parser. Throws a TypeError
 * for bytes that are not UTF-8.
 */
export function urlencodedPairs(body: Buffer): [name: string, value: string][] {
  const decode = (part: string) => {
    const bytes = part
      .replaceAll("+", " ")
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return decoder.decode(Buffer.from(bytes, "latin1"));
  };
  return body
    .toString("latin1")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.includes("=") ? pair.indexOf("=") : pair.length;
      return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}
