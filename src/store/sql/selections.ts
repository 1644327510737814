import type { PreviewedFlag } from "../../flags/flag.ts";
import { flagsOfEnvironment } from "./flags.ts";
import { type EnvironmentRow, environmentRow } from "./rows.ts";
import { memberStates, membersSince } from "./memberships/members.ts";
import { segmentsOfEnvironment } from "./segments.ts";
import type { Bound, Slice } from "./bind.ts";
import { type Work, all, first } from "./work.ts";

/** An environment with its revision, and what readers of its flags need, each part by the id of the environment. */
export const selected = {
  reads: { byKey: selectEnvironment, in: environmentRow, members: memberStates },
  readsInTurns: {
    flags: flagsOfEnvironment,
    previews: previewsOfEnvironment,
    segments: segmentsOfEnvironment,
    membersSince,
  },
} satisfies Slice;

/** The flags of an environment as readers need them. Their parts are read on demand. */
export function selections(parts: Bound<typeof selected>) {
  const selectionOf = ({ id, revision, metadata }: EnvironmentRow) => ({
    revision,
    metadata,
    flags: () => parts.flags(id),
    previews: () => parts.previews(id),
    segments: () => parts.segments(id),
    members: () => parts.members(id),
    membersSince: (segment: string, revision: number) => parts.membersSince(id, segment, revision),
  });
  return {
    async select(environmentKey: string) {
      const environment = await parts.byKey(environmentKey);
      if (!environment) return undefined;
      const { project_key: projectKey, place } = environment;
      return { ...selectionOf(environment), projectKey, place };
    },
    selectIn: async (project: string, environment: string) =>
      selectionOf(await parts.in(project, environment)),
  };
}

/** The environment that two keys select together, and the revision of its flags. */
export function selectEnvironment(
  environmentKey: string,
): Work<(EnvironmentRow & { project_key: string; place: string }) | undefined> {
  return first(
    `SELECT e.id, e.project_id, e.revision, e.metadata, p.key AS project_key, p.slug || '/' || e.slug AS place FROM environments e
     JOIN projects p ON p.id = e.project_id WHERE e.key = $environmentKey`,
    { environmentKey },
  );
}

/** The flags that are previews, newest first by creation, then by slug. */
function* previewsOfEnvironment(environmentId: number): Work<PreviewedFlag[]> {
  type Row = Omit<PreviewedFlag, "enabled"> & { enabled: number };
  const rows = yield* all<Row>(
    `SELECT f.slug, coalesce(v.enabled, 0) AS enabled, w.name AS "previewName", w.content AS "previewContent",
            v.expires_at AS "expiresAt", f.created_at AS "createdAt"
     FROM flag_previews w
     JOIN flags f ON f.id = w.flag_id
     LEFT JOIN flag_values v ON v.environment_id = w.environment_id AND v.flag_id = f.id
     WHERE w.environment_id = $environmentId AND w.enabled = 1 AND f.archived = 0`,
    { environmentId },
  );
  return rows.map((row) => ({ ...row, enabled: row.enabled === 1 })).toSorted(newestFirst);
}

/** By creation, then by slug. */
function newestFirst(a: PreviewedFlag, b: PreviewedFlag): number {
  return b.createdAt - a.createdAt || (a.slug < b.slug ? -1 : 1);
}
