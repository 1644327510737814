/**
 * One line of CSV (RFC 4180) without its end. A text that a spreadsheet would run as a formula is prefixed with `'`
 * (OWASP, CSV injection); numbers and other JSON values cannot be such a text.
 */
export function csvLine(cells: readonly unknown[]): string {
  return cells.map(csvCell).join(",");
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? harmless(value) : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The full-width forms count too: some spreadsheets fold them. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n\0＝＋－＠]/.test(text) ? `'${text}` : text;
}
