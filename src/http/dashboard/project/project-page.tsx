import type { Page } from "../page.tsx";
import { ProjectTabs, type ProjectTab, projectPath } from "../parts/project-tabs.tsx";

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
