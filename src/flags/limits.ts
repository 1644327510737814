import { formatBytes, KiB, MiB } from "../base/bytes.ts";
import { depthOf } from "../base/json.ts";
import { findSlugFault } from "../base/slug.ts";

/** A flag's payload as JSON text, in bytes. */
export const MAX_PAYLOAD = 256 * KiB;

/** Containers inside containers in a payload. */
export const MAX_PAYLOAD_DEPTH = 64;

/** Limits of targeting rules, so that none can block a server. */
export const RULE_LIMITS = {
  /** Variants, targeting and metadata of a flag, or the rule of a segment, as JSON text in bytes. */
  bytes: 256 * KiB,
  /** Containers inside containers in a rule. */
  depth: 64,
  /** Values in a rule once every reference is replaced by its segment. */
  nodes: 20_000,
  /** Objects among them, which are operations: checking and compiling one takes 30 µs. */
  operations: 3000,
  /** Operations of one evaluation, and of all evaluations of one request. */
  steps: 20_000,
  requestSteps: 200_000,
  /** Elements of an array that an operation builds, and of an array in a context. */
  elements: 1000,
  /** Characters of a text that an operation builds. */
  characters: 64 * KiB,
  /** The context of an evaluation as JSON text in bytes, and containers inside containers in it. */
  context: 64 * KiB,
  contextDepth: 16,
  /** The `targetingKey` of a context, in bytes: every percentage rollout hashes it. */
  targetingKey: KiB,
  /** Contexts for which an unsaved change is evaluated at once. */
  triedContexts: 20,
} as const;

/**
 * Bytes of the payloads, rules, previews, segments and descriptions of an environment. Readers request all of them at
 * once, and copies, promotions and exports hold them in memory. Each flag adds some bytes, so that the number of flags
 * is limited too.
 */
export const MAX_ENVIRONMENT_BYTES = 16 * MiB;
export const FLAG_BYTES = 200;

/** Characters of a flag's description. */
export const MAX_DESCRIPTION = 2000;

/** Limits of code references: lengths in characters, a line in bytes. */
export const CODE_LIMITS = {
  /** References of one upload. */
  references: 20_000,
  slug: 150,
  branch: 255,
  projectName: 150,
  repositoryUrl: 255,
  filePath: 1024,
  lineContent: 4 * KiB,
  /** Uploads that a project keeps, each of one branch and project name. */
  uploads: 200,
} as const;

/** How often a server checks for changes that another process scheduled, in milliseconds. */
export const SCHEDULE_POLL_MS = 1000;

/** Limits of ramps: the number of steps, and the seconds from one step to the next. */
export const RAMP_LIMITS = { steps: 20, least: 1, most: 366 * 86_400 } as const;

/** Limits of a segment that a form fills. */
export const MEMBER_LIMITS = {
  /** Values of a segment, approved or not. */
  values: 100_000,
  /** Characters of a value, as many as a mail address has. */
  characters: 254,
  /** Values of one submission that count, where a field has a list of them. */
  ofSubmission: 100,
  /** Values of a segment in a file of flagd. */
  exported: 10_000,
} as const;

/** Limits of previews. */
export const PREVIEW_LIMITS = {
  /** Characters of the name. */
  name: 200,
  /** The content as Markdown, and the HTML made of it, in bytes: some texts grow twentyfold. */
  content: 64 * KiB,
  html: 256 * KiB,
} as const;

/**
 * Days for which reads are counted: of an environment, of each flag, and of each variant that was served. Variants are
 * counted in environments of no more than `servedFlags`.
 */
export const TALLY_LIMITS = { readDays: 30, flagReadDays: 7, servedDays: 2, servedFlags: 2000 } as const;

/** Limits of the feedback about a preview. */
export const FEEDBACK_LIMITS = {
  /** Characters of the description. */
  description: 2000,
  /** The metadata as JSON text in bytes, and containers inside containers in it. */
  metadata: 16 * KiB,
  metadataDepth: 16,
  /** The body of the request, in bytes. */
  body: 64 * KiB,
  /** Seconds in which repeats of one address count once. */
  repeatSeconds: 60,
} as const;

/** Suffix of the key under which a payload is evaluated. */
export const PAYLOAD_SUFFIX = ".payload";

/** Slugs that would clash with paths of the API. */
const RESERVED = ["preview", "code-refs"];

/** Why a text cannot name a flag; undefined if it can. */
export function findFlagSlugFault(slug: string): string | undefined {
  if (slug.endsWith(PAYLOAD_SUFFIX)) return `names that end in ${PAYLOAD_SUFFIX} are reserved for payloads`;
  return findSlugFault("flag", slug, RESERVED);
}

/** Why a value cannot be a payload; undefined if it can. */
export function findPayloadFault(value: unknown): string | undefined {
  if (depthOf(value, MAX_PAYLOAD_DEPTH) > MAX_PAYLOAD_DEPTH)
    return `a payload has at most ${MAX_PAYLOAD_DEPTH} levels`;
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_PAYLOAD)
    return `a payload has at most ${formatBytes(MAX_PAYLOAD)} of JSON`;
  return undefined;
}

/** Why a text cannot be the content of a preview; undefined if it can. */
export function findContentFault(markdown: string): string | undefined {
  if (Buffer.byteLength(markdown) <= PREVIEW_LIMITS.content) return undefined;
  return `the content of a preview has at most ${formatBytes(PREVIEW_LIMITS.content)}`;
}

/** Limits of the details of a flag: characters of its owner and of a tag, and how many tags and colours it has. */
export const DETAIL_LIMITS = { owner: 100, tag: 50, tags: 20, colours: 100 };
