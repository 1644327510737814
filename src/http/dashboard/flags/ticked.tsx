import { flags as flagOperations } from "../../../operations/flags.ts";
import { AppError } from "../../../base/errors.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import { detailsPatchSchema } from "../../../flags/flag-schema.ts";
import { setDetailsOf } from "../../../flags/flags.ts";
import type { FlagOverview } from "../../../flags/overviews.ts";
import { MAX_UNDONE, undoFlags } from "../../../flags/undo.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { usualPair } from "../changes/usual-pair.ts";
import { textOf, textsOf } from "../fields.ts";
import { confirmed } from "../parts/confirm.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { checkAll } from "../parts/submit.ts";
import { counted } from "../parts/text.tsx";
import { COMPARE, PROJECT, pathTo, projectPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { addressOf, useMay, useMayChange, useView } from "../view.ts";
import type { RateOf } from "./flag-facts.tsx";
import { FlagTable, type Sparks } from "./flag-table.tsx";

const TICKED = `${PROJECT}/flags/ticked` as const;

/** The words for each act behind the number of flags. */
const ACTS = { tag: "tagged", archive: "archived", undo: "changed back" } as const;

type ActName = keyof typeof ACTS;

export function tickedRoutes({ app, post }: Dashboard) {
  post(TICKED, "flags:write", async (c, fields, { project: slug }) => {
    const project = await getProject(app, slug);
    const caller = c.get("caller");
    const sent = textOf(fields, "act");
    const act: ActName = Object.hasOwn(ACTS, sent) ? (sent as ActName) : "tag";
    const revisions = { first: Number(textOf(fields, "first")), last: Number(textOf(fields, "last")) };
    const slugs = textsOf(fields, "flag");
    const tags = tagsOf(textOf(fields, "tag"));
    if (act !== "undo" && slugs.length === 0) throw new AppError("invalid", "tick the flags first");
    if (act === "tag" && tags.length === 0) throw new AppError("invalid", "write the tag to add");
    const patch = act === "tag" ? checkAll(detailsPatchSchema, { addTags: tags }) : { archived: true };
    const patches = Object.fromEntries(slugs.map((flag) => [flag, patch]));
    const to = projectPath(slug);
    const what = counted(act === "undo" ? revisions.last - revisions.first + 1 : slugs.length, "flag");
    return confirmed<Done>(
      fields,
      async () => {
        if (act === "undo") {
          const count = await undoFlags(app, caller, slug, revisions);
          return { to, text: `${counted(count, "flag")} ${ACTS.undo}.` };
        }
        const changed = await setDetailsOf(app, caller, slug, patches);
        const made = changed.filter(({ result }) => result !== "unchanged").map(({ record }) => record);
        const text = `${what} ${ACTS[act]}${act === "tag" ? ` ${tags.join(", ")}` : ""}.`;
        return { to, text, ...undoOfAll(slug, made) };
      },
      async () => ({
        title: `Confirm: ${act} ${what}, ${slug}`,
        label: `${act[0]!.toUpperCase()}${act.slice(1)} ${what}`,
        environments: project.environments,
        change: <p>{slugs.join(", ")}</p>,
        back: { to, label: slug },
      }),
      act === "undo"
        ? undefined
        : {
            app,
            caller,
            operation: flagOperations.detailsOf,
            names: { project: slug },
            body: { flags: patches },
          },
    );
  });
}

/** The one step that takes changes back that were made together; none for too many. */
export function undoOfAll(project: string, made: readonly { revision: number }[]): Pick<Done, "undo"> {
  if (made.length === 0 || made.length > MAX_UNDONE) return {};
  const revisions = made.map(({ revision }) => revision);
  const [first, last] = [Math.min(...revisions), Math.max(...revisions)];
  if (last - first + 1 !== made.length) return {};
  const values = { act: "undo", first: String(first), last: String(last) };
  return { undo: { to: pathTo(TICKED, { project }), values } };
}

/** The list of flags, of which several are promoted, tagged and archived at once. */
export function TickedFlags({
  project,
  flags,
  rateOf,
  sparks,
}: {
  project: Project;
  flags: readonly FlagOverview[];
  rateOf: RateOf;
  sparks: Sparks;
}) {
  const view = useView();
  const mayWrite = useMay("flags:write");
  const mayArchive = useMayChange(project.environments);
  const table = (
    <FlagTable project={project} flags={flags} rateOf={rateOf} sparks={sparks} hasTicks={mayWrite} />
  );
  if (!mayWrite) return table;
  const { from, to } = usualPair(project);
  return (
    <Form to={pathTo(TICKED, { project: project.slug })} class="stack" id="ticked" label="Flags">
      {table}
      <div class="ticked-acts card" role="group" aria-label="With those ticked">
        <p class="soft small untallied">Tick flags to change several of them at once.</p>
        <p class="tally"> ticked</p>
        <div class="filters">
          <TextField name="tag" id="new-tag" label="Tag" placeholder="Tag" />
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
      </div>
    </Form>
  );
}
