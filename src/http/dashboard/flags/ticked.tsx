import { AppError } from "../../../base/errors.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import { setDetails } from "../../../flags/flags.ts";
import type { FlagOverview } from "../../../flags/overviews.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { usualPair } from "../changes/usual-pair.ts";
import { textOf, textsOf } from "../fields.ts";
import { confirmed } from "../parts/confirm.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { counted } from "../parts/text.tsx";
import { COMPARE, PROJECT, pathTo, projectPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { addressOf, useMay, useMayChange, useView } from "../view.ts";
import type { RateOf } from "./flag-facts.tsx";
import { FlagTable } from "./flag-table.tsx";

const TICKED = `${PROJECT}/flags/ticked` as const;

export function tickedRoutes({ app, post }: Dashboard) {
  post(TICKED, "flags:write", async (c, fields, { project: slug }) => {
    const project = await getProject(app, slug);
    const slugs = textsOf(fields, "flag");
    const tags = tagsOf(textOf(fields, "tag"));
    const to = projectPath(slug);
    const archives = textOf(fields, "act") === "archive";
    if (slugs.length === 0) throw new AppError("invalid", "tick the flags first");
    if (!archives && tags.length === 0) throw new AppError("invalid", "write the tag to add");
    const what = counted(slugs.length, "flag");
    return confirmed<Done>(
      fields,
      async () => {
        const heads = archives ? [] : await headsOf(slugs, slug);
        for (const flag of slugs) {
          const own = heads.find((head) => head.slug === flag)?.tags ?? "";
          const patch = archives ? { archived: true } : { tags: tagsOf([own, ...tags].join()) };
          await setDetails(app, c.get("caller"), { project: slug, flag }, patch);
        }
        return { to, text: archives ? `${what} archived.` : `${what} tagged ${tags.join(", ")}.` };
      },
      async () => ({
        title: `Confirm: ${archives ? "archive" : "tag"} ${what}, ${slug}`,
        label: archives ? `Archive ${what}` : `Tag ${what}`,
        environments: project.environments,
        change: <p>{slugs.join(", ")}</p>,
        back: { to, label: slug },
      }),
    );
  });

  const headsOf = async (slugs: readonly string[], project: string) => {
    const [environment] = await app.store.environments.list(project);
    return environment ? app.store.flags.among(project, environment.slug, [...slugs]) : [];
  };
}

/** The list of flags, of which several are promoted, tagged and archived at once. */
export function TickedFlags({
  project,
  flags,
  rateOf,
}: {
  project: Project;
  flags: readonly FlagOverview[];
  rateOf: RateOf;
}) {
  const view = useView();
  const mayWrite = useMay("flags:write");
  const mayArchive = useMayChange(project.environments);
  const table = <FlagTable project={project} flags={flags} rateOf={rateOf} hasTicks={mayWrite} />;
  if (!mayWrite) return table;
  const { from, to } = usualPair(project);
  return (
    <Form to={pathTo(TICKED, { project: project.slug })} class="stack" id="ticked" label="Flags">
      {table}
      <details id="ticked-acts" open>
        <summary>With those ticked</summary>
        <div class="filters">
          <TextField name="tag" id="new-tag" label="Tag" />
          <Button name="act" value="tag">
            Tag
          </Button>
          {mayArchive && (
            <Button name="act" value="archive" icon="archive">
              Archive
            </Button>
          )}
          {project.environments.length > 1 && (
            <>
              <EnvironmentField environments={project.environments} value={from} name="from" label="From" />
              <EnvironmentField environments={project.environments} value={to} name="to" label="To" />
              <button
                type="submit"
                class="button"
                formaction={addressOf(view, `${pathTo(COMPARE, { project: project.slug })}/review`)}
              >
                Promote
              </button>
            </>
          )}
        </div>
      </details>
    </Form>
  );
}
