/** The formats of an export. */
export const EXPORT_FORMATS = ["jsonl", "csv", "json", "zip"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];
