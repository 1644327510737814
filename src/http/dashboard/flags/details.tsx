import { own } from "../../../base/shapes/own.ts";
import { FIELDS, tagsOf } from "../../../flags/flag-fields.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { DEFAULT_STALE_DAYS } from "../../../flags/stale.ts";
import { flags } from "../../../operations/flags.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { lastChange } from "../parts/confirm.tsx";
import { Danger } from "../parts/danger.tsx";
import { Diff } from "../parts/diff.tsx";
import { CheckField, LineField, TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { faultAt, type Typed, typedAt } from "../parts/submit.ts";
import { FLAG, flagPath, type ParametersOf, projectPath, settingPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay, useMayChange, useView } from "../view.ts";
import { isRead, Readers } from "./flag-facts.tsx";
import { type Again, ratesOf, type Screen } from "./screen.tsx";
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

/** Takes the form that deletes a flag in every environment; `again` shows its page with what was wrong. */
export function deletionRoutes(dashboard: Dashboard, again: Again) {
  const { app, act, post } = dashboard;
  post(
    `${FLAG}/delete`,
    "flags:write",
    act({
      operation: flags.delete,
      input({ fields, names }) {
        if (textOf(fields, "name").trim() !== names.flag)
          throw faultAt("name", `type ${names.flag}: nothing is deleted`);
        return { names, revision: revisionIn(fields) };
      },
      done: (_, { names: { project, flag } }) => ({
        to: projectPath(project),
        text: `The flag ${flag} is deleted.`,
      }),
      async confirm({ c, names: { project, flag } }) {
        const { environments } = await getProject(app, project);
        const [statuses, last, rateOf] = await Promise.all([
          app.store.flags.statuses(project, [flag]),
          lastChange(app, project, { kind: "flag", name: flag, environment: null }),
          ratesOf(app, c.get("caller"), { project, environments }, flag),
        ]);
        return {
          title: `Confirm: delete ${flag}, ${project}`,
          label: `Delete ${flag} in every environment`,
          isDeletion: true,
          environments,
          change: (
            <DeletedEverywhere
              flag={flag}
              environments={environments}
              statuses={statuses}
              now={app.now()}
              rateOf={(slug) => rateOf(slug, flag)}
            />
          ),
          last,
          back: { to: flagPath(project, flag), label: flag },
        };
      },
      async again({ c, fields, names }, faults, { code }) {
        const late = {
          name: "The flag was changed meanwhile. Check it again, and delete it if that is still right.",
        };
        const isLate = code === "conflict";
        const environment = textOf(fields, "environment") || (await firstOf(dashboard, names.project));
        const typed = { delete: { fields, faults: isLate ? late : faults } };
        return again(c, { ...names, environment }, () => ({ typed, status: isLate ? 409 : 422 }));
      },
      at: { "revision-differs": "name", invalid: "" },
    }),
  );
}

/** The environment whose tab shows where an address names none. */
export async function firstOf({ app }: Dashboard, slug: string): Promise<string> {
  const { environments } = await getProject(app, slug);
  return environments[0]!.slug;
}

type Deleted = {
  flag: string;
  environments: Screen["project"]["environments"];
  statuses: Screen["statuses"];
  now: number;
  rateOf: (environment: string) => number;
};

/** Environments in which a flag is deleted, and their readers. */
function DeletedEverywhere({ flag, environments, statuses, now, rateOf }: Deleted) {
  const readers = statuses
    .filter((status) => isRead(status, now))
    .flatMap(({ environment: slug, readAt }) => {
      const environment = environments.find((each) => each.slug === slug);
      return environment ? [{ environment, readAt, rate: rateOf(slug) }] : [];
    });
  return (
    <div class="stack">
      <p>
        {flag} is deleted in {statuses.map(({ environment }) => environment).join(", ")}.
      </p>
      {readers.length === 0 ? (
        <p>It has not been read in the last {DEFAULT_STALE_DAYS} days.</p>
      ) : (
        <Notice tone="warn" title="Applications still read it">
          <Readers readers={readers} />
        </Notice>
      )}
    </div>
  );
}

/** The form that deletes a flag, which names who still reads it. */
export function Deletion({ screen }: { screen: Screen }) {
  const { place, project: all, statuses, rate, typed, open } = screen;
  const { project, flag, environment } = place;
  const { now } = useView();
  const { name, value, error } = typedAt(typed.delete, "name");
  if (!useMayChange(all.environments)) return null;
  return (
    <details class="card" open={typed.delete !== undefined || open === "delete"} id="delete">
      <summary>Delete {flag}</summary>
      <Danger
        to={`${flagPath(project, flag)}/delete`}
        values={{ revision: Math.max(...statuses.map(({ revision }) => revision)), environment }}
        class="stack narrow"
        id="delete-form"
        label={`Delete ${flag}`}
        isChanged={typed.delete !== undefined}
        why={typedAt(typed.delete, "why").value}
        whyId="delete-why"
        words={[{ name, word: flag, label: `Type ${flag} to delete it`, typed: value, fault: error }]}
        act={`Delete ${flag} in every environment`}
        icon="trash"
      >
        <DeletedEverywhere
          flag={flag}
          environments={all.environments}
          statuses={statuses}
          now={now}
          rateOf={(slug) => (slug === environment ? rate : 0)}
        />
      </Danger>
    </details>
  );
}
