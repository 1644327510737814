import { resolve } from "node:path";
import { Option } from "commander";
import type { AuditApp } from "../../../src/access/audit/audit.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { usage } from "../../session/usage.ts";
import type { Log } from "../log.ts";
import { countValue } from "../../session/values.ts";

/** The options of the audit log. */
export function auditOptions(): Option[] {
  return [
    new Option("--audit-days <n>", "days for which the audit log keeps an entry")
      .env("FORMFLAG_AUDIT_DAYS")
      .default("400"),
    new Option(
      "--audit-file <file>",
      "append each entry of the audit log to this file, as a line of JSON",
    ).env("FORMFLAG_AUDIT_FILE"),
  ];
}

/** How many days the audit log keeps an entry, and the absolute path of the file that gets each; null for none. */
export type AuditSettings = { days: number; file: string | null };

/** Longer than any law asks for: 100 years. */
const MOST_DAYS = 36_525;

/** Throws `invalid`. */
export function readAudit(options: Record<string, unknown>): AuditSettings {
  const { auditDays = "400", auditFile } = options as Record<string, string | undefined>;
  const days = countValue(auditDays, "--audit-days", 1);
  if (days > MOST_DAYS) throw usage(`--audit-days is from 1 to ${MOST_DAYS}, not ${auditDays}`);
  if (auditFile === "")
    throw usage("--audit-file is empty", "name a file, as in --audit-file /var/log/formflag/audit.jsonl");
  return { days, file: auditFile === undefined ? null : resolve(auditFile) };
}

/** The job of `--audit-file`; null without it. Throws as `auditFileJob` does. */
export async function openAuditFile(
  { audit: { file } }: { audit: AuditSettings },
  app: AuditApp,
  log: Log,
): Promise<Job | null> {
  if (file === null) return null;
  const { auditFileJob } = await import("./audit-file.ts");
  return auditFileJob(app, file, log);
}
