import type { TargetChange } from "../../../delivery/change.ts";
import type { TargetRecord } from "../../../delivery/target.ts";
import { environmentRow, projectRow } from "../rows.ts";
import { type Work, all, fieldsOf, first, insert, run, setsOf } from "../work.ts";

type Row = Omit<TargetRecord, "events" | "enabled" | "secrets" | "request"> & {
  events: string | null;
  enabled: number;
  secrets: string;
  request: string | null;
};

const SELECT = `
  SELECT t.id, f.key AS "formKey", p.slug AS project, e.slug AS environment,
    ${fieldsOf("t", "events digest kind url enabled secrets request createdAt updatedAt")}
  FROM targets t LEFT JOIN forms f ON f.id = t.form_id AND f.deleted = 0
  LEFT JOIN projects p ON p.id = t.project_id LEFT JOIN environments e ON e.id = t.environment_id`;

type Change<K> = TargetChange & { change: K };

export function* insertTarget({ target }: Change<"insertTarget">): Work<void> {
  const { formKey: form, project, environment, ...row } = toRow(target);
  const formId =
    form === null
      ? null
      : (yield* first<{ id: number }>("SELECT id FROM forms WHERE key = $form", { form }))!.id;
  const projectId = project === null ? null : (yield* projectRow(project)).id;
  const environmentId =
    project === null || environment === null ? null : (yield* environmentRow(project, environment)).id;
  yield* insert("targets", { ...row, formId, projectId, environmentId });
}

export function* updateTarget({ target }: Change<"updateTarget">): Work<void> {
  const { id, url, enabled, secrets, request, updatedAt } = toRow(target);
  const sets = { url, enabled, secrets, request, updatedAt };
  yield* run(`UPDATE targets SET ${setsOf(sets)} WHERE id = $id`, { id, ...sets });
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

function toRecord(row: Row): TargetRecord {
  return {
    ...row,
    events: row.events === null ? null : JSON.parse(row.events),
    enabled: row.enabled === 1,
    secrets: JSON.parse(row.secrets),
    request: row.request === null ? null : JSON.parse(row.request),
  };
}

function toRow({ events, enabled, secrets, request, ...record }: TargetRecord): Row {
  return {
    ...record,
    events: events && JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    secrets: JSON.stringify(secrets),
    request: request && JSON.stringify(request),
  };
}

export const targets = { reads: { list: listTargets, ofProject: listOfProject, find: findTarget } };
