import type { Project } from "../../../src/projects/project.ts";
import { details, table } from "../../output/text.ts";

/** A project with its keys, for a person. */
export function describeProject({ slug, name, key, environments }: Project): string {
  const rows = environments.map((environment) => [environment.slug, environment.name, environment.key]);
  return (
    details([
      ["project", slug],
      ["name", name],
      ["x-project-key", key],
    ]) + (rows.length > 0 ? `\n${table(["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY"], rows)}` : "")
  );
}
