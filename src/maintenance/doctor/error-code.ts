/** The code of a system error, such as `EACCES`; rethrows any other error. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  throw error;
}
