import type { TargetChange } from "../../../delivery/change.ts";
import type { TargetRecord } from "../../../delivery/target.ts";
import { environmentRow, projectRow } from "../rows.ts";
import { type Work, all, first, run } from "../work.ts";

type Row = {
  id: string;
  form: string | null;
  project: string | null;
  environment: string | null;
  events: string | null;
  digest: number | null;
  kind: TargetRecord["kind"];
  url: string;
  enabled: number;
  secrets: string;
  created_at: number;
  updated_at: number;
};

const SELECT = `
  SELECT t.id, f.key AS form, p.slug AS project, e.slug AS environment, t.events, t.digest, t.kind, t.url, t.enabled,
    t.secrets, t.created_at, t.updated_at
  FROM targets t LEFT JOIN forms f ON f.id = t.form_id AND f.deleted = 0
  LEFT JOIN projects p ON p.id = t.project_id LEFT JOIN environments e ON e.id = t.environment_id`;

type Change<K> = TargetChange & { change: K };

export function* insertTarget({ target }: Change<"insertTarget">): Work<void> {
  const { form, project, environment, ...row } = toRow(target);
  const formId =
    form === null
      ? null
      : (yield* first<{ id: number }>("SELECT id FROM forms WHERE key = $form", { form }))!.id;
  const projectId = project === null ? null : (yield* projectRow(project)).id;
  const environmentId =
    project === null || environment === null ? null : (yield* environmentRow(project, environment)).id;
  yield* run(
    `INSERT INTO targets (id, form_id, project_id, environment_id, events, digest, kind, url, enabled, secrets, created_at, updated_at)
     VALUES ($id, $formId, $projectId, $environmentId, $events, $digest, $kind, $url, $enabled, $secrets, $created_at, $updated_at)`,
    { ...row, formId, projectId, environmentId },
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
  const sql = `${SELECT} WHERE t.form_id = (SELECT id FROM forms WHERE key = $formKey AND deleted = 0) ORDER BY t.created_at, t.id`;
  return (yield* all<Row>(sql, { formKey })).map(toRecord);
}

function* listOfProject(project: string): Work<TargetRecord[]> {
  const { id } = yield* projectRow(project);
  return (yield* all<Row>(`${SELECT} WHERE t.project_id = $id ORDER BY t.created_at, t.id`, { id })).map(
    toRecord,
  );
}

function* findTarget(id: string): Work<TargetRecord | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE t.id = $id AND (f.id IS NOT NULL OR p.id IS NOT NULL)`, {
    id,
  });
  return row && toRecord(row);
}

function toRecord({ form, events, enabled, secrets, created_at, updated_at, ...row }: Row): TargetRecord {
  return {
    ...row,
    formKey: form,
    events: events === null ? null : JSON.parse(events),
    enabled: enabled === 1,
    secrets: JSON.parse(secrets),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

function toRow({
  id,
  formKey,
  project,
  environment,
  events,
  digest,
  kind,
  url,
  enabled,
  secrets,
  createdAt,
  updatedAt,
}: TargetRecord): Row {
  return {
    id,
    form: formKey,
    project,
    environment,
    events: events === null ? null : JSON.stringify(events),
    digest,
    kind,
    url,
    enabled: enabled ? 1 : 0,
    secrets: JSON.stringify(secrets),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

export const targets = { reads: { list: listTargets, ofProject: listOfProject, find: findTarget } };
