/** The formats of an export. */
export const EXPORT_FORMATS = ["jsonl", "csv", "xlsx", "json", "zip"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The delimiters of CSV. */
export const CSV_DELIMITERS = [",", ";", "\t"] as const;

/** The spelling of CSV: `bom` is the byte order mark by which spreadsheets recognize UTF-8. */
export type CsvStyle = { bom?: boolean; delimiter?: (typeof CSV_DELIMITERS)[number] | undefined };

/** The media type of each format of an export. */
export const EXPORT_TYPES: Record<ExportFormat, string> = {
  jsonl: "application/jsonl",
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  json: "application/json",
  zip: "application/zip",
};
