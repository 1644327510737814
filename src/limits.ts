const KiB = 1024;
const MiB = 1024 * KiB;

/** Largest file of a submission unless the form says otherwise, in bytes, inclusive. */
export const DEFAULT_MAX_FILE_SIZE = MiB;
/** Files in one submission unless the form says otherwise. */
export const DEFAULT_MAX_FILES = 5;
/** What an operator may set at most: bytes of one file, files of one submission. */
export const CEILING_FILE_SIZE = 10 * 1024 * MiB;
export const CEILING_FILES = 100;

/** Limits of a submission that an ordinary form never meets. Sizes are bytes of UTF-8, inclusive. */
export const SUBMISSION_LIMITS = {
  /** Values, where a repeated field counts once for each. */
  fields: 200,
  fieldName: 200,
  fieldValue: 256 * KiB,
  /** A JSON or urlencoded body. */
  body: MiB,
  /** All text fields of a multipart body together. */
  multipartText: 4 * MiB,
  /** The header section of one part. */
  partHeaders: 16 * KiB,
  /** What may stand before the first and after the last boundary of a multipart body. */
  multipartPadding: 64 * KiB,
  /** Containers inside containers: `{"a":1}` is 1. */
  depth: 16,
  /** A file name as sent. */
  fileName: 1024,
  /** Characters of the media type that a file part names. */
  fileType: 255,
} as const;

/** How much of a refused request is still read, and for how long, so that its sender gets the answer. */
export const DRAIN = { bytes: 32 * MiB, ms: 30_000 } as const;

/** A flag's payload as JSON text, in bytes. */
export const MAX_PAYLOAD = 256 * KiB;
/** Containers inside containers in a payload. */
export const MAX_PAYLOAD_DEPTH = 64;

/** Limits of targeting, so that no rule can hold a server up. */
export const RULE_LIMITS = {
  /** Variants, targeting and metadata of a flag, or the rule of a segment, as JSON text in bytes. */
  bytes: 256 * KiB,
  /** Containers inside containers in a rule. */
  depth: 64,
  /** Values in a rule once every segment stands in the place of its reference. */
  nodes: 20_000,
  /** Operations that one evaluation may take, and all that one request asks for. */
  steps: 20_000,
  requestSteps: 200_000,
  /** Elements that an operation may put together, and that an array of a context may have. */
  elements: 1000,
  /** Characters that an operation may put together. */
  characters: 64 * KiB,
  /** The context of an evaluation as JSON text in bytes, and containers inside containers in it. */
  context: 64 * KiB,
  contextDepth: 16,
  /** The `targetingKey` of a context, in bytes: every percentage rollout hashes it. */
  targetingKey: KiB,
} as const;

/** Wrong tokens from one address, in so many seconds, before it has to wait. */
export const MAX_WRONG_TOKENS = { count: 20, seconds: 60 } as const;

/** A request body of the admin API, in bytes; one with all the flags of an environment. */
/** Containers inside containers in what the admin API and its commands read; each value has a limit of its own. */
export const MAX_JSON_LEVELS = 200;
export const MAX_ADMIN_BODY = MiB;
export const MAX_IMPORT_BODY = 16 * MiB;

/** Characters of a flag's description. */
export const MAX_DESCRIPTION = 2000;

/** Submissions waiting for the disk before further ones are told to come back. */
export const MAX_QUEUED_WRITES = 10_000;
export const MAX_QUEUED_BYTES = 64 * MiB;

/** Free bytes of a disk below which it counts as full. */
export const MIN_FREE_BYTES = 16 * MiB;

/** Requests of one address under way at a time, unless told. */
export const DEFAULT_MAX_CONCURRENT = 256;

/** Streams of change events open at a time, together and of one address. */
export const MAX_STREAMS = 20_000;
export const MAX_STREAMS_OF_CLIENT = 1000;

/** How long what is kept in memory may go without a look for changes by other processes, in milliseconds. */
export const LOOK_MS = 2;

/** Submissions or changes that a page of a list holds at most, and by default. */
export const MAX_PAGE = 1000;
export const DEFAULT_PAGE = 50;
/** What a page of any other list holds at most, and by default. */
export const MAX_LIST = 10_000;
/** About how many bytes of stored text a page of a list holds at most, unless its first item is larger. */
export const MAX_PAGE_BYTES = 4 * MiB;

/** How often a server looks for scheduled changes that another process made, in milliseconds. */
export const SCHEDULE_LOOK_MS = 1000;

/** Field names that have a column of their own in a CSV export. */
export const MAX_CSV_FIELDS = 1000;

/** Bytes as a person writes them: `1 MB`, `1.5 MB`, `300 bytes`. A MB is 1,048,576 bytes. */
export function formatBytes(bytes: number): string {
  const units = [
    ["GB", 1024 * MiB],
    ["MB", MiB],
    ["KB", KiB],
  ] as const;
  for (const [unit, size] of units) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(bytes % size === 0 ? 0 : 1))} ${unit}`;
  }
  return `${bytes} byte${bytes === 1 ? "" : "s"}`;
}

/** The inverse of {@link formatBytes}: `10MB`, `1.5 MB`, `500k`, `2048`. Undefined when it is no size. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b|bytes?)?$/i.exec(text.trim());
  if (!match) return undefined;
  const unit = { "": 1, k: KiB, m: MiB, g: 1024 * MiB }[match[2]?.toLowerCase() ?? ""];
  return unit === undefined ? undefined : Math.floor(Number(match[1]) * unit);
}
