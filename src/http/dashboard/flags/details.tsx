import { own } from "../../../base/shapes/own.ts";
import { flags } from "../../../operations/flags.ts";
import { setDetails } from "../../../flags/flags.ts";
import { detailsPatchSchema } from "../../../flags/flag-schema.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import type { FlagPlace, FlagRecord } from "../../../flags/flag.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { confirmed } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { CheckField, LineField, TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { type Faults, checkAll, submit } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { FLAG, flagPath, settingPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { useMay, useMayChange } from "../view.ts";
import { undoOfAll } from "./ticked.tsx";

const DETAILS = `${FLAG}/details` as const;

/** The state that each act of the form sets. */
const ARCHIVED: Readonly<Record<string, boolean>> = { archive: true, restore: false };

/** Details as they were typed, with what is wrong with them. */
export type DetailsDraft = {
  description: string;
  owner: string;
  /** Separated by commas. */
  tags: string;
  permanent: boolean;
  faults: Faults;
};

/** Takes the form of details; `again` shows the page of the flag in an environment with what was typed. */
export function detailsRoutes(
  { app, post }: Dashboard,
  again: (c: DashboardContext, place: FlagPlace, typed: DetailsDraft) => Promise<Page>,
) {
  post(DETAILS, "flags:write", async (c, fields, { project, flag }) => {
    const { environments } = await getProject(app, project);
    const archived = own(ARCHIVED, textOf(fields, "act"));
    const environment = environments.find(({ slug }) => slug === textOf(fields, "environment"));
    const patch = await submit(
      () => (archived === undefined ? checkAll(detailsPatchSchema, detailsIn(fields)) : { archived }),
      (faults, error) => {
        if (!environment) throw error;
        return again(c, { project, flag, environment: environment.slug }, draftOf(fields, faults));
      },
    );
    if ("content" in patch) return patch;
    const to = environment
      ? settingPath({ project, flag, environment: environment.slug })
      : flagPath(project, flag);
    const label = archived === undefined ? "Save details" : archived ? `Archive ${flag}` : `Restore ${flag}`;
    return confirmed<Done>(
      fields,
      async () => {
        const { record, result } = await setDetails(
          app,
          c.get("caller"),
          { project, flag },
          patch,
          revisionIn(fields),
        );
        if (archived === undefined)
          return result === "unchanged"
            ? { to, text: "Nothing differs." }
            : { to, text: `The details of ${flag} are saved.`, ...undoOfAll(project, [record]) };
        const undo = { to: `${flagPath(project, flag)}/details`, values: undoOf(archived, environment) };
        return { to, text: `${flag} is ${archived ? "archived" : "restored"}.`, undo };
      },
      async () => ({
        title: `Confirm: details of ${flag}, ${project}`,
        label,
        environments: environments.filter(({ locked }) => locked),
        change: <Diff before={{}} after={patch} />,
        back: { to, label: flag },
      }),
      { app, caller: c.get("caller"), operation: flags.details, names: { project, flag }, body: patch },
    );
  });
}

function detailsIn(fields: Fields) {
  const { description, owner, tags, permanent } = draftOf(fields, {});
  return {
    ...(fields.has("description") && { description }),
    owner: owner.trim(),
    tags: tagsOf(tags),
    permanent,
  };
}

function draftOf(fields: Fields, faults: Faults): DetailsDraft {
  const [description, owner, tags] = [
    textOf(fields, "description"),
    textOf(fields, "owner"),
    textOf(fields, "tags"),
  ];
  return { description, owner, tags, permanent: fields.has("permanent"), faults };
}

function undoOf(archived: boolean, environment: Environment | undefined) {
  return { act: archived ? "restore" : "archive", ...(environment && { environment: environment.slug }) };
}

/** The details of a flag, which all environments share, with their form. */
export function FlagDetails({
  project,
  record,
  environments,
  environment = "",
  typed = null,
}: {
  project: string;
  record: FlagRecord;
  environments: readonly Environment[];
  /** The environment of the page; empty for that of all. */
  environment?: string;
  typed?: DetailsDraft | null;
}) {
  const { slug, description, owner, tags, permanent, archived } = record;
  const [mayWrite, mayArchive] = [useMay("flags:write", { project }), useMayChange(environments)];
  return (
    <div class="stack" id="flag-details">
      {description !== "" && (
        <p>
          <Foreign text={description} />
        </p>
      )}
      {(owner !== "" || tags !== "" || permanent || archived) && (
        <p class="buttons">
          {archived && <Badge tone="warn">archived</Badge>}
          {permanent && <Badge>permanent</Badge>}
          {tagsOf(tags).map((tag) => (
            <Badge>
              <Foreign text={tag} />
            </Badge>
          ))}
          {owner !== "" && (
            <span class="soft">
              owned by <Foreign text={owner} />
            </span>
          )}
        </p>
      )}
      {mayWrite && (
        <details id="details" open={typed !== null}>
          <summary>Description, owner, tags, archive</summary>
          <Form
            to={`${flagPath(project, slug)}/details`}
            values={{ environment }}
            class="stack narrow"
            label="Details"
            id="details-form"
          >
            <LineField
              name="description"
              label="Description"
              value={typed?.description ?? description}
              error={typed?.faults["description"]}
            />
            <LineField
              name="owner"
              label="Owner"
              value={typed?.owner ?? owner}
              maxlength={100}
              error={typed?.faults["owner"]}
            />
            <TextField
              name="tags"
              label="Tags"
              hint="Separated by commas."
              value={typed?.tags ?? tagsOf(tags).join(", ")}
              error={typed?.faults["tags"]}
            />
            <CheckField
              name="permanent"
              label="Permanent"
              hint="It is never listed as stale."
              checked={typed?.permanent ?? permanent}
            />
            <p class="buttons">
              <Button kind="primary" name="act" value="details">
                Save details
              </Button>
              {mayArchive && (
                <Button name="act" value={archived ? "restore" : "archive"}>
                  {archived ? "Restore flag" : "Archive flag"}
                </Button>
              )}
            </p>
          </Form>
        </details>
      )}
    </div>
  );
}
