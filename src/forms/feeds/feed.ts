import { AppError } from "../../base/errors.ts";
import { isoTime } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import type { RecordOf } from "../../base/kinds/kinds.ts";
import { type FEED, FEED_FORMATS } from "./feed-card.ts";

export type FeedFormat = (typeof FEED_FORMATS)[number];

/** An address at which the submissions of a form are read, as it is stored. */
export type FeedRecord = {
  id: string;
  formKey: string;
  /** Milliseconds since 1970, as all times here. */
  createdAt: number;
  lastReadAt: number | null;
} & RecordOf<typeof FEED>;

/** A feed with the slugs of its project and form, and the form's name. */
export type FoundFeed = FeedRecord & { project: string; form: string; formName: string };

/** A feed as callers see it, with ISO times. */
export function viewFeed({
  formKey: _key,
  formName: _name,
  createdAt,
  expiresAt,
  lastReadAt,
  ...feed
}: FoundFeed) {
  const timeOf = (time: number | null) => (time === null ? null : isoTime(time));
  const times = {
    createdAt: isoTime(createdAt),
    expiresAt: timeOf(expiresAt),
    lastReadAt: timeOf(lastReadAt),
  };
  return { ...feed, ...times };
}

/** The secret in the address of a feed: 32 random bytes. */
export function feedToken(random: Random): string {
  return Buffer.from(random(32)).toString("base64url");
}

const ADDRESS = new RegExp(`^([\\w-]{43})\\.(${FEED_FORMATS.join("|")})$`);

/** The token and the format in the last part of an address; null for anything else. */
export function parseFeedFile(file: string): { token: string; format: FeedFormat } | null {
  const [, token, format] = ADDRESS.exec(file) ?? [];
  return token === undefined ? null : { token, format: format as FeedFormat };
}

export function noSuchFeed(id: string): AppError {
  return new AppError("not_found", `feed "${id}" does not exist`, {
    reason: "feed-not-found",
  });
}
