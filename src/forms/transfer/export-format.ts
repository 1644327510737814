/** The formats of an export. */
export const EXPORT_FORMATS = ["jsonl", "csv", "json", "zip"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The media type of each format of an export. */
export const EXPORT_TYPES: Record<ExportFormat, string> = {
  jsonl: "application/jsonl",
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  zip: "application/zip",
};
