import { own } from "../../../base/shapes/own.ts";
import { FIELDS, tagsOf } from "../../../flags/flag-fields.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { flags } from "../../../operations/flags.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Diff } from "../parts/diff.tsx";
import { CheckField, LineField, TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { FLAG, type ParametersOf, flagPath, settingPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import type { Screen } from "./screen.tsx";
import { undoOfAll } from "./ticked.tsx";

const DETAILS = `${FLAG}/details` as const;

/** The state that each act of the form sets. */
const ARCHIVED: Readonly<Record<string, boolean>> = { archive: true, restore: false };

const archivedIn = (fields: Fields) => own(ARCHIVED, textOf(fields, "act"));

/** The page that a form was on: that of an environment, or of all. */
function pageOf(fields: Fields, { project, flag }: ParametersOf<typeof FLAG>): string {
  const environment = textOf(fields, "environment");
  return environment === "" ? flagPath(project, flag) : settingPath({ project, flag, environment });
}

/** Takes the form of details; `again` shows the page of the flag in an environment with what was typed. */
export function detailsRoutes(
  { app, act, post }: Dashboard,
  again: (c: DashboardContext, place: FlagPlace, typed: Typed) => Promise<Page>,
) {
  post(
    DETAILS,
    "flags:write",
    act({
      operation: flags.details,
      input: ({ fields, names }) => ({ names, body: patchIn(fields), revision: revisionIn(fields) }),
      done({ revision, result }, { fields, names }) {
        const { project, flag } = names;
        const to = pageOf(fields, names);
        const archived = archivedIn(fields);
        if (archived !== undefined) {
          const values = {
            act: archived ? "restore" : "archive",
            environment: textOf(fields, "environment"),
          };
          const undo = { to: `${flagPath(project, flag)}/details`, values };
          return { to, text: `${flag} is ${archived ? "archived" : "restored"}.`, undo };
        }
        if (result === "unchanged") return { to, text: "Nothing differs." };
        return { to, text: `The details of ${flag} are saved.`, ...undoOfAll(project, [{ revision }]) };
      },
      async confirm({ fields, names }) {
        const { project, flag } = names;
        const archived = archivedIn(fields);
        const label = archived === undefined ? "Save details" : `${archived ? "Archive" : "Restore"} ${flag}`;
        return {
          title: `Confirm: details of ${flag}, ${project}`,
          label,
          environments: (await getProject(app, project)).environments.filter(({ locked }) => locked),
          change: <Diff before={{}} after={patchIn(fields)} />,
          back: { to: pageOf(fields, names), label: flag },
        };
      },
      async again({ c, fields, names }, faults) {
        const environment =
          textOf(fields, "environment") || (await getProject(app, names.project)).environments[0]!.slug;
        return again(c, { ...names, environment }, { fields, faults });
      },
      at: { invalid: "" },
    }),
  );
}

function patchIn(fields: Fields) {
  const archived = archivedIn(fields);
  if (archived !== undefined) return { archived };
  return {
    ...(fields.has("description") && { description: textOf(fields, "description") }),
    owner: textOf(fields, "owner").trim(),
    tags: tagsOf(textOf(fields, "tags")),
    permanent: fields.has("permanent"),
  };
}

/** The form of what all environments share of a flag. */
export function FlagDetails({ screen }: { screen: Screen }) {
  const { place, record, open } = screen;
  const typed = screen.typed.details;
  const { project, environment } = place;
  const { slug, description, owner, tags, permanent } = record;
  if (!useMay("flags:write", { project })) return null;
  return (
    <details class="card" id="details" open={typed !== undefined || open === "details"}>
      <summary>Name, owner, tags</summary>
      <Form
        to={`${flagPath(project, slug)}/details`}
        values={{ environment }}
        class="stack narrow"
        label="Details"
        id="details-form"
      >
        <LineField {...typedAt(typed, "description", description)} label={FIELDS.description.label} />
        <LineField
          {...typedAt(typed, "owner", owner)}
          label={FIELDS.owner.label}
          maxlength={FIELDS.owner.max}
        />
        <TextField
          {...typedAt(typed, "tags", tagsOf(tags).join(", "))}
          label={FIELDS.tags.label}
          hint={FIELDS.tags.hint}
        />
        <CheckField
          name="permanent"
          label={FIELDS.permanent.label}
          hint={FIELDS.permanent.hint}
          checked={typed?.fields.has("permanent") ?? permanent}
        />
        <p class="buttons">
          <Button name="act" value="details">
            Save details
          </Button>
        </p>
      </Form>
    </details>
  );
}
