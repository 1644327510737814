import type { TargetChange } from "../../../delivery/change.ts";
import type { TargetRecord } from "../../../delivery/target.ts";
import { type Work, all, first, run } from "../work.ts";

type Row = {
  id: string;
  form: string;
  kind: TargetRecord["kind"];
  url: string;
  enabled: number;
  secrets: string;
  created_at: number;
  updated_at: number;
};

const SELECT = `
  SELECT t.id, f.key AS form, t.kind, t.url, t.enabled, t.secrets, t.created_at, t.updated_at
  FROM targets t JOIN forms f ON f.id = t.form_id AND f.deleted = 0`;

type Change<K> = TargetChange & { change: K };

export function* insertTarget({ target }: Change<"insertTarget">): Work<void> {
  yield* run(
    `INSERT INTO targets (id, form_id, kind, url, enabled, secrets, created_at, updated_at)
     VALUES ($id, (SELECT id FROM forms WHERE key = $form), $kind, $url, $enabled, $secrets, $created_at, $updated_at)`,
    toRow(target),
  );
}

export function* updateTarget({ target }: Change<"updateTarget">): Work<void> {
  const { id, enabled, secrets, updated_at } = toRow(target);
  yield* run(
    "UPDATE targets SET enabled = $enabled, secrets = $secrets, updated_at = $updated_at WHERE id = $id",
    { id, enabled, secrets, updated_at },
  );
}

export function* deleteTarget({ id }: Change<"deleteTarget">): Work<void> {
  yield* run("DELETE FROM targets WHERE id = $id", { id });
}

function* listTargets(formKey: string): Work<TargetRecord[]> {
  const sql = `${SELECT} WHERE f.key = $formKey ORDER BY t.created_at, t.id`;
  return (yield* all<Row>(sql, { formKey })).map(toRecord);
}

function* findTarget(id: string): Work<TargetRecord | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE t.id = $id`, { id });
  return row && toRecord(row);
}

function toRecord({ form, enabled, secrets, created_at, updated_at, ...row }: Row): TargetRecord {
  return {
    ...row,
    formKey: form,
    enabled: enabled === 1,
    secrets: JSON.parse(secrets),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

function toRow({ id, formKey, kind, url, enabled, secrets, createdAt, updatedAt }: TargetRecord): Row {
  return {
    id,
    form: formKey,
    kind,
    url,
    enabled: enabled ? 1 : 0,
    secrets: JSON.stringify(secrets),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

export const targets = { reads: { list: listTargets, find: findTarget } };
