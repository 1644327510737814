import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import { changeRecord } from "../../flags/flag.ts";
import { type ImportPlan, type ImportResult, define } from "../../flags/import.ts";
import { recordChange } from "./changes.ts";
import { changeFlag } from "./flags.ts";
import { environmentRow, reviseEnvironment } from "./rows.ts";
import { segmentsOfEnvironment, setSegment } from "./segments.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

type Where = { project: string; environment: string };

/** Does all of a plan, each change of it with an entry in the history. */
export function importFlags(db: Database, where: Where, plan: ImportPlan, by: Author): ImportResult {
  return {
    segments: importSegments(db, where, plan.segments, by),
    metadata: importMetadata(db, where, plan.metadata, by),
    flags: plan.flags.map((definition) => {
      const { slug } = definition;
      const place = { ...where, flag: slug };
      const change = (before: Parameters<typeof changeRecord>[1]) =>
        changeRecord(slug, before, by.at, define(definition));
      return { key: slug, result: changeFlag(db, place, change, by, null).result };
    }),
  };
}

/** Tells what an import would do, and leaves everything as it was. */
export function tryImport(db: Database, where: Where, plan: ImportPlan, by: Author): ImportResult {
  query(db, "SAVEPOINT try").run();
  try {
    return importFlags(db, where, plan, by);
  } finally {
    query(db, "ROLLBACK TO try").run();
    query(db, "RELEASE try").run();
  }
}

function importSegments(
  db: Database,
  where: Where,
  segments: ImportPlan["segments"],
  by: Author,
): ImportResult["segments"] {
  const results = segments.map(({ name, rule }) => {
    const { result } = setSegment(db, { ...where, segment: name }, rule, by, null);
    return { name, result };
  });
  const { id: environmentId } = environmentRow(db, where.project, where.environment);
  const wanted = segments.map(({ name }) => name);
  const all = segmentsOfEnvironment(db, environmentId).map(({ name }) => name);
  const named = all.filter((name) => wanted.includes(name));
  if (named.every((name, index) => name === wanted[index])) return results;
  // Those named change places among themselves; the others keep theirs.
  const order = all.map((name) => (named.includes(name) ? wanted.shift()! : name));
  for (const [position, name] of order.entries()) {
    query(
      db,
      "UPDATE segments SET position = $position WHERE environment_id = $environmentId AND name = $name",
    ).run({ environmentId, name, position: position + 1 });
  }
  reviseEnvironment(db, environmentId, nextVersion(db));
  return results.map(({ name, result }) => {
    const moved = named[segments.findIndex((each) => each.name === name)] !== name;
    return { name, result: result === "unchanged" && moved ? "updated" : result };
  });
}

function importMetadata(
  db: Database,
  where: Where,
  metadata: string | null,
  by: Author,
): "updated" | "unchanged" {
  const row = environmentRow(db, where.project, where.environment);
  if (metadata === null || metadata === row.metadata) return "unchanged";
  query(db, "UPDATE environments SET metadata = $metadata WHERE id = $id").run({ id: row.id, metadata });
  const revision = nextVersion(db);
  reviseEnvironment(db, row.id, revision);
  recordChange(db, row.project_id, by, {
    revision,
    environment: where.environment,
    kind: "environment",
    name: where.environment,
    before: { metadata: JSON.parse(row.metadata) },
    after: { metadata: JSON.parse(metadata) },
  });
  return "updated";
}
