/** A header such as `form-data; name="a"; filename="b.txt"`: its value in lower case, its parameters by lower-case name. */
export type ParsedHeader = { value: string; parameters: Map<string, string> };

/** The value of a header without its parameters, in lower case. */
export function headerValue(header: string): string {
  const semicolon = header.indexOf(";");
  return (semicolon === -1 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

/**
 * Splits a header into value and parameters (RFC 9110, 5.6.6), tolerating what clients in use get wrong: a backslash
 * escapes only a quote, and not one that ends a parameter, since browsers send the backslashes of a name as they are. The
 * first of two parameters with the same name counts.
 */
export function parseHeader(header: string): ParsedHeader {
  const parameters = new Map<string, string>();
  const semicolon = header.indexOf(";");
  let at = semicolon === -1 ? header.length : semicolon + 1;
  while (at < header.length) {
    const equals = header.indexOf("=", at);
    if (equals === -1) break;
    const name = header.slice(at, equals).trim().toLowerCase();
    const start = skipSpace(header, equals + 1);
    const { text, end } = header[start] === '"' ? quotedText(header, start) : plainText(header, start);
    if (!parameters.has(name)) parameters.set(name, text);
    const next = header.indexOf(";", end);
    at = next === -1 ? header.length : next + 1;
  }
  return { value: headerValue(header), parameters };
}

function skipSpace(header: string, at: number): number {
  while (header[at] === " " || header[at] === "\t") at += 1;
  return at;
}

function plainText(header: string, start: number): { text: string; end: number } {
  const semicolon = header.indexOf(";", start);
  const end = semicolon === -1 ? header.length : semicolon;
  return { text: header.slice(start, end).trim(), end };
}

/** `start` is the opening quote; `end` is behind the closing one. */
function quotedText(header: string, start: number): { text: string; end: number } {
  let text = "";
  let at = start + 1;
  for (; at < header.length && header[at] !== '"'; at += 1) {
    const escapes = header[at] === "\\" && header[at + 1] === '"' && !endsParameter(header, at + 2);
    if (escapes) at += 1;
    text += header[at];
  }
  return { text, end: at + 1 };
}

function endsParameter(header: string, at: number): boolean {
  const next = header[skipSpace(header, at)];
  return next === undefined || next === ";";
}
