import type { Scope } from "../../../access/scope.ts";
import type { Page } from "../page.tsx";
import { projectPath } from "../paths.ts";
import { Tabs } from "../parts/link.tsx";
import { useMay } from "../view.ts";

type ProjectPage = { project: string; tab: ProjectTab; title: string; heading: string } & Omit<
  Page,
  "section" | "title" | "heading"
>;

/**
 * A page of a project below its tabs. `title` is what the page is without the project; a page that belongs to a tab and
 * is not the tab's own names its way back.
 */
export function projectPage({ project, tab, title, content, ...page }: ProjectPage): Page {
  return {
    title: `${title}, ${project}`,
    section: "flags",
    back: { to: projectPath(project), label: project },
    topics: ["setup"],
    ...page,
    content: (
      <>
        <ProjectTabs project={project} current={tab} />
        {content}
      </>
    ),
  };
}

/** The pages of a project. */
export const TABS = [
  { name: "flags", label: "Flags", path: "" },
  { name: "compare", label: "Compare", path: "/compare" },
  { name: "history", label: "History", path: "/history" },
  { name: "changes", label: "Changes", path: "/changes" },
  { name: "scheduled", label: "Scheduled", path: "/scheduled" },
  { name: "stale", label: "Stale", path: "/stale" },
  { name: "segments", label: "Segments", path: "/segments" },
  { name: "experiments", label: "Experiments", path: "/experiments" },
  { name: "targets", label: "Targets", path: "/targets" },
  { name: "members", label: "Members", path: "/members", scope: "admin" },
  { name: "tokens", label: "Tokens", path: "/tokens", scope: "admin" },
  { name: "settings", label: "Settings", path: "/settings" },
] as const satisfies readonly { name: string; label: string; path: string; scope?: Scope }[];

type ProjectTab = (typeof TABS)[number]["name"];

/** Links to the pages of a project; `current` is the one that is shown, or that the page belongs to. */
export function ProjectTabs({ project, current }: { project: string; current: ProjectTab }) {
  const shown = TABS.filter((tab) => !("scope" in tab) || useMay(tab.scope, { project }));
  const tabs = shown.map(({ name, label, path }) => ({
    to: `${projectPath(project)}${path}`,
    label,
    isCurrent: name === current,
  }));
  return <Tabs label="Project" tabs={tabs} />;
}
