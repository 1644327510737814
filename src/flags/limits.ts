import { formatBytes, KiB, MiB } from "../base/bytes.ts";
import { depthOf } from "../base/json.ts";
import { MAX_CHARACTERS, MAX_ELEMENTS, MAX_STEPS } from "../evaluator/steps.ts";
import { findSlugFault } from "../base/slug.ts";

/** Bytes of a payload, as JSON. */
export const MAX_PAYLOAD = 256 * KiB;

/** Levels of a payload or a variant. */
export const MAX_PAYLOAD_DEPTH = 64;

/** Limits of targeting rules, so that none can block a server. */
export const RULE_LIMITS = {
  /** Bytes of the variants, rule and metadata of a flag together, or of the rule of a segment, as JSON. */
  bytes: 256 * KiB,
  /** Levels of a rule. */
  depth: 64,
  /** Operations in a rule with its segments; `{"var":"email"}` is one too. */
  operations: 3000,
  /** Values in a rule with its segments. */
  nodes: 20_000,
  /** Bytes of a request body, or of a context, as JSON. Beyond: 413. */
  context: 64 * KiB,
  /** Levels of a context. Beyond: 400 `INVALID_CONTEXT`. */
  contextDepth: 16,
  /**
   * Elements of an array in a context, or of an array that an operation creates. Beyond: 400 `INVALID_CONTEXT`; the rule
   * fails.
   */
  elements: MAX_ELEMENTS,
  /** Bytes of the `targetingKey`. Beyond: 400 `INVALID_CONTEXT`. Every percentage rollout hashes it. */
  targetingKey: KiB,
  /**
   * Operations of one rule; an operation on a text over 1,024 characters counts one more for every 16 characters. Beyond:
   * the rule fails.
   */
  steps: MAX_STEPS,
  /** Operations of all rules in one request. Beyond: later rules fail. */
  requestSteps: 200_000,
  /** Characters of a text that an operation creates. Beyond: the rule fails. */
  characters: MAX_CHARACTERS,
  /**
   * Contexts for which one request evaluates an unsaved change, and test contexts of a project. Beyond: 400 for the
   * request, 413 for the project.
   */
  triedContexts: 20,
} as const;

/**
 * Bytes of the payloads, rules, previews, segments and descriptions of an environment together; an environment that
 * already has more can be read and made smaller. Beyond: 413. Readers request all of them at once, and copies,
 * promotions and exports hold them in memory.
 */
export const MAX_ENVIRONMENT_BYTES = 16 * MiB;
/** Bytes that each flag adds to that. Beyond: part of the total. */
export const FLAG_BYTES = 200;

/** Characters of a description. */
export const MAX_DESCRIPTION = 2000;

/** Limits of code references. */
export const CODE_LIMITS = {
  /** References in an upload. Beyond: 413. */
  references: 20_000,
  /** Characters of the slug of a flag. */
  slug: 150,
  /** Characters of the branch. */
  branch: 255,
  /** Characters of the name of the code. */
  projectName: 150,
  /** Characters of the address of the repository. */
  repositoryUrl: 255,
  /** Characters of the commit. */
  commit: 100,
  /** Characters of the path of a file. */
  filePath: 1024,
  /** Places in code that `flags cleanup` lists. */
  cleanupPlaces: 1000,
  /** Bytes of a line of code. Beyond: 400; `flags refs scan` cuts the line. */
  lineContent: 4 * KiB,
  /** Uploads that a project keeps, each for one branch and name. Beyond: the one sent longest ago is removed. */
  uploads: 200,
} as const;

/** Milliseconds between two checks for scheduled changes of other processes. */
export const SCHEDULE_POLL_MS = 1000;

/** Limits of ramps. */
export const RAMP_LIMITS = {
  /** Shares of a ramp. */
  steps: 20,
  /** Seconds between two steps of a ramp, at least. */
  least: 1,
  /** Seconds between two steps of a ramp, at most. */
  most: 366 * 86_400,
} as const;

/** Limits of a segment that a form fills. */
export const MEMBER_LIMITS = {
  /** Values of a segment that a form fills, approved or not. Beyond: the submission is stored without adding a member. */
  values: 100_000,
  /** Characters of such a value, as many as a mail address has. Beyond: the submission is stored without adding a member. */
  characters: 254,
  /** Values of one submission, if its field is a list. Beyond: later ones do not count. */
  ofSubmission: 100,
  /** Values of a segment in `flags export --members`. Beyond: 413. */
  exported: 10_000,
} as const;

/** Limits of previews. */
export const PREVIEW_LIMITS = {
  /** Characters of the name of a preview. */
  name: 200,
  /** Bytes of the content of a preview, as Markdown. */
  content: 64 * KiB,
  /** Bytes of the HTML made from it, before it is cleaned. Some texts grow twentyfold. */
  html: 256 * KiB,
} as const;

/** Limits of the counts of reads. */
export const TALLY_LIMITS = {
  /** Days for which the reads of an environment are counted. Beyond: removed. */
  readDays: 181,
  /** Days for which the reads of a flag are counted. Beyond: removed. */
  flagReadDays: 7,
  /** Days for which the values that readers of a flag got, and the tokens of readers, are counted. Beyond: removed. */
  servedDays: 2,
  /** Flags in an environment for which these are counted. Beyond: not counted. */
  servedFlags: 2000,
} as const;

/** Limits of the feedback about a preview. */
export const FEEDBACK_LIMITS = {
  /** Bytes of the request body. Beyond: 413. */
  body: 64 * KiB,
  /** Characters of the description. */
  description: 2000,
  /** Bytes of the metadata, as JSON. */
  metadata: 16 * KiB,
  /** Levels of the metadata. */
  metadataDepth: 16,
  /** Seconds in which the same feedback from one address counts once. Beyond: it counts again. */
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

/** Limits of what a flag needs. */
export const REQUIREMENT_LIMITS = {
  /** Flags that a flag needs. Beyond: 400. */
  flags: 10,
  /** Flags in a row that need one another, without the first. Beyond: 400. */
  depth: 10,
  /** Variants that a flag needs of another one. Beyond: 400. */
  variants: 100,
} as const;

/** Limits of the details of a flag. */
export const DETAIL_LIMITS = {
  /** Characters of the owner of a flag. */
  owner: 100,
  /** Characters of a tag of a flag. */
  tag: 50,
  /** Tags of a flag. */
  tags: 20,
  /** Colours of a flag's variants. */
  colours: 100,
};
