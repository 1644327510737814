import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import type { SetupChange } from "../../documents/setup.ts";
import { FLAG_BYTES, MAX_ENVIRONMENT_BYTES } from "../../flags/limits.ts";
import { environmentsOf, findProjectRow } from "./rows.ts";
import { type Work, first } from "./work.ts";

type Place = { project: string; environment: string };

/** Bytes of what the flags of an environment hold in it, with their descriptions, and of its segments. */
const SIZE = `
  SELECT
    (SELECT coalesce(sum(octet_length(description) + octet_length(owner) + octet_length(tags) + octet_length(colours) + ${FLAG_BYTES}), 0) FROM flags WHERE project_id = e.project_id) +
    (SELECT coalesce(sum(coalesce(octet_length(payload), 0) + coalesce(octet_length(rules), 0)), 0)
     FROM flag_values WHERE environment_id = e.id) +
    (SELECT coalesce(sum(octet_length(name) + octet_length(content)), 0)
     FROM flag_previews WHERE environment_id = e.id) +
    (SELECT coalesce(sum(octet_length(rule)), 0) FROM segments WHERE environment_id = e.id) AS bytes
  FROM environments e WHERE e.project_id = $projectId AND e.slug = $slug`;

/**
 * The sizes of the environments in which changes set flags or segments, before the changes: of every environment where a flag
 * is new or described, since all of them have it.
 */
export function* sizesBefore(changes: readonly SetupChange[]): Work<[Place, number][]> {
  const places = new Map<string, Place>();
  const add = (project: string, environment: string) =>
    void places.set(`${project}/${environment}`, { project, environment });
  const shared = new Set<string>();
  for (const each of changes) {
    if (each.change !== "putFlag" && each.change !== "putSegment") continue;
    const { project, environment } = each;
    add(project, environment);
    if (each.change === "putFlag" && each.describes) shared.add(project);
  }
  for (const project of shared) {
    const row = yield* findProjectRow(project);
    for (const { slug } of row ? yield* environmentsOf(row.id) : []) add(project, slug);
  }
  const sizes: [Place, number][] = [];
  for (const place of places.values()) sizes.push([place, yield* sizeOf(place)]);
  return sizes;
}

/** Throws `too_large` for an environment that has grown past the limit. One that was larger before may shrink. */
export function* requireSmall(before: readonly [Place, number][]): Work<void> {
  for (const [place, was] of before) {
    const size = yield* sizeOf(place);
    if (size <= MAX_ENVIRONMENT_BYTES || size <= was) continue;
    const { project, environment } = place;
    throw new AppError(
      "too_large",
      `environment "${environment}" of project "${project}" would hold ${formatBytes(size)} of flags and segments, of at most ${formatBytes(MAX_ENVIRONMENT_BYTES)}`,
      {
        reason: "environment-too-large",
        hint: "shorten payloads and previews, delete flags that are not used, or divide them among projects",
      },
    );
  }
}

/** 0 for an environment that the changes add. */
function* sizeOf({ project, environment }: Place): Work<number> {
  const row = yield* findProjectRow(project);
  if (!row) return 0;
  const size = yield* first<{ bytes: number }>(SIZE, { projectId: row.id, slug: environment });
  return size?.bytes ?? 0;
}
