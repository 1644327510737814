import { A } from "../parts/link.tsx";
import { projectPath } from "../paths.ts";
import { useMay } from "../view.ts";

/** The name of a project, as a link if its page may be read. */
export function ProjectLink({ project }: { project: string }) {
  return useMay("flags:read", { project }) ? <A to={projectPath(project)}>{project}</A> : <>{project}</>;
}
