/** The check that the last backup did not fail. */
export const BACKUP_CHECK = "backup";

/**
 * The result of one check, with its solution. A problem keeps a server from working; a warning may become a problem.
 */
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
