import { MAX_APPROVALS } from "../../../projects/approval.ts";
import { COLORS } from "../../../projects/color.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { SelectField, TextField } from "../parts/field.tsx";
import { Button, ButtonForm, ButtonLink, Form } from "../parts/link.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { Time } from "../parts/time.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { useMay } from "../view.ts";
import { EnvironmentField } from "../parts/list.tsx";
import { environmentPath, projectPath } from "../paths.ts";

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

const COLOR_OPTIONS = [
  { value: "", label: "none" },
  ...COLORS.map((color) => ({ value: color, label: color as string })),
];

/** `readAt` is when a flag of the environment was last read. */
export type ShownEnvironment = { environment: Environment; readAt: number | null };

type CardProps = { project: string; index: number } & ShownEnvironment;

export function EnvironmentCard({ project, index, environment, readAt }: CardProps) {
  const { slug, name, key, locked, color, approvals } = environment;
  const path = environmentPath(project, slug);
  const isAdmin = useMay("admin");
  return (
    <>
      <h3>
        <EnvironmentName environment={environment} />
      </h3>
      <Facts
        facts={[
          name !== slug && ["Name", name],
          ["Key, sent as x-environment-key", <Key id={`key-${index}`} value={key} />],
          approvals > 0 && ["Approvals of a change", approvals],
          ["Last read", readAt === null ? "never" : <Time at={readAt} />],
        ]}
      />
      {isAdmin && (
        <>
          <Form to={`${path}/settings`} class="filters" id={`color-${slug}`} label={`Color of ${slug}`}>
            <SelectField
              id={`color-of-${index}`}
              name="color"
              label="Color"
              value={color ?? ""}
              options={COLOR_OPTIONS}
            />
            <Button label={`Save the color of ${slug}`}>Save</Button>
          </Form>
          <ApprovalsForm index={index} environment={environment} to={`${path}/settings`} />
          <div class="buttons">
            <ButtonForm
              to={`${path}/settings`}
              values={{ locked: String(!locked) }}
              icon="lock"
              label={`${locked ? "Unlock" : "Lock"} ${slug}`}
            >
              {locked ? "Unlock" : "Lock"}
            </ButtonForm>
            <ButtonLink to={`${path}/delete`} kind="danger" icon="trash">
              Delete…<span class="unseen"> {slug}</span>
            </ButtonLink>
          </div>
        </>
      )}
    </>
  );
}

const APPROVAL_OPTIONS = Array.from({ length: MAX_APPROVALS + 1 }, (_, count) => ({
  value: String(count),
  label: count === 0 ? "none" : String(count),
}));

/** How many people have to approve a change of the environment; fewer than before asks for its name. */
function ApprovalsForm({
  index,
  environment: { slug, approvals },
  to,
}: {
  index: number;
  environment: Environment;
  to: string;
}) {
  return (
    <Form to={to} class="filters" id={`approvals-${slug}`} label={`Approvals of changes of ${slug}`}>
      <SelectField
        id={`approvals-of-${index}`}
        name="approvals"
        label="Approvals"
        value={String(approvals)}
        options={APPROVAL_OPTIONS}
      />
      {approvals > 0 && (
        <TextField
          id={`approvals-confirm-${index}`}
          name="confirm"
          label={`For fewer, type ${slug}`}
          value=""
        />
      )}
      <Button label={`Save the approvals of ${slug}`}>Save</Button>
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
    <Card id="new-environment" title="Create an environment">
      <Form to={`${projectPath(slug)}/environments`} class="stack narrow" id="environment-form">
        <TextField
          id="environment-slug"
          {...typedAt(typed, "slug")}
          label="Slug"
          hint="As commands and addresses name it, such as staging."
          maxlength={150}
          required
        />
        <TextField
          id="environment-name"
          {...typedAt(typed, "name")}
          label="Name"
          hint="What people read; the slug where it is empty."
          maxlength={200}
        />
        <EnvironmentField
          {...typedAt(typed, "from")}
          label="Starts with the flags and segments of"
          environments={environments.slice(0, 200)}
          all="none: every flag is off"
        />
        <SelectField
          id="environment-color"
          {...typedAt(typed, "color")}
          label="Color"
          options={COLOR_OPTIONS}
        />
        <p class="buttons">
          <Button kind="primary" icon="plus">
            Create
          </Button>
        </p>
      </Form>
    </Card>
  );
}
