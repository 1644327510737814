/** An error under `--json`, as one line of standard error. */
export function errorJson(code: string, message: string, hint: string | null): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`;
}
