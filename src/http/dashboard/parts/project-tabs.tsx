import { Tabs } from "./link.tsx";

const TABS = [
  { name: "flags", label: "Flags", path: "" },
  { name: "compare", label: "Compare", path: "/compare" },
  { name: "history", label: "History", path: "/history" },
  { name: "scheduled", label: "Scheduled", path: "/scheduled" },
  { name: "stale", label: "Stale", path: "/stale" },
  { name: "segments", label: "Segments", path: "/segments" },
  { name: "settings", label: "Settings", path: "/settings" },
] as const;

export type ProjectTab = (typeof TABS)[number]["name"];

/** The pages of a project; `current` is the one that is shown, or that the page belongs to. */
export function ProjectTabs({ project, current }: { project: string; current: ProjectTab }) {
  const tabs = TABS.map(({ name, label, path }) => ({
    to: `${projectPath(project)}${path}`,
    label,
    isCurrent: name === current,
  }));
  return <Tabs label="Project" tabs={tabs} />;
}

/** The path of a project's page behind the dashboard's: `/projects/shop`. */
export function projectPath(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}
