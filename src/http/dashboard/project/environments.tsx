import { type Field, showKind } from "../../../base/kinds/kinds.ts";
import type { Environment } from "../../../projects/environment.ts";
import { ENVIRONMENT, LOOKS } from "../../../projects/environment-card.ts";
import type { Project } from "../../../projects/project.ts";
import { Facts } from "../parts/card.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { CardFields, SettingFields, changedIn, givenIn } from "../parts/kind-field.tsx";
import { Button, ButtonLink, Form, Hidden } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { ENVIRONMENT as PLACE, PROJECT, environmentPath, pathTo, projectPath } from "../paths.ts";
import { useMay } from "../view.ts";
import { AddFold, type ShowSettings, settingsPath } from "./section.tsx";
import { own } from "../../../base/shapes/own.ts";
import { AppError } from "../../../base/errors.ts";
import { environments } from "../../../operations/environments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Dashboard } from "../routes.ts";

export function Key({ id, value }: { id: string; value: string }) {
  return (
    <span class="buttons">
      <code id={id}>{value}</code>
      <button
        type="button"
        class="button quiet scripted-only"
        data-copy={`#${id}`}
        aria-label={`Copy ${value}`}
      >
        Copy
      </button>
    </span>
  );
}

/** `readAt` is when a flag of the environment was last read. */
export type ShownEnvironment = { environment: Environment; readAt: number | null };

/** `A change needs a confirmation and 2 approvals`. */
function needsOf({ locked, approvals, approveWith }: Environment): string {
  const factor = approveWith === null ? "" : ` with ${ENVIRONMENT.approveWith.kind.labels[approveWith]}`;
  const needs = [
    ...(locked ? ["a confirmation"] : []),
    ...(approvals > 0 ? [(approvals === 1 ? "an approval" : `${approvals} approvals`) + factor] : []),
  ];
  return `A change needs ${needs.join(" and ") || "nothing"}`;
}

export function EnvironmentFold({
  project,
  index,
  environment,
  readAt,
}: { project: string; index: number } & ShownEnvironment) {
  const { slug, name, key } = environment;
  const isAdmin = useMay("admin");
  return (
    <Fold
      id={`environment-${slug}`}
      name={<EnvironmentName environment={environment} />}
      sentence={
        <>
          {needsOf(environment)}
          <span class="soft small">
            {readAt === null ? "; never read" : "; read "}
            {readAt !== null && <Time at={readAt} />}
            {name !== slug && (
              <>
                ; called <Foreign text={name} />
              </>
            )}
          </span>
        </>
      }
      act={isAdmin ? <Change of={slug} /> : "Key"}
    >
      <div class="editor">
        <Facts facts={[["Key, sent as x-environment-key", <Key id={`key-${index}`} value={key} />]]} />
        {isAdmin && <Editor project={project} index={index} environment={environment} />}
      </div>
    </Fold>
  );
}

/** "Change" with the name of a thing, for those who listen. */
export function Change({ of, act = "Change" }: { of: string; act?: string }) {
  return (
    <>
      {act}
      <span class="unseen"> {of}</span>
    </>
  );
}

const LOCKS = [
  { value: "false", label: "not locked" },
  { value: "true", label: "locked: a change asks for its name" },
];

function Editor({
  project,
  index,
  environment,
}: {
  project: string;
  index: number;
  environment: Environment;
}) {
  const { slug, locked, approvals, approveWith } = environment;
  const path = environmentPath(project, slug);
  const settings = Object.entries<Field>(ENVIRONMENT).map(([name, { kind, label = name }]) => ({
    name,
    kind,
    label,
    id: `${name}-of-${index}`,
    mayLack: true,
    text: showKind(kind, environment[name as keyof typeof ENVIRONMENT], "UTC"),
  }));
  return (
    <Form to={`${path}/settings`} class="editor" id={`change-${slug}`} label={`Change ${slug}`}>
      <SettingFields settings={settings} sent={undefined} />
      <Hidden values={{ "before-locked": String(locked) }} />
      <SelectField
        id={`locked-of-${index}`}
        name="locked"
        label="Lock"
        value={String(locked)}
        options={LOCKS}
      />
      {(approvals > 0 || approveWith !== null) && (
        <TextField
          id={`approvals-confirm-${index}`}
          name="confirm"
          label={`For fewer approvals, or ones that take less, type ${slug}`}
          value=""
        />
      )}
      <p class="buttons">
        <Button label={`Save ${slug}`}>Save</Button>
        <ButtonLink to={`${path}/delete`} kind="danger" icon="trash">
          Delete…<span class="unseen"> {slug}</span>
        </ButtonLink>
      </p>
    </Form>
  );
}

/** The form that creates an environment, for admins. */
export function NewEnvironment({
  project: { slug, environments },
  typed,
}: {
  project: Project;
  typed: Typed | undefined;
}) {
  if (!useMay("admin")) return null;
  return (
    <AddFold id="new-environment" act="Add an environment" isOpen={typed !== undefined}>
      <Form to={`${projectPath(slug)}/environments`} class="editor" id="environment-form">
        <div class="columns">
          <TextField
            id="environment-slug"
            {...typedAt(typed, "slug")}
            label="Slug"
            hint="As commands and addresses name it, such as staging."
            maxlength={150}
            required
          />
          <EnvironmentField
            {...typedAt(typed, "from")}
            label="Starts with the flags and segments of"
            environments={environments.slice(0, 200)}
            all="none: every flag is off"
          />
          <CardFields card={LOOKS} typed={typed ?? null} id="environment" />
        </div>
        <p class="buttons">
          <Button icon="plus">Create</Button>
        </p>
      </Form>
    </AddFold>
  );
}

const OF_ENVIRONMENT = `${PLACE}/settings` as const;

/** The forms that create and change environments. */
export function environmentRoutes({ app, post, act, perform }: Dashboard, show: ShowSettings) {
  post(
    `${PROJECT}/environments`,
    "admin",
    act({
      operation: environments.create,
      input: ({ fields, names }) => ({
        names,
        body: { ...slugAndFrom(fields), ...givenIn(LOOKS, fields, 0) },
      }),
      done: ({ slug }, { names }) => ({
        to: settingsPath(names.project),
        text: `The environment ${slug} is created.`,
      }),
      again: ({ c, fields, names }, faults) =>
        show(c, names.project, { at: "environments", typed: { fields, faults } }),
      at: { "environment-exists": "slug", "environment-not-found": "from" },
    }),
  );
  post(OF_ENVIRONMENT, "admin", async (c, fields, names) => {
    const to = settingsPath(names.project);
    const body = changeIn(fields);
    if (Object.keys(body).length === 0 && fields.has("locked")) return { to, text: "Nothing was changed" };
    const before = await getEnvironment(app, names.project, names.environment);
    const after = await perform(c, environments.set, { names, body });
    const values = Object.keys(body).map((name) => [name, String(before[name as Changed] ?? "")]);
    const undo = { to: pathTo(OF_ENVIRONMENT, names), values: Object.fromEntries(values) };
    // Fewer approvals than before, and ones that take less, have to be confirmed.
    const isGuarded = "approvals" in body || "approveWith" in body;
    return { to, text: describe(after, Object.keys(body)), ...(!isGuarded && { undo }) };
  });
}

/** The names of an environment to create and of the one to copy. */
function slugAndFrom(fields: Fields) {
  return { slug: textOf(fields, "slug").trim(), from: textOf(fields, "from").trim() || undefined };
}

type Changed = keyof typeof ENVIRONMENT | "locked";

/** The settings of an environment that a form changes; those of fields that it lacks stay. */
function changeIn(fields: Fields): Partial<Record<Changed, unknown>> {
  const kinds = Object.entries<Field>(ENVIRONMENT).filter(([name]) => fields.has(name));
  const { patch, faults } = changedIn(
    kinds.map(([name, { kind }]) => [name, kind] as const),
    fields,
  );
  for (const [name, fault] of Object.entries(faults)) throw new AppError("invalid", `${name}: ${fault}`);
  const locked = textOf(fields, "locked");
  if (locked === "" || locked === textOf(fields, "before-locked")) return patch;
  if (locked !== "true" && locked !== "false") throw new AppError("invalid", "locked is true or false");
  return { ...patch, locked: locked === "true" };
}

function describe(
  { slug, name, color, locked, approvals, approveWith, position }: Environment,
  changed: string[],
): string {
  const words: Record<string, string> = {
    name: `${slug} is called ${name}.`,
    color: `The color of ${slug} is ${color ?? "gray"}.`,
    position: `${slug} is at place ${position}.`,
    approvals:
      approvals === 0
        ? `Changes of ${slug} need no approval any more.`
        : `Changes of ${slug} need ${approvals === 1 ? "an approval" : `${approvals} approvals`} from now on.`,
    approveWith: `To approve changes of ${slug} takes ${ENVIRONMENT.approveWith.kind.labels[approveWith ?? ""]} from now on.`,
    locked: locked
      ? `${slug} is locked: its name confirms each change from now on.`
      : `${slug} is not locked any more.`,
  };
  return changed.map((each) => own(words, each)).join(" ");
}
