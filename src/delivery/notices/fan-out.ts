import { MAX_SINGLE_NOTICES } from "../limits.ts";
import type { DeliveryKind } from "../delivery.ts";
import type { TargetRecord } from "../target.ts";
import { hears, type NoticeType } from "./notice-types.ts";

/** A target of a project, as far as it decides what is sent to it. */
export type NoticeTarget = Pick<TargetRecord, "id" | "environment" | "events" | "digest" | "createdAt"> & {
  kind: DeliveryKind;
};

/** A person who gets one notice by mail: the delivery has the address in place of a target. */
export function mailbox(address: string): NoticeTarget {
  return { id: address, kind: "notification", environment: null, events: null, digest: null, createdAt: 0 };
}

/** A notice as it is stored: `body` is the JSON that a webhook gets. */
export type StoredNotice = {
  type: NoticeType;
  environment: string | null;
  at: number;
  /** The revision, which orders deliveries of one millisecond. */
  revision: number;
  body: string;
  /** When it happened, for one that is found later: targets that were added since do not hear of it. */
  happenedAt?: number;
};

/** Notices for one delivery to a target. A digest with a `window` in seconds also takes later notices. */
export type Bundle = { target: NoticeTarget; notices: readonly StoredNotice[]; window: number | null };

/** The deliveries of the notices of one transaction, to the enabled targets of their project. */
export function bundlesOf(targets: readonly NoticeTarget[], notices: readonly StoredNotice[]): Bundle[] {
  return targets.flatMap((target): Bundle[] => {
    const heard = notices.filter((notice) => reaches(notice, target));
    if (heard.length === 0) return [];
    if (target.digest === null && heard.length <= MAX_SINGLE_NOTICES)
      return heard.map((notice) => ({ target, notices: [notice], window: null }));
    return [{ target, notices: heard, window: target.digest ?? 0 }];
  });
}

/** A notice about every environment reaches every target. */
function reaches({ type, environment, happenedAt }: StoredNotice, target: NoticeTarget): boolean {
  if (happenedAt !== undefined && happenedAt < target.createdAt) return false;
  const isHere = environment === null || target.environment === null || environment === target.environment;
  return isHere && hears(target.events, type);
}
