import { flags as flagOperations } from "../../../operations/flags.ts";
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
import { FlagTable, type Sparks } from "./flag-table.tsx";

const TICKED = `${PROJECT}/flags/ticked` as const;

/** The words for each act behind the number of flags. */
const ACTS = { tag: "tagged", untag: "no longer tagged", archive: "archived", restore: "restored" } as const;

type ActName = keyof typeof ACTS;

/** The act that takes one back. */
const BACK = { tag: "untag", untag: "tag", archive: "restore", restore: "archive" } as const;

/** Characters of the names of flags in a message: a browser keeps 4 KB of it. */
const MAX_UNDO = 2500;

export function tickedRoutes({ app, post }: Dashboard) {
  post(TICKED, "flags:write", async (c, fields, { project: slug }) => {
    const project = await getProject(app, slug);
    const caller = c.get("caller");
    const slugs = [...textsOf(fields, "flag"), ...textOf(fields, "flags").split(",").filter(Boolean)];
    const sent = textOf(fields, "act");
    const act: ActName = sent in ACTS ? (sent as ActName) : "tag";
    const tags = tagsOf(textOf(fields, "tag"));
    const isTagging = act === "tag" || act === "untag";
    const to = projectPath(slug);
    if (slugs.length === 0) throw new AppError("invalid", "tick the flags first");
    if (isTagging && tags.length === 0) throw new AppError("invalid", "write the tag to add");
    const what = counted(slugs.length, "flag");
    const patchOf = (own: readonly string[]) => {
      if (!isTagging) return { archived: act === "archive" };
      const others = own.filter((tag) => !tags.includes(tag));
      return { tags: act === "untag" ? others : [...new Set([...own, ...tags])] };
    };
    const heads = await headsOf(slugs, slug);
    const ownTags = (flag: string) => tagsOf(heads.find((head) => head.slug === flag)?.tags ?? "");
    const [only] = slugs;
    return confirmed<Done>(
      fields,
      async () => {
        const changed: string[] = [];
        for (const flag of slugs) {
          const place = { project: slug, flag };
          const { result } = await setDetails(app, caller, place, patchOf(ownTags(flag)));
          if (result !== "unchanged") changed.push(flag);
        }
        const text = `${what} ${ACTS[act]}${isTagging ? ` ${tags.join(", ")}` : ""}.`;
        const flags = changed.join(",");
        if (flags === "" || flags.length > MAX_UNDO) return { to, text };
        const values = { act: BACK[act], flags, ...(isTagging && { tag: tags.join(",") }) };
        return { to, text, undo: { to: pathTo(TICKED, { project: slug }), values } };
      },
      async () => ({
        title: `Confirm: ${act} ${what}, ${slug}`,
        label: `${act[0]!.toUpperCase()}${act.slice(1)} ${what}`,
        environments: project.environments,
        change: <p>{slugs.join(", ")}</p>,
        back: { to, label: slug },
      }),
      slugs.length > 1
        ? undefined
        : {
            app,
            caller,
            operation: flagOperations.details,
            names: { project: slug, flag: only! },
            body: patchOf(ownTags(only!)),
          },
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
      </div>
    </Form>
  );
}
