import { WhyField } from "../parts/why-field.tsx";
import type { FlagOverview } from "../../../flags/overviews.ts";
import type { Project } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { ProjectTabs, projectPath } from "../parts/project-tabs.tsx";
import { Empty } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { addressOf, useMay, useView } from "../view.ts";
import { FlagTable, MAX_COLUMNS } from "./flag-table.tsx";
import type { RateOf } from "./rates.ts";

/** What somebody typed to create a flag, and what is wrong with it. */
export type NewFlagDraft = { flag: string; description: string; why: string; fault: string };

type Props = {
  project: Project;
  flags: readonly FlagOverview[];
  rateOf: RateOf;
  search: string;
  after: string | null;
  next: string | null;
  draft: NewFlagDraft | null;
};

/** The flags of a project in each of its environments. */
export function projectPage(props: Props): Page {
  const { slug, name } = props.project;
  const [first] = props.project.environments;
  const options = `-p ${quoted(slug)}${first ? ` -e ${quoted(first.slug)}` : ""}`;
  return {
    title: `Flags, ${slug}`,
    heading: name === slug ? slug : <Foreign text={name} />,
    section: "flags",
    back: { to: "/projects", label: "Projects" },
    topics: ["setup"],
    ...(props.draft && { status: 422 as const }),
    commands: [
      { label: "List the flags of an environment", text: `formflag flags list ${options}` },
      {
        label: "Create a flag, which is off until it is turned on",
        text: `formflag flags set new-checkout ${options}`,
      },
      {
        label: "Write all of it to a file, and apply it elsewhere",
        text: `formflag export -p ${quoted(slug)} > ${slug}.yaml\nformflag apply -f ${slug}.yaml`,
      },
    ],
    content: <Flags {...props} />,
  };
}

function Flags(props: Props) {
  const { project, flags, search, after, next, draft } = props;
  const path = projectPath(project.slug);
  const isFirst = flags.length === 0 && search === "" && after === null;
  const { length: all } = project.environments;
  return (
    <div class="stack">
      <ProjectTabs project={project.slug} current="flags" />
      {!isFirst && <Search path={path} search={search} />}
      {all > MAX_COLUMNS && (
        <p class="soft">
          The first {MAX_COLUMNS} of {all.toLocaleString("en")} environments. A flag's page shows all of them.
        </p>
      )}
      {flags.length > 0 ? (
        <FlagTable project={project} flags={flags} rateOf={props.rateOf} />
      ) : (
        <NoFlags {...props} />
      )}
      {(after !== null || next !== null) && (
        <nav class="pager" aria-label="Pages">
          <span>
            {after !== null && (
              <ButtonLink to={path} query={{ q: search }}>
                First
              </ButtonLink>
            )}
          </span>
          <span>
            {next !== null && (
              <ButtonLink to={path} query={{ q: search, after: next }}>
                Next
              </ButtonLink>
            )}
          </span>
        </nav>
      )}
      <NewFlag project={project} draft={draft} isOpen={isFirst} />
    </div>
  );
}

function Search({ path, search }: { path: string; search: string }) {
  return (
    <search>
      <form method="get" action={addressOf(useView(), path)} class="searchbar">
        <label class="unseen" for="search">
          Search flags
        </label>
        <input
          type="search"
          id="search"
          name="q"
          value={search}
          placeholder="Name or description"
          aria-keyshortcuts="/"
          maxlength={200}
        />
        <Button icon="search">Search</Button>
      </form>
    </search>
  );
}

function NoFlags({ project, search, after }: Props) {
  if (search !== "")
    return (
      <Empty title="No flag matches">
        <ButtonLink to={projectPath(project.slug)}>Show all flags</ButtonLink>
      </Empty>
    );
  if (after !== null) return <Empty title="There are no more flags" />;
  if (project.environments.length === 0)
    return (
      <Empty title="This project has no environments yet">
        <p>A flag has a value in each environment.</p>
        <ButtonLink to={`${projectPath(project.slug)}/settings`}>Add an environment</ButtonLink>
      </Empty>
    );
  return (
    <Empty title="There are no flags yet">
      <p>A flag turns a part of an application on or off, in each environment by itself.</p>
    </Empty>
  );
}

function NewFlag({
  project,
  draft,
  isOpen,
}: {
  project: Project;
  draft: NewFlagDraft | null;
  isOpen: boolean;
}) {
  if (!useMay("flags:write") || project.environments.length === 0) return null;
  return (
    <details class="card" open={isOpen || draft !== null} id="new-flag">
      <summary>Create a flag</summary>
      <Form
        to={`${projectPath(project.slug)}/flags`}
        class="stack narrow"
        label="Create a flag"
        id="new-flag-form"
      >
        <TextField
          name="flag"
          label="Name"
          hint="As code reads it: letters, digits, dots, dashes and underscores, such as new-checkout. It cannot be changed later."
          value={draft?.flag}
          error={draft?.fault}
          maxlength={150}
          required
        />
        <TextField name="description" label="Description" value={draft?.description} maxlength={2000} />
        <WhyField value={draft?.why} />
        <p class="buttons">
          <Button kind="primary" icon="plus">
            Create flag
          </Button>
          <span class="soft">It is off in every environment.</span>
        </p>
      </Form>
    </details>
  );
}
