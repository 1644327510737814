import { formatBytes } from "../base/bytes.ts";
import { depthOf } from "../base/json.ts";
import { findSlugFault } from "../base/slug.ts";
import { MAX_PAYLOAD, MAX_PAYLOAD_DEPTH, PREVIEW_LIMITS } from "./limits.ts";

/** Suffix of the key under which a payload is evaluated. */
export const PAYLOAD_SUFFIX = ".payload";

/** Slugs that would clash with paths of the API. */
const RESERVED = ["preview", "code-refs"];

/** Why a text cannot name a flag; undefined where it can. */
export function findFlagSlugFault(slug: string): string | undefined {
  if (slug.endsWith(PAYLOAD_SUFFIX)) return `names that end in ${PAYLOAD_SUFFIX} are reserved for payloads`;
  return findSlugFault("flag", slug, RESERVED);
}

/** Why a value cannot be a payload; undefined where it can. */
export function findPayloadFault(value: unknown): string | undefined {
  if (depthOf(value, MAX_PAYLOAD_DEPTH) > MAX_PAYLOAD_DEPTH)
    return `a payload has at most ${MAX_PAYLOAD_DEPTH} levels`;
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_PAYLOAD)
    return `a payload has at most ${formatBytes(MAX_PAYLOAD)} of JSON`;
  return undefined;
}

/** Why a text cannot be the content of a preview; undefined where it can. */
export function findContentFault(markdown: string): string | undefined {
  if (Buffer.byteLength(markdown) <= PREVIEW_LIMITS.content) return undefined;
  return `the content of a preview has at most ${formatBytes(PREVIEW_LIMITS.content)}`;
}
