import type { Insertion, StoredSubmission } from "../../forms/intake/insertion.ts";
import { HOUR_MS } from "../../base/days.ts";
import { textOf } from "../sql/ids.ts";
import { type Work, all, only } from "../sql/work.ts";
import { idArray, numberArray, textArray } from "./arrays.ts";

/** The parts that any submission of a batch has. */
type Parts = { hasFiles: boolean; hasDeliveries: boolean; hasFlags: boolean };

/**
 * Inserts submissions with their files, deliveries and counts, but those to forms that fill segments. One whose id is stored already is left as it is, so that a
 * batch may be sent again if its answer was lost. One with files needs the note of these, which is removed with it:
 * a note that a sweep has taken leaves the submission out.
 */
function insertion({ hasFiles, hasDeliveries, hasFlags }: Parts): string {
  return `
WITH given AS (
  SELECT * FROM unnest(CAST($ids AS BYTEA[]), string_to_array($forms, ','), string_to_array($data, E'\\x01'),
    CAST($times AS BIGINT[]), string_to_array($metas, E'\\x01', '')${hasFlags ? ", string_to_array($flags, E'\\x01', '')" : ""}${hasFiles ? ", CAST($files AS INTEGER[])" : ""})
    WITH ORDINALITY AS given (id, form, data, created_at, meta,${hasFlags ? " flags," : ""}${hasFiles ? " files," : ""} place)),${hasFiles ? NOTED : ""}
stored AS (
  INSERT INTO submissions (id, form_id, data, created_at, state, unread, meta${hasFlags ? ", flags" : ""})
  SELECT given.id, forms.id, given.data, given.created_at, 0, 1, given.meta${hasFlags ? ", given.flags" : ""}
  FROM given JOIN forms ON forms.key = given.form AND forms.deleted = 0 AND forms.fills = 0
  ${hasFiles ? "WHERE given.files = 0 OR given.id IN (SELECT id FROM noted)" : ""}
  ORDER BY given.place
  FOR KEY SHARE OF forms
  ON CONFLICT (id) DO NOTHING
  RETURNING seq, id, form_id, created_at),
counted AS (
  INSERT INTO submission_counts (form_id, state, unread, hour, count)
  SELECT form_id, 0, 1, hour, count(*)
  FROM stored CROSS JOIN LATERAL (VALUES (${Number.MAX_SAFE_INTEGER}), (created_at / ${HOUR_MS})) AS hours (hour)
  WHERE hour >= 0 GROUP BY form_id, hour ORDER BY form_id, hour
  ON CONFLICT (form_id, state, unread, hour) DO UPDATE SET count = submission_counts.count + excluded.count)${
    hasFiles ? FILES : ""
  }${hasDeliveries ? DELIVERIES : ""}
SELECT CASE WHEN count(*) < $count THEN COALESCE(string_agg(encode(id, 'hex'), ','), '') END AS ids FROM stored`;
}

const NOTED = `
noted AS (
  SELECT upload_notes.id FROM upload_notes JOIN given ON given.id = upload_notes.id
  WHERE upload_notes.swept = 0 FOR UPDATE OF upload_notes),`;

const FILES = `,
kept AS (
  INSERT INTO files (submission_seq, position, field, name, type, size, sha256, blob_key)
  SELECT stored.seq, file.position, file.field, file.name, file.type, file.size, file.sha256, file.blob_key
  FROM unnest(CAST($fileIds AS BYTEA[]), CAST($positions AS INTEGER[]), CAST($fields AS TEXT[]), CAST($names AS TEXT[]),
    CAST($types AS TEXT[]), CAST($sizes AS BIGINT[]), CAST($sums AS TEXT[]), CAST($keys AS TEXT[]))
    AS file (id, position, field, name, type, size, sha256, blob_key)
  JOIN stored ON stored.id = file.id),
forgotten AS (DELETE FROM upload_notes USING stored WHERE upload_notes.id = stored.id)`;

const DELIVERIES = `,
queued AS (
  INSERT INTO deliveries (id, submission_seq, kind, target, due_at, trace)
  SELECT delivery.id, stored.seq, delivery.kind, delivery.target, stored.created_at, nullif(delivery.trace, '')
  FROM unnest(CAST($deliveryIds AS BYTEA[]), CAST($deliveryOf AS BYTEA[]), CAST($kinds AS TEXT[]),
    CAST($targets AS TEXT[]), CAST($traces AS TEXT[])) AS delivery (id, submission, kind, target, trace)
  JOIN stored ON stored.id = delivery.submission
  ON CONFLICT (submission_seq, kind, target) DO NOTHING)`;

/** Never part of JSON, which escapes it: what stands between texts needs no quotes, which would take a tenth of the time. */
const SEPARATOR = "\x01";

/**
 * Inserts submissions without conditions in one statement. Returns null if it stored all, otherwise the ids of the
 * stored submissions.
 */
export function* insertBatch(batch: readonly StoredSubmission[]): Work<Set<string> | null> {
  const files = batch.flatMap(({ id, files }) => files.map((file, index) => ({ id, index, file })));
  const deliveries = batch.flatMap(({ id, deliveries = [] }) => deliveries.map((each) => ({ of: id, each })));
  const hasFlags = batch.some(({ flags = null }) => flags !== null);
  const sql = insertion({ hasFiles: files.length > 0, hasDeliveries: deliveries.length > 0, hasFlags });
  const { ids } = yield* only<{ ids: string | null }>(sql, {
    count: batch.length,
    ids: idArray(idsOf(batch)),
    forms: batch.map(({ formKey }) => formKey).join(","),
    data: batch.map(({ data }) => data).join(SEPARATOR),
    times: numberArray(batch.map(({ createdAt }) => createdAt)),
    metas: batch.map(({ meta }) => meta ?? "").join(SEPARATOR),
    ...(hasFlags && { flags: batch.map(({ flags }) => flags ?? "").join(SEPARATOR) }),
    ...(files.length > 0 && {
      files: numberArray(batch.map(({ files }) => files.length)),
      fileIds: idArray(files.map(({ id }) => id)),
      positions: numberArray(files.map(({ index }) => index + 1)),
      fields: textArray(files.map(({ file }) => file.field)),
      names: textArray(files.map(({ file }) => file.name)),
      types: textArray(files.map(({ file }) => file.type)),
      sizes: numberArray(files.map(({ file }) => file.size)),
      sums: textArray(files.map(({ file }) => file.sha256)),
      keys: textArray(files.map(({ file }) => file.key)),
    }),
    ...(deliveries.length > 0 && {
      deliveryIds: idArray(deliveries.map(({ each }) => each.id)),
      deliveryOf: idArray(deliveries.map(({ of }) => of)),
      kinds: textArray(deliveries.map(({ each }) => each.kind)),
      targets: textArray(deliveries.map(({ each }) => each.target)),
      traces: textArray(deliveries.map(({ each }) => each.trace ?? "")),
    }),
  });
  if (ids === null) return null;
  const stored = new Set(ids.split(","));
  return new Set(idsOf(batch).filter((id) => stored.has(id.replaceAll("-", ""))));
}

export function idsOf(batch: readonly StoredSubmission[]): string[] {
  return batch.map(({ id }) => id);
}

/** Submissions that a batch did not insert because they are stored, with their ids, and the keys of the forms that exist. */
export function* findKnown(
  batch: readonly StoredSubmission[],
): Work<{ stored: Map<string, Insertion>; forms: Set<string> }> {
  const rows = yield* all<{ id: Uint8Array; spam: string | null }>(
    "SELECT id, spam FROM submissions WHERE id = ANY (CAST($ids AS BYTEA[]))",
    { ids: idArray(idsOf(batch)) },
  );
  const forms = yield* all<{ key: string }>(
    "SELECT key FROM forms WHERE deleted = 0 AND key = ANY (CAST($keys AS TEXT[]))",
    { keys: textArray(batch.map(({ formKey }) => formKey)) },
  );
  return {
    stored: new Map(rows.map(({ id, spam }) => [textOf(id), { kind: "stored", spam }])),
    forms: new Set(forms.map(({ key }) => key)),
  };
}
