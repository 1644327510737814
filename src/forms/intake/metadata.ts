import type * as z from "zod/mini";
import { truncateAddress, wholeAddress } from "../../base/network.ts";
import { METADATA_LIMITS } from "../limits.ts";
import type { metadataSchema } from "../submission-schema.ts";

/** Recorded metadata of a sender; null for values that the sender did not send. */
export type Metadata = z.infer<typeof metadataSchema>;

/** The address of a sender, and the headers `User-Agent`, `Referer` and `Accept-Language`. */
export type SenderDetails = {
  address: string;
  userAgent: string | null;
  referrer: string | null;
  language: string | null;
};

/** The part of a sender's details that a form records, each as long as `METADATA_LIMITS` allows. */
export function metadataOf(kind: "truncated" | "full", details: SenderDetails): Metadata {
  const { address, userAgent, referrer, language } = details;
  return {
    address: kind === "full" ? wholeAddress(address) : truncateAddress(address),
    userAgent: cut(userAgent, METADATA_LIMITS.userAgent),
    referrer: cut(withoutQuery(referrer), METADATA_LIMITS.referrer),
    language: cut(languageOf(language), METADATA_LIMITS.language),
  };
}

/** The first language of a header `Accept-Language`, which every browser prefers; null if it names none. */
export function languageOf(header: string | null): string | null {
  return /^[\s,]*([\w-]+)/.exec(header ?? "")?.[1] ?? null;
}

/** Null for an address that is not one of a web page. */
function withoutQuery(referrer: string | null): string | null {
  const url = referrer === null ? null : URL.parse(referrer);
  return url && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : null;
}

function cut(text: string | null, length: number): string | null {
  return text?.slice(0, length).toWellFormed() || null;
}
