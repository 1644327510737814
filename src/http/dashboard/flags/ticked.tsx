import { AppError } from "../../../base/errors.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import type { DetailsPatch } from "../../../flags/flags.ts";
import { MAX_UNDONE } from "../../../flags/undo.ts";
import { flags } from "../../../operations/flags.ts";
import { history } from "../../../operations/history.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { usualPair } from "../changes/compare.tsx";
import { type Fields, chosenOf, textOf, textsOf } from "../fields.ts";
import type { Confirmation } from "../parts/confirm.tsx";
import { TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Button, Form, Hidden } from "../parts/link.tsx";
import { counted } from "../parts/text.tsx";
import { COMPARE, PROJECT, type ParametersOf, pathTo, projectPath } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { addressOf, useMayChange, useView } from "../view.ts";

const TICKED = `${PROJECT}/flags/ticked` as const;

type SentTicks = Sent<ParametersOf<typeof TICKED>>;

export function tickedRoutes({ app, act, post }: Dashboard) {
  const confirm =
    (verb: string, what: (fields: Fields) => string) =>
    async ({ fields, names: { project: slug } }: SentTicks): Promise<Confirmation> => ({
      title: `Confirm: ${verb.toLowerCase()} ${what(fields)}, ${slug}`,
      label: `${verb} ${what(fields)}`,
      environments: (await getProject(app, slug)).environments,
      change: <p>{textsOf(fields, "flag").join(", ")}</p>,
      back: { to: projectPath(slug), label: slug },
    });
  const change = (
    verb: string,
    patchOf: (fields: Fields) => DetailsPatch,
    done: (fields: Fields) => string,
  ) =>
    act({
      operation: flags.detailsOf,
      input({ fields, names }: SentTicks) {
        const slugs = textsOf(fields, "flag");
        if (slugs.length === 0) throw new AppError("invalid", "tick the flags first");
        const patch = patchOf(fields);
        return { names, body: { flags: Object.fromEntries(slugs.map((flag) => [flag, patch])) } };
      },
      done: ({ flags: changed }, { fields, names: { project } }) => ({
        to: projectPath(project),
        text: `${ticked(fields)} ${done(fields)}.`,
        ...undoOfAll(
          project,
          changed.filter(({ result }) => result !== "unchanged"),
        ),
      }),
      confirm: confirm(verb, ticked),
    });
  const acts = {
    tag: change(
      "Tag",
      (fields) => ({ addTags: tagsIn(fields) }),
      (fields) => `tagged ${tagsIn(fields).join(", ")}`,
    ),
    archive: change(
      "Archive",
      () => ({ archived: true }),
      () => "archived",
    ),
    undo: act({
      operation: history.undo,
      input: ({ fields, names }: SentTicks) => ({ names, body: revisionsIn(fields) }),
      done: ({ undone }, { names: { project } }) => ({
        to: projectPath(project),
        text: `${counted(undone, "flag")} changed back.`,
      }),
      confirm: confirm("Undo", (fields) => {
        const { first, last } = revisionsIn(fields);
        return counted(last - first + 1, "flag");
      }),
    }),
  };
  post(TICKED, "flags:write", (c, fields, names) => chosenOf(acts, fields, "act")(c, fields, names));
}

const ticked = (fields: Fields) => counted(textsOf(fields, "flag").length, "flag");

/** Throws `invalid` for none. */
function tagsIn(fields: Fields): string[] {
  const tags = tagsOf(textOf(fields, "tag"));
  if (tags.length === 0) throw new AppError("invalid", "write the tag to add");
  return tags;
}

function revisionsIn(fields: Fields) {
  return { first: Number(textOf(fields, "first")), last: Number(textOf(fields, "last")) };
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

/** The actions for the flags that are ticked: shown once one is. */
export function Ticked({ project }: { project: Project }) {
  const view = useView();
  const mayArchive = useMayChange(project.environments);
  const { from, to } = usualPair(project);
  return (
    <Form to={pathTo(TICKED, { project: project.slug })} id="bulk" label="Ticked flags">
      <div class="bulkbar" role="region" aria-label="Ticked flags">
        <b class="tally">ticked</b>
        {project.environments.length > 1 && (
          <>
            <Hidden values={{ from, to }} />
            <button
              type="submit"
              class="button low"
              formaction={addressOf(view, `${pathTo(COMPARE, { project: project.slug })}/review`)}
            >
              Copy {from} to {to}…
            </button>
          </>
        )}
        <details class="menu up" name="bulk">
          <summary class="button low">
            <Icon name="plus" />
            Tag…
          </summary>
          <div class="stack">
            <TextField name="tag" id="new-tag" label="Tag" />
            <Button kind="low" name="act" value="tag">
              Tag
            </Button>
          </div>
        </details>
        {mayArchive && (
          <Button kind="low" name="act" value="archive" icon="archive">
            Archive
          </Button>
        )}
      </div>
    </Form>
  );
}
