import type { DashboardContext } from "../dashboard-env.ts";
import type { Child, PropsWithChildren } from "../markup.ts";
import type { Page } from "../page.tsx";
import type { Typed } from "../parts/submit.ts";
import { PROJECT, projectPath } from "../paths.ts";

/** The parts of the settings of a project, in their order, by the ids of their places on the page. */
export const SECTIONS = {
  environments: "Environments",
  members: "Members",
  tokens: "Tokens",
  targets: "Targets",
  general: "General",
  files: "Files",
  "delete-project": "Delete",
} as const;

export type SectionName = keyof typeof SECTIONS;

/** A form of a section that was not taken. */
export type Sent = { at: SectionName; typed: Typed };

/** Shows the settings of a project, with a form that was not taken. */
export type ShowSettings = (c: DashboardContext, project: string, sent?: Sent) => Promise<Page>;

export const MEMBERS = `${PROJECT}/members` as const;

export function settingsPath(project: string): string {
  return `${projectPath(project)}/settings`;
}

/** A part of the settings. */
export function Section({ id, end, children }: PropsWithChildren<{ id: SectionName; end?: Child }>) {
  return (
    <section class="card flush" id={id} aria-labelledby={`${id}-title`}>
      <div class="title">
        <h2 id={`${id}-title`}>{SECTIONS[id]}</h2>
        {end && <span class="end">{end}</span>}
      </div>
      <div class="rows things">{children}</div>
    </section>
  );
}

/** The form that adds something to a section, behind its name. */
export function AddFold({
  id,
  act,
  isOpen = false,
  children,
}: PropsWithChildren<{ id: string; act: string; isOpen?: boolean }>) {
  return (
    <details class="fold" id={id} open={isOpen}>
      <summary>
        <span>{act}</span>
      </summary>
      {children}
    </details>
  );
}
