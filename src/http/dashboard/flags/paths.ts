import type { FlagPlace } from "../../../flags/flag.ts";
import { projectPath } from "../parts/project-tabs.tsx";

/** The path of a flag's page behind the dashboard's: `/projects/shop/flags/checkout`. */
export function flagPath(project: string, flag: string): string {
  return `${projectPath(project)}/flags/${encodeURIComponent(flag)}`;
}

/** The path of a flag in one environment: `/projects/shop/environments/production/flags/checkout`. */
export function settingPath({ project, environment, flag }: FlagPlace): string {
  return `${projectPath(project)}/environments/${encodeURIComponent(environment)}/flags/${encodeURIComponent(flag)}`;
}
