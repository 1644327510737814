import { AppError } from "../../../base/errors.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import { type FlagPlace, noSuchFlag } from "../../../flags/flag.ts";
import type { DetailsPatch } from "../../../flags/flags.ts";
import { MAX_UNDONE } from "../../../flags/undo.ts";
import { flags } from "../../../operations/flags.ts";
import { history } from "../../../operations/history.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { usualPair } from "../changes/compare.tsx";
import type { DashboardContext } from "../dashboard-env.ts";
import { chosenOf, type Fields, textOf, textsOf } from "../fields.ts";
import type { Confirmation } from "../parts/confirm.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Button, Form, Hidden } from "../parts/link.tsx";
import { counted } from "../parts/text.tsx";
import { COMPARE, type ParametersOf, pathTo, PROJECT, projectPath, RELEASES } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { addressOf, useMayChange, useView } from "../view.ts";
import { askAboutMore } from "./turned-off.tsx";

const TICKED = `${PROJECT}/flags/ticked` as const;

type SentTicks = Sent<ParametersOf<typeof TICKED>>;

export function tickedRoutes(dashboard: Dashboard) {
  const { app, act, post } = dashboard;
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
        const patch = patchOf(fields);
        return { names, body: { flags: Object.fromEntries(tickedIn(fields).map((flag) => [flag, patch])) } };
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
    on: turnAll(dashboard, true),
    off: turnAll(dashboard, false),
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

/** Turns the ticked flags on or off in an environment, each by itself, and names the flags that cannot be. */
function turnAll({ app, act }: Dashboard, isOn: boolean) {
  const state = isOn ? "on" : "off";
  return async (c: DashboardContext, fields: Fields, { project }: SentTicks["names"]) => {
    const slugs = tickedIn(fields);
    const environment = await getEnvironment(app, project, textOf(fields, "environment"));
    const label = `Turn ${counted(slugs.length, "flag")} ${state} in ${environment.slug}`;
    const to = projectPath(project);
    const asking = isOn
      ? undefined
      : await askAboutMore(app, fields, {
          project,
          environment: environment.slug,
          slugs,
          what: counted(slugs.length, "flag"),
          to: pathTo(TICKED, { project }),
          back: { to, label: project },
        });
    if (asking) return asking;
    const made: { revision: number; result: string }[] = [];
    const proposals: Done[] = [];
    const refused: string[] = [];
    for (const flag of slugs)
      try {
        const done = await act({
          operation: flags.set,
          async input({ names }: Sent<FlagPlace>) {
            if (!(await app.store.flags.find(names))) throw noSuchFlag(flag);
            return { names, body: { enabled: isOn } };
          },
          done: (set): Done => (made.push(set), { to }),
          confirm: async () => ({
            title: `Confirm: ${label.toLowerCase()}, ${project}`,
            label,
            environments: [environment],
            change: <p>{slugs.join(", ")}</p>,
            back: { to, label: project },
          }),
        })(c, fields, { project, environment: environment.slug, flag });
        if ("content" in done) return done;
        if (done.to !== to) proposals.push(done);
      } catch (error) {
        if (!(error instanceof AppError) || (!OF_A_FLAG.has(error.code) && made.length === 0)) throw error;
        refused.push(`${flag}: ${error.message}`);
      }
    if (proposals.length === 1 && refused.length === 0) return proposals[0]!;
    const changed = made.filter(({ result }) => result !== "unchanged");
    const already = made.length - changed.length;
    const lines = [
      changed.length > 0 && `${areOf(changed.length)} ${state} in ${environment.slug}`,
      already > 0 && `${already === 1 ? "1 was" : `${already} were`} ${state} already`,
      proposals.length > 0 && `${counted(proposals.length, "change")} proposed, one for each flag`,
      refused.length > 0 && `Not turned ${state}: ${refused.join("; ")}`,
    ];
    const text = lines.flatMap((line) => line || []).join(". ");
    return {
      to: proposals.length > 0 ? pathTo(RELEASES, { project }) : to,
      text: `${text}.`,
      ...undoOfAll(project, changed),
    };
  };
}

const areOf = (count: number) => `${counted(count, "flag")} ${count === 1 ? "is" : "are"}`;

/** Refusals that concern one flag, and not all of an environment. */
const OF_A_FLAG: ReadonlySet<AppError["code"]> = new Set([
  "not_found",
  "conflict",
  "invalid",
  "unprocessable",
]);

/** Throws `invalid` for none, and for more than one step takes back. */
function tickedIn(fields: Fields): string[] {
  const slugs = [...new Set(textsOf(fields, "flag"))];
  if (slugs.length === 0) throw new AppError("invalid", "tick the flags first");
  if (slugs.length > MAX_UNDONE) throw new AppError("invalid", `tick at most ${MAX_UNDONE} flags`);
  return slugs;
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
  const places = project.environments.filter((each) => useMayChange([each]));
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
        {places.length > 0 && (
          <details class="menu" name="bulk">
            <summary class="button low">Turn on in…</summary>
            <div class="stack">
              <SelectField
                name="environment"
                id="turn-in"
                label="Environment"
                options={places.map(({ slug }) => ({ value: slug, label: slug }))}
              />
              <p class="buttons">
                <Button kind="low" name="act" value="on">
                  Turn on
                </Button>
                <Button kind="low" name="act" value="off">
                  Turn off
                </Button>
              </p>
            </div>
          </details>
        )}
        <details class="menu" name="bulk">
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
