import type { Field } from "../../../base/kinds/kinds.ts";
import { showKind } from "../../../base/kinds/kinds.ts";
import type { Environment } from "../../../projects/environment.ts";
import { ENVIRONMENT, LOOKS } from "../../../projects/environment-card.ts";
import type { Project } from "../../../projects/project.ts";
import { Facts } from "../parts/card.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { CardFields, SettingFields } from "../parts/kind-field.tsx";
import { Button, ButtonLink, Form, Hidden } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { environmentPath, projectPath } from "../paths.ts";
import { useMay } from "../view.ts";
import { AddFold } from "./section.tsx";

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
function needsOf({ locked, approvals }: Environment): string {
  const needs = [
    ...(locked ? ["a confirmation"] : []),
    ...(approvals > 0 ? [approvals === 1 ? "an approval" : `${approvals} approvals`] : []),
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
  const { slug, locked, approvals } = environment;
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
      {approvals > 0 && (
        <TextField
          id={`approvals-confirm-${index}`}
          name="confirm"
          label={`For fewer approvals, type ${slug}`}
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
