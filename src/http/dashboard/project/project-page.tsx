import type { Scope } from "../../../access/scope.ts";
import type { Crumb, Page } from "../page.tsx";
import { Foreign } from "../parts/text.tsx";
import { projectPath } from "../paths.ts";
import { Tabs } from "../parts/link.tsx";
import { useView } from "../view.ts";

type ProjectPage = { project: string; tab: Place; title: string; heading: string } & Omit<
  Page,
  "section" | "title" | "heading"
>;

/**
 * A page of a project. A page with a way back is about one thing, which is its heading; any other has the name of the project
 * and its tabs. `title` is what the page is without the project.
 */
export function projectPage({ project, tab, title, heading, back, content, ...page }: ProjectPage): Page {
  const { group, label } = PLACES[tab];
  const common = { title: `${title}, ${project}`, section: "flags", topics: ["setup"] } as const;
  if (back) {
    const above = projectCrumbs(project, tab);
    const crumbs = above.some(({ to }) => to === back.to) ? above : [...above, back];
    return { ...common, heading, crumbs, ...page, content };
  }
  return {
    ...common,
    heading: <ProjectName project={project} />,
    back: { to: "/projects", label: "Projects" },
    ...page,
    content: (
      <>
        <ProjectTabs project={project} current={tab} />
        {group !== label && <h2>{heading}</h2>}
        {content}
      </>
    ),
  };
}

/** The pages of a project, each with the tab that it belongs to. */
export const PLACES = {
  flags: { label: "Flags", path: "", group: "Flags" },
  compare: { label: "Compare", path: "/compare", group: "Flags" },
  releases: { label: "Releases", path: "/releases", group: "Releases" },
  scheduled: { label: "Scheduled", path: "/releases?show=scheduled", group: "Releases" },
  proposals: { label: "Proposals", path: "/releases?show=proposals", group: "Releases" },
  experiments: { label: "Experiments", path: "/releases?show=experiments", group: "Releases" },
  segments: { label: "Segments", path: "/segments", group: "Segments" },
  history: { label: "History", path: "/history", group: "History" },
  settings: { label: "Settings", path: "/settings", group: "Settings" },
  targets: { label: "Targets", path: "/settings#targets", group: "Settings" },
  members: { label: "Members", path: "/settings#members", group: "Settings", scope: "admin" },
  tokens: { label: "Tokens", path: "/settings#tokens", group: "Settings", scope: "admin" },
} as const satisfies Record<string, { label: string; path: string; group: string; scope?: Scope }>;

type Place = keyof typeof PLACES;

const TABS = Object.values(PLACES).filter(({ label, group }) => label === group);

/** The name of the project in the path of a page. */
function ProjectName({ project }: { project: string }) {
  const { project: shown } = useView();
  return <Foreign text={shown?.slug === project ? shown.name : project} />;
}

/** The way to something of a project: its name, and the tab. */
function projectCrumbs(project: string, place: Place): Crumb[] {
  const { group } = PLACES[place];
  const to = projectPath(project);
  const { path } = TABS.find(({ label }) => label === group)!;
  return [
    { to, label: <ProjectName project={project} /> },
    { to: to + path, label: group },
  ];
}

/** The tabs of a project; `current` is the page that is shown. */
export function ProjectTabs({ project, current }: { project: string; current: Place }) {
  const { group } = PLACES[current];
  const tabs = TABS.map(({ label, path }) => ({
    to: projectPath(project) + path,
    label,
    isCurrent: label === group,
  }));
  return <Tabs label="Project" tabs={tabs} />;
}
