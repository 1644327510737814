import type { FlagChange } from "../../../flags/change.ts";
import type { TestContext } from "../../../flags/contexts/test-context.ts";
import { projectRow } from "../rows.ts";
import { type Work, all, insert, run } from "../work.ts";

type Change<K> = FlagChange & { change: K };

export function* putTestContext({ project, context: each }: Change<"putTestContext">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  const { name, createdAt, updatedAt } = each;
  yield* insert(
    "test_contexts",
    { projectId, name, context: JSON.stringify(each.context), createdAt, updatedAt },
    "ON CONFLICT (project_id, name) DO UPDATE SET context = excluded.context, updated_at = excluded.updated_at",
  );
}

export function* deleteTestContext({ project, name }: Change<"deleteTestContext">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  yield* run("DELETE FROM test_contexts WHERE project_id = $projectId AND name = $name", { projectId, name });
}

/** By name. */
function* listTestContexts(project: string): Work<TestContext[]> {
  type Row = { name: string; context: string; createdAt: number; updatedAt: number };
  const { id: projectId } = yield* projectRow(project);
  const rows = yield* all<Row>(
    `SELECT name, context, created_at AS "createdAt", updated_at AS "updatedAt" FROM test_contexts
     WHERE project_id = $projectId ORDER BY name`,
    { projectId },
  );
  return rows.map((row) => ({ ...row, context: JSON.parse(row.context) as TestContext["context"] }));
}

export const testContexts = { reads: { list: listTestContexts } };
