import { clock } from "../../../base/clock.ts";
import { timedId } from "../../../base/ids.ts";
import { plainAddress, senderAddress } from "../../../delivery/address.ts";
import { replyTarget } from "../../../delivery/delivery.ts";
import { memberValue } from "../../../flags/members.ts";
import { DEFAULT_SETTINGS, type FormSettings } from "../../../forms/settings/settings.ts";
import { CANCELLED, QUEUED } from "../delivery/deliveries.ts";
import { bytesOf } from "../ids.ts";
import { allAmong, insertRows } from "../lists.ts";
import { type Value, type Work, first, only } from "../work.ts";

/** Milliseconds between the approval of a member and the mail that welcomes it. */
const WELCOME_MS = 60_000;

/** The segment of a source, and the field with the values. */
type Welcoming = { environment_id: number; segment: string; form_id: number; field: string };

/** The segment of a welcome, as its target has it behind the address. */
function placeOf({ environment_id, segment }: Welcoming): string {
  return `${environment_id}.${segment}`;
}

/**
 * Queues a mail to each of some values that were approved, to be sent a while later: by then an approval may have been taken back. A
 * value without an address of its own is welcomed at that of its sender; one without any gets none.
 */
export function* queueWelcomes(source: Welcoming, values: readonly string[], now: number): Work<void> {
  const { environment_id: environmentId, segment, form_id: formId, field } = source;
  const { settings } = yield* only<{ settings: string }>("SELECT settings FROM forms WHERE id = $formId", {
    formId,
  });
  const form: FormSettings = { ...DEFAULT_SETTINGS, ...(JSON.parse(settings) as Partial<FormSettings>) };
  const members = yield* allAmong<{ value: string; seq: number; data: string }>(
    values,
    (list) => `SELECT m.value, s.seq, s.data FROM submissions s JOIN (
        SELECT value, min(submission_seq) AS seq FROM memberships
        WHERE environment_id = $environmentId AND segment = $segment AND value IN ${list} GROUP BY value
      ) AS m ON m.seq = s.seq`,
    { environmentId, segment },
  );
  const rows = new Map<string, Value[]>();
  for (const { value, seq, data } of members) {
    const fields = JSON.parse(data) as Record<string, unknown>;
    const address = ownAddress(fields, field, value) ?? senderAddress(form, fields);
    if (address === null) continue;
    const target = replyTarget({ id: placeOf(source), target: address });
    const id = bytesOf(timedId(now, rows.size & 0xfff, clock.random(8)));
    rows.set(`${seq} ${target}`, [id, seq, "welcome", target, now + WELCOME_MS]);
  }
  yield* insertRows(
    "INSERT INTO deliveries (id, submission_seq, kind, target, due_at)",
    [...rows.values()],
    `ON CONFLICT (submission_seq, kind, target) DO UPDATE
     SET status = ${QUEUED}, attempts = 0, due_at = excluded.due_at, holder = NULL
     WHERE deliveries.status = ${CANCELLED} OR (deliveries.status = ${QUEUED} AND deliveries.holder IS NULL)`,
  );
}

/** The address that a value is, as it was sent; null for another value. */
function ownAddress(fields: Record<string, unknown>, field: string, value: string): string | null {
  const given = Object.hasOwn(fields, field) ? [fields[field]].flat() : [];
  return plainAddress(given.find((each) => memberValue(each) === value));
}

/** The template of a welcome; null once its submission has no approved value in the segment, or that has no welcome. */
export function* welcomeContent(delivery: string): Work<string | null> {
  const row = yield* first<{ seq: number; target: string }>(
    "SELECT submission_seq AS seq, target FROM deliveries WHERE id = $id AND kind = 'welcome'",
    { id: bytesOf(delivery) },
  );
  if (!row) return null;
  const [environment = "", ...segment] = row.target.slice(row.target.lastIndexOf("#") + 1).split(".");
  const found = yield* first<{ welcome: string | null }>(
    `SELECT o.welcome FROM segment_sources o WHERE o.environment_id = $environmentId AND o.segment = $segment
       AND EXISTS (SELECT 1 FROM memberships m WHERE m.environment_id = o.environment_id AND m.segment = o.segment
         AND m.submission_seq = $seq AND m.approved = 1)`,
    { environmentId: Number(environment), segment: segment.join("."), seq: row.seq },
  );
  return found?.welcome ?? null;
}
