import type { Notice, NoticePages } from "../../delivery/notices/notice-words.ts";
import { EXPERIMENT, PROJECT, REVISION, SEGMENTS, flagPath, pathTo, settingPath } from "./paths.ts";

const HISTORY = `${PROJECT}/history` as const;
export const PROPOSAL = `${PROJECT}/changes/:change` as const;

/** The path of the page of a proposed change. */
export function changePath(project: string, change: string): string {
  return pathTo(PROPOSAL, { project, change });
}

/** The addresses of the pages of notices; `pageAt` is the address of a path of the dashboard, null if it is not known. */
export function noticePages(pageAt: (path: string) => string | null): NoticePages {
  return {
    ofNotice: (notice) => pageAt(pathOf(notice)),
    ofProject: (project, environment) => pageAt(historyPath(project, environment)),
  };
}

function historyPath(project: string, environment: string | null): string {
  const query = environment === null ? "" : `?environment=${encodeURIComponent(environment)}`;
  return `${pathTo(HISTORY, { project })}${query}`;
}

/** The path of the change, which the history keeps of what was deleted too, or else of the thing it is about. */
function pathOf({ type, data }: Notice): string {
  const { project, environment, name, revision } = data;
  const [noun] = type.split(".");
  if (noun === "change") return changePath(project, name);
  if (type.endsWith(".changed")) return pathTo(REVISION, { project, revision: String(revision) });
  if (environment === null) return noun === "flag" ? flagPath(project, name) : historyPath(project, null);
  if (noun === "flag" || noun === "ramp") return settingPath({ project, environment, flag: name });
  if (noun === "experiment") return pathTo(EXPERIMENT, { project, environment, experiment: name });
  if (noun === "segment")
    return `${pathTo(SEGMENTS, { project })}?environment=${encodeURIComponent(environment)}`;
  // A guard belongs to a ramp or to an experiment.
  return historyPath(project, environment);
}
