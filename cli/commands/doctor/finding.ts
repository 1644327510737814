/** The result of one check, with a hint. A problem keeps a server from working; a warning may become one. */
export type Finding = {
  check: string;
  status: "ok" | "warning" | "problem";
  message: string;
  hint: string | null;
};

export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message, hint: null };
}

export function warning(check: string, message: string, hint: string): Finding {
  return { check, status: "warning", message, hint };
}

export function problem(check: string, message: string, hint: string): Finding {
  return { check, status: "problem", message, hint };
}

/** The code of a system error, such as `EACCES`; rethrows any other error. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  throw error;
}
