import { shortName } from "../../../access/place.ts";
import { formatBytes } from "../../../base/bytes.ts";
import type { TargetView } from "../../../delivery/target.ts";
import type { Form } from "../../../forms/form.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { TextField } from "../parts/field.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { CopyButton, Button, ButtonForm, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Card, Empty, Facts } from "../parts/card.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useMayWriteForms } from "../view.ts";
import { formPath, inboxPath } from "../paths.ts";
import { namedForm } from "./form-words.ts";
import { ProjectLink } from "./project-link.tsx";
import { type Snippet, Snippets } from "./form-snippets.tsx";

type Shown = {
  form: Form;
  state: string;
  url: string;
  page: string;
  snippets: Snippet[];
  targets: TargetView[];
};

export function formPage(shown: Shown, failed?: { target: string; message: string }): Page {
  const { form } = shown;
  return {
    title: `Form ${form.slug}`,
    heading: <Foreign text={form.name} />,
    section: "forms",
    topics: ["setup"],
    back: { to: "/forms", label: "Forms" },
    actions: <Actions form={form} />,
    commands: [
      { label: "Show the form", text: formflag("forms get", ...namedForm(form)) },
      {
        label: "Add a target",
        text: formflag("targets add", form.slug, "https://example.com/hook", namedForm(form)[1]),
      },
      {
        label: "Print a snippet",
        text: formflag("forms snippet", form.slug, { ...namedForm(form)[1], kind: "html" }),
      },
    ],
    content: (
      <>
        <About {...shown} />
        <Targets form={form} targets={shown.targets} failed={failed} />
        <Snippets form={form} snippets={shown.snippets} />
      </>
    ),
  };
}

function Actions({ form }: { form: Form }) {
  const mayChange = useMayWriteForms(form.project);
  return (
    <>
      <ButtonLink to={inboxPath(shortName(form))} icon="inbox">
        Inbox
      </ButtonLink>
      <ButtonLink to={`${formPath(shortName(form))}/history`} icon="history">
        History
      </ButtonLink>
      {mayChange && (
        <>
          <ButtonForm to={`${formPath(shortName(form))}/test`} icon="send">
            Send a test
          </ButtonForm>
          <ButtonLink to={`${formPath(shortName(form))}/settings`} icon="settings">
            Settings
          </ButtonLink>
        </>
      )}
    </>
  );
}

function About({ form, state, url, page }: Shown) {
  const mayChange = useMayWriteForms(form.project);
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">
        Address
        <Badge tone={state.startsWith("open") ? "good" : "warn"}>{state}</Badge>
      </h2>
      <pre id="form-address" tabindex={0}>
        {url}
      </pre>
      <Facts
        class="row"
        facts={[
          ["Project", <ProjectLink project={form.project} />],
          ["Slug", form.slug],
          form.page && ["Page", <a href={page}>{page}</a>],
          ["Files", form.uploads ? `at most ${form.maxFiles} of ${formatBytes(form.maxFileSize)}` : "off"],
          ["Origins", form.allowedOrigins.join("\n") || "any"],
          form.notify.length > 0 && ["Notifies", form.notify.join("\n")],
          ["Created", <Time at={Date.parse(form.createdAt)} />],
        ]}
      />
      {mayChange && (
        <div class="buttons">
          <CopyButton of="#form-address">Copy the address</CopyButton>
          <ButtonForm to={`${formPath(shortName(form))}/state`} values={{ enabled: String(!form.enabled) }}>
            {form.enabled ? "Close the form" : "Open the form"}
          </ButtonForm>
          <ButtonLink to={`${formPath(shortName(form))}/move`} icon="arrowRight">
            Move…
          </ButtonLink>
          <ButtonLink to={`${formPath(shortName(form))}/delete`} kind="danger" icon="trash">
            Delete…
          </ButtonLink>
        </div>
      )}
    </section>
  );
}

function Targets({
  form,
  targets,
  failed,
}: {
  form: Form;
  targets: TargetView[];
  failed: { target: string; message: string } | undefined;
}) {
  const mayChange = useMayWriteForms(form.project);
  return (
    <Card id="targets" title="Targets">
      {targets.length === 0 ? (
        <Empty title="Submissions are sent nowhere but to the inbox" />
      ) : (
        <Table
          caption="Targets"
          rows={targets}
          keyOf={({ id }) => `target-${id}`}
          columns={[
            { label: "Target", heading: true, cell: ({ kind, target }) => `${kind} ${target}` },
            {
              label: "State",
              cell: ({ enabled }) => (enabled ? <Badge tone="good">enabled</Badge> : <Badge>disabled</Badge>),
            },
            ...(mayChange
              ? [
                  {
                    label: "Actions",
                    isLabelUnseen: true,
                    cell: (target: TargetView) => <TargetActions form={form} target={target} />,
                  },
                ]
              : []),
          ]}
        />
      )}
      {mayChange && (
        <PostForm
          to={`${formPath(shortName(form))}/targets`}
          class="stack"
          id="add-target"
          label="Add a target"
        >
          <TextField
            name="target"
            label="Add a target"
            hint="The URL of a webhook, mail: and an address, or slack:, discord:, teams:, telegram:, ntfy: or gotify: and its URL"
            value={failed?.target}
            error={failed && sentence(failed.message)}
            required
          />
          <div class="buttons">
            <Button icon="plus">Add</Button>
          </div>
        </PostForm>
      )}
    </Card>
  );
}

function TargetActions({ form, target: { id, kind, enabled, target } }: { form: Form; target: TargetView }) {
  const to = `${formPath(shortName(form))}/targets/${encodeURIComponent(id)}`;
  const actions = [
    ["test", "Send a sample"],
    enabled ? ["disable", "Disable"] : ["enable", "Enable"],
  ] as const;
  return (
    <div class="actions">
      <PostForm to={to} class="actions" id={`actions-${id}`}>
        {actions.map(([action, label]) => (
          <Button kind="quiet" name="do" value={action} label={`${label}: ${target}`}>
            {label}
          </Button>
        ))}
      </PostForm>
      {kind === "webhook" && (
        <AskingButton
          to={to}
          values={{ do: "rotate" }}
          kind="quiet"
          label={`New secret: ${target}`}
          question="The receiver has a day to take the new secret: until then, deliveries are signed with both."
          confirm="Make a new secret"
        >
          New secret…
        </AskingButton>
      )}
      <AskingButton
        to={to}
        values={{ do: "delete" }}
        kind="quiet"
        label={`Delete: ${target}`}
        question="It gets nothing more, and its secret is gone."
        confirm="Delete the target"
      >
        Delete…
      </AskingButton>
    </div>
  );
}
